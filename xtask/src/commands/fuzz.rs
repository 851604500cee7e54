//! `cargo xtask fuzz`: looks for bytes that make a reader of foreign bytes fail.

use crate::failure::Failure;
use crate::{fuzz, workspace};

/// Give damaged bytes to every reader of foreign bytes.
///
/// libFuzzer looks for inputs that reach new code, with AddressSanitizer and overflow checks. It starts from the
/// committed inputs and keeps new ones under `target/fuzz`; a failing input is stored there, and its name is printed.
/// This needs a C++ compiler. `cargo xtask test` gives the committed inputs to the readers of filters, filter blocks
/// and tables.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask fuzz\n  cargo xtask fuzz filters tables --seconds 3600")]
pub(crate) struct Arguments {
    /// Fuzz targets, the files in crates/fuzz/fuzz_targets; `all` for all, one after another
    #[arg(value_name = "TARGET", default_value = "all")]
    targets: Vec<String>,
    /// Time for each target
    #[arg(long, value_name = "N", default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Afterwards write a minimal set of inputs with the same coverage to crates/fuzz/corpus
    #[arg(long)]
    keep: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let root = workspace::root();
    let targets = fuzz::named(&root, &arguments.targets).map_err(Failure::input)?;
    fuzz::run(&root, &targets, arguments.seconds, arguments.keep).map_err(Failure::internal)
}
