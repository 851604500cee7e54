//! The benchmarks on Google's LevelDB and on rusty-leveldb. See `README.md`.

mod point_reads;
mod policy;
mod rusty;

use std::process::ExitCode;

use bench_kit::program;
use bench_kit::suites;

fn main() -> ExitCode {
    program::run(&[
        ("point-reads", &suites::point_reads::SUITE, |is_quick| {
            Ok([point_reads::measure(is_quick)?, rusty::measure(is_quick)?].concat())
        }),
        ("policy", &suites::policy::SUITE, |is_quick| {
            Ok(policy::measure(is_quick))
        }),
    ])
}
