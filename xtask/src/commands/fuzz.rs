//! `cargo xtask fuzz`: runs the readers of foreign bytes on damaged files.

use crate::failure::Failure;
use crate::{fuzz, suite, workspace};

/// Give damaged bytes to every reader of foreign bytes.
///
/// With names of fuzz targets, libFuzzer looks for inputs that reach new code, with AddressSanitizer and overflow
/// checks. It starts from the committed inputs and keeps new ones under `target/fuzz`; a failing input is stored there,
/// and its name is printed. This needs a C++ compiler.
///
/// Without a name, runs the readers of filters, filter blocks and tables on numbered mutations of tables that LevelDB
/// wrote, optimised and with overflow checks. `cargo xtask test` runs the first tens of thousands of these cases. A
/// case depends only on its number; a failure prints the number and the command that repeats it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask fuzz\n  cargo xtask fuzz --cases 100000000 --first 50000000\n  \
        cargo xtask fuzz --first 1234 --cases 1\n  cargo xtask fuzz filters tables --seconds 3600\n  \
        cargo xtask fuzz all --seconds 60"
)]
pub(crate) struct Arguments {
    /// Fuzz targets, the files in crates/fuzz/fuzz_targets; `all` for all, one after another
    #[arg(value_name = "TARGET", conflicts_with_all = ["cases", "first"])]
    targets: Vec<String>,
    /// Time for each target
    #[arg(long, value_name = "N", default_value_t = 60, requires = "targets",
        value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Afterwards write a minimal set of inputs with the same coverage to crates/fuzz/corpus
    #[arg(long, requires = "targets")]
    keep: bool,
    /// Cases for each reader; ten million take some minutes
    #[arg(long, value_name = "N", default_value_t = 10_000_000,
        value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// The number of the first case
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let root = workspace::root();
    if arguments.targets.is_empty() {
        return suite::fuzz(&root, arguments.first, arguments.cases).map_err(Failure::internal);
    }
    let targets = fuzz::named(&root, &arguments.targets).map_err(Failure::input)?;
    fuzz::run(&root, &targets, arguments.seconds, arguments.keep).map_err(Failure::internal)
}
