//! `cargo xtask fuzz`: the readers of foreign bytes on damaged files, for as long as wanted.

use crate::failure::Failure;
use crate::{suite, workspace};

/// Give damaged tables to every reader of foreign bytes.
///
/// Mutations of tables that LevelDB wrote go to the readers of filters, filter blocks and tables, optimised and with
/// overflow checks. `cargo xtask test` does the same with the first few ten thousand cases. A case depends only on its
/// number; a failure prints the number and the command that repeats it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask fuzz\n  cargo xtask fuzz --cases 100000000 --first 50000000\n  \
        cargo xtask fuzz --first 1234 --cases 1"
)]
pub(crate) struct Arguments {
    /// Cases for each reader; ten million take some minutes
    #[arg(long, value_name = "N", default_value_t = 10_000_000,
        value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// The number of the first case
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    suite::fuzz(&workspace::root(), arguments.first, arguments.cases).map_err(Failure::internal)
}
