//! Inserts and lookups of Guava's Bloom filter, ours, and other crates' filters of the same size and probe count. See
//! `README.md`.
//!
//! Guava runs in a Java process, which times its own loops and waits while others are measured. All filters get the
//! same keys, strings of 16 hexadecimal digits, generated part by part outside the timing, in equal loops, which count
//! the answers and in which no call waits for another. In every round each filter does the same work, in rotating
//! order, so ratios can be formed within a round. A wrong answer ends the program: an inserted key that is not found,
//! too many false positives for the size, or a difference between Guava's answers and ours.
#![forbid(unsafe_code)]

mod contestants;
mod keys;
mod plan;
mod rounds;

use std::process::ExitCode;

use bench_kit::program;
use bench_kit::suites::membership::SUITE;

fn main() -> ExitCode {
    program::run(&[("membership", &SUITE, rounds::measure)])
}
