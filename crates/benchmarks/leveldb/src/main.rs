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
use bench_kit::program::Arguments;
#[cfg(engine)]
use bench_kit::suites;

#[cfg(engine)]
fn point_reads(arguments: &Arguments) -> Result<(), String> {
    let mut batches = point_reads::measure(arguments.quick)?;
    batches.extend(rusty::measure(arguments.quick)?);
    arguments.write(&suites::point_reads::SUITE, &batches)
}

fn main() -> ExitCode {
    program::run(&[
        #[cfg(engine)]
        ("point-reads", point_reads),
        #[cfg(engine)]
        ("policy", |arguments| {
            arguments.write(&suites::policy::SUITE, &policy::measure(arguments.quick))
        }),
    ])
}
