//! The benchmarks on Google's LevelDB and on rusty-leveldb. See `README.md`.

#[cfg(engine)]
mod point_reads;
#[cfg(engine)]
mod policy;
#[cfg(engine)]
mod rusty;

use std::process::ExitCode;

use bench_kit::program;
#[cfg(engine)]
use bench_kit::suites;

fn main() -> ExitCode {
    program::run(&[
        #[cfg(engine)]
        ("point-reads", &suites::point_reads::SUITE, |is_quick| {
            Ok([point_reads::measure(is_quick)?, rusty::measure(is_quick)?].concat())
        }),
        #[cfg(engine)]
        ("policy", &suites::policy::SUITE, |is_quick| {
            Ok(policy::measure(is_quick))
        }),
    ])
}
