//! `cargo xtask test`: the whole test suite.

use crate::failure::Failure;
use crate::suite;

/// Run the whole test suite.
///
/// The workspace's rules, formatting, clippy, documentation, all tests, the crates without their default features, the
/// program that proves no_std, a comparison whose records are checked, the published figures and the committed run, and
/// the adapters inside their storage engines. Stops at the first failure. Without
/// --install it fails at once, with the list, when a program that it needs is missing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask test --install\n  cargo xtask test")]
pub(crate) struct Arguments {
    /// Install missing system packages first (Debian and its relatives)
    #[arg(long)]
    install: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    suite::programs::require(arguments.install)?;
    suite::run()
}
