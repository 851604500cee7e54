//! False-positive rates of real filters, by bits per key and by the number of keys, compared with an ideal filter's.
//!
//! The rates show two costs. *A 32-bit hash*: an absent key shares its value with one of n stored keys with
//! probability n / 2^32, whatever the bits per key. *One hash for all probes*: LevelDB's scheme derives every probe
//! from the same 32 bits, rotated by 17.
//!
//! No time is measured. Keys come from SplitMix64 with a fixed seed, so the records are the same on every machine and
//! with any number of threads.
#![forbid(unsafe_code)]

mod kinds;
mod run;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use bench_kit::program;
use bench_kit::suites::rates::SUITE;
use run::Effort;
use terminal::failure::Failure;

fn main() -> ExitCode {
    program::run(&[("rates", &SUITE, |is_quick| {
        let effort = if is_quick { &Effort::QUICK } else { &Effort::FULL };
        run::rates(&kinds::all(), effort).map_err(Failure::internal)
    })])
}
