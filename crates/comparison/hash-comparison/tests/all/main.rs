//! Tests of whole runs, of the command line as users see it, and of the library. All tests share one program, so that nothing
//! is compiled or linked twice.
#![expect(clippy::unwrap_used, reason = "what cannot be had fails the test")]

mod advice;
mod calibration;
mod clock;
mod committed;
mod corpus;
mod custom_function;
mod fixtures;
mod functions;
mod interrupt;
mod join;
mod keys;
mod page;
mod published_counts;
mod questions;
mod quick_run;
mod run;
mod session;
mod sessions;
mod whole_run;

const PROGRAM: &str = env!("CARGO_BIN_EXE_hash-comparison");
