//! Puts and look-ups of Guava's Bloom filter, of ours, and of other crates' filters of the same size and probe count. See
//! `README.md`.
//!
//! Guava runs in a Java process of its own, which times its own loops and waits while others are measured. The keys are
//! the same everywhere, strings of 16 hexadecimal digits, made a part at a time before the clock starts; so are the
//! loops, in which no call waits for another, and which count the answers. In every round each filter does the same
//! work, one after the other, the first one another in every round, so that ratios can be formed within a round. A
//! wrong answer ends the program: a key that was put and is not found, more false positives than a filter of that
//! size has, any difference between Guava's answers and ours.
#![forbid(unsafe_code)]

mod contestants;
mod keys;
mod plan;
mod rounds;

use std::process::ExitCode;

use bench_kit::program::{self, Arguments};
use plan::Plan;

fn membership(arguments: &Arguments) -> Result<(), String> {
    let mut contestants = contestants::all().map_err(|error| error.to_string())?;
    let mut batches = Vec::new();
    for plan in Plan::all(arguments.quick) {
        eprintln!("{} bits, {} rounds", plan.bits, plan.rounds);
        rounds::measure(&plan, &mut contestants, &mut batches)?;
    }
    arguments.write(&batches)
}

fn main() -> ExitCode {
    program::run(&[("membership", membership)])
}
