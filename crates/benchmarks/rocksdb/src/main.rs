//! RocksDB's filters built and asked: by its own library in C++, and by ours, with the same bytes; beside them other
//! filters of as many bits: `sbbf-rs`, `fastbloom`, and our `BloomFilter64.Xxph3`. See `README.md`.
//!
//! RocksDB is called through its virtual functions, in a loop in C++ over slices that were made before; as in its tables,
//! a reader is made once for many keys. A contender with filters of RocksDB's ends the program where its answers are not
//! RocksDB's. FastLocalBloom is built and asked by every kernel, the other policies by the best one.

#[cfg(engine)]
mod contenders;

use std::process::ExitCode;

#[cfg(engine)]
use bench_kit::policies;
use bench_kit::program;

/// The keys of a filter.
#[cfg(engine)]
const SIZES: [usize; 5] = [32, 512, 4096, 100_000, 1_000_000];

fn main() -> ExitCode {
    program::run(&[
        #[cfg(engine)]
        ("policy", |arguments| {
            arguments.write(&policies::measure_all(
                &contenders::RocksDb,
                &SIZES,
                arguments.quick,
            ))
        }),
    ])
}
