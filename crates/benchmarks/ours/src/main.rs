//! Benchmarks that need no peer.
#![forbid(unsafe_code)]

mod instructions;
mod rates;
mod which;

use std::process::ExitCode;

use bench_kit::program;

fn main() -> ExitCode {
    program::run(&[
        ("rates", rates::measure),
        ("which", |arguments| {
            arguments.write(&which::measure(arguments.quick))
        }),
        ("instructions", |arguments| {
            arguments.write(&instructions::count()?)
        }),
    ])
}
