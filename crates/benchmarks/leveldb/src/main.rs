//! The benchmarks on Google's LevelDB and on rusty-leveldb, see `README.md`.

mod point_reads;
mod policy;
mod rusty;

use std::process::ExitCode;

use bench_kit::program::{self, Arguments};
use bench_kit::suites::point_reads::KeySet;

fn point_reads(arguments: &Arguments) -> Result<(), String> {
    let mut batches = point_reads::measure(arguments.quick)?;
    batches.extend(rusty::measure(arguments.quick, KeySet::Random)?);
    arguments.write(&batches)
}

fn main() -> ExitCode {
    program::run(&[
        ("point-reads", point_reads),
        ("decimal-ids", |arguments| {
            arguments.write(&rusty::measure(arguments.quick, KeySet::Decimal)?)
        }),
        ("policy", |arguments| {
            arguments.write(&policy::measure(arguments.quick))
        }),
    ])
}
