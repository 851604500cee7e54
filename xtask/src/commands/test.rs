//! `cargo xtask test`: the whole test suite.

use crate::failure::Failure;
use crate::suite;

/// Run the whole test suite.
///
/// The workspace's rules, formatting, clippy, all tests (once more by the portable kernel, and without the standard
/// library), documentation, a model of every interleaving, the program that proves no_std, the published figures and the
/// committed run, the installed program, and the adapters inside their storage engines. Stops at the first failure, and
/// ends with the time of each step. Without --install it fails at once, with the list, when a program that it needs is
/// missing.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask test --quick\n  cargo xtask test --install\n  \
        cargo xtask test --from documentation"
)]
pub(crate) struct Arguments {
    /// Only rules, formatting, clippy and the tests that need nothing but Rust and a C compiler
    #[arg(long, conflicts_with = "install")]
    quick: bool,
    /// Install missing system packages first (Debian and its relatives)
    #[arg(long)]
    install: bool,
    /// Begin at this step, as the table at the end of a run names it
    #[arg(long, value_name = "STEP")]
    from: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !arguments.quick {
        suite::programs::require(arguments.install)?;
    }
    suite::run(arguments.quick, arguments.from.as_deref())
}
