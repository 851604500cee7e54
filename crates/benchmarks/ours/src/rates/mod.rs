//! False-positive rates of real filters, by bits per key and by the number of keys, compared with an ideal filter's.
//!
//! The rates show three costs. *A 32-bit hash*: an absent key shares its value with one of n stored keys with
//! probability n / 2^32, whatever the bits per key. *One hash for all probes*: LevelDB's scheme derives every probe
//! from the same 32 bits, rotated by 17. *A poor function*: a filter cannot tell keys of the same value apart.
//!
//! No time is measured. Keys come from SplitMix64 with a fixed seed, so the records are the same on every machine and
//! with any number of threads.

mod kinds;
mod run;
#[cfg(test)]
mod tests;

use bench_kit::program::Arguments;
use bench_kit::suites::rates::SUITE;

use self::run::{Effort, rates};

/// Measures all series and writes their rows.
pub(crate) fn measure(arguments: &Arguments) -> Result<(), String> {
    let effort = if arguments.quick {
        Effort::QUICK
    } else {
        Effort::FULL
    };
    arguments.write(&SUITE, &rates(&kinds::all(), &effort)?)
}
