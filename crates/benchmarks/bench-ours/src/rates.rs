//! False-positive rates of real filters, by bits per key and by the number of keys, compared with an ideal filter's.
//!
//! The rates show two costs. *A 32-bit hash*: an absent key shares its value with one of n stored keys with
//! probability n / 2^32, whatever the bits per key. *One hash for all probes*: LevelDB's scheme derives every probe
//! from the same 32 bits, rotated by 17.
//!
//! No time is measured. Keys come from SplitMix64 with a fixed seed, so the records are the same on every machine and
//! with any number of threads.

mod kinds;
mod run;
#[cfg(test)]
mod tests;

use bench_kit::record::Batch;

use self::run::{Effort, rates};

/// Measures all series.
pub(crate) fn measure(is_quick: bool) -> Result<Vec<Batch>, String> {
    rates(
        &kinds::all(),
        if is_quick { &Effort::QUICK } else { &Effort::FULL },
    )
}
