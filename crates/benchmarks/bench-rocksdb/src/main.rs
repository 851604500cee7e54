//! Builds and queries filters of every kind at the same false-positive rates: those of all policies of this project, of
//! RocksDB's own library in C++, and of `sbbf-rs`, `fastbloom` and `xorf`. See `README.md`.
//!
//! RocksDB is called through its virtual functions, in a C++ loop over slices made in advance; as in its tables, one
//! reader serves many keys. Policies of this project run on the best kernel.

mod equal_rate;

use std::process::ExitCode;

use bench_kit::program;
use bench_kit::suites::policy::EQUAL_RATE;

fn main() -> ExitCode {
    program::run(&[("equal-rate", &EQUAL_RATE, |is_quick| {
        Ok(equal_rate::measure(is_quick))
    })])
}
