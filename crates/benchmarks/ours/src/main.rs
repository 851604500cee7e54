//! Benchmarks that need no peer.
#![forbid(unsafe_code)]

mod instructions;
mod rates;
mod which;

use std::process::ExitCode;

use bench_kit::program;
use bench_kit::suites;

fn main() -> ExitCode {
    program::run(&[
        ("rates", rates::measure),
        ("which", |arguments| {
            arguments.write(&suites::which::SUITE, &which::measure(arguments.quick))
        }),
        ("instructions", |arguments| {
            arguments.write(&suites::instructions::SUITE, &instructions::count()?)
        }),
    ])
}
