//! Real filters: the share of absent keys that they let through, by bits per key and by the number of keys, against what
//! an ideal filter would do.
//!
//! Three costs become visible. *32 bits of hash*: among n keys an absent one has the value of a stored one with
//! probability n / 2^32, whatever the bits per key. *One hash for all probes*: LevelDB's scheme takes each next probe from
//! the same 32 bits, rotated by 17. *A poor function*: keys that share a value are one key to the filter.
//!
//! Nothing here is timed and nothing is random: keys come from SplitMix64 under a fixed seed, and the same records come
//! out on every machine, with any number of threads.

mod keys;
mod kinds;
mod run;
mod series;
#[cfg(test)]
mod tests;

use std::num::NonZero;
use std::thread;

use bench_kit::program::Arguments;
use hash_comparison::terminal::Terminal;

use self::run::{Effort, rates};
use self::series::SERIES;

/// State of the generator that keys come from, and the seed of the ideal hash's key.
const SEED: u64 = 1;

/// Measures all series, and writes their rows.
pub(crate) fn measure(arguments: &Arguments) -> Result<(), String> {
    let terminal = Terminal::listen().map_err(|error| error.to_string())?;
    let effort = if arguments.quick {
        Effort::QUICK
    } else {
        Effort::FULL
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let measured = rates(&SERIES, &effort, threads, &terminal);
    terminal.finish();
    arguments.write(&measured?)
}
