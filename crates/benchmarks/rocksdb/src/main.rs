//! Builds and queries RocksDB's filters with its own library in C++ and with ours, with the same bytes; and other
//! filters of the same size: `sbbf-rs`, `fastbloom`, and our `BloomFilter64.Xxph3`. See `README.md`.
//!
//! RocksDB is called through its virtual functions, in a C++ loop over slices made in advance; as in its tables, one
//! reader serves many keys. The program ends if a contender with RocksDB's filters differs from RocksDB in its answers.
//! FastLocalBloom runs on every kernel, the other policies on the best kernel. Its second
//! part compares all filters, also those of `xorf`, at the same false-positive rates.

#[cfg(engine)]
mod contenders;
#[cfg(engine)]
mod equal_rate;

use std::process::ExitCode;

use bench_kit::program;
#[cfg(engine)]
use bench_kit::suites::policy::{EQUAL_RATE, SUITE};

fn main() -> ExitCode {
    program::run(&[
        #[cfg(engine)]
        ("policy", &SUITE, |is_quick| Ok(contenders::measure(is_quick))),
        #[cfg(engine)]
        ("equal-rate", &EQUAL_RATE, |is_quick| {
            Ok(equal_rate::measure(is_quick))
        }),
    ])
}
