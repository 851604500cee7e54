//! Benchmarks that need no peer.
#![forbid(unsafe_code)]

mod rates;

use std::process::ExitCode;

use bench_kit::program;
use bench_kit::suites;

fn main() -> ExitCode {
    program::run(&[("rates", &suites::rates::SUITE, rates::measure)])
}
