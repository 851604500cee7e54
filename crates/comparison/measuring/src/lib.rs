//! Public for `hash-comparison` alone. Measures hash functions for it: it has functions, keys, times and questions, and writes
//! the records of a run.
//!
//! It has the loops whose time is measured or takes long, so it is optimised more than what draws and words the results.
//! `hash-comparison` has these modules, too, and their tests.

pub mod clock;
pub mod files;
pub mod functions;
pub mod keys;
pub mod name_errors;
pub mod questions;
pub mod record;
pub mod run;
