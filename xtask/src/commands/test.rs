//! `cargo xtask test`: the whole test suite.

use crate::failure::Failure;
use crate::{cross, programs, suite, workspace};

/// Run the whole test suite.
///
/// Checks the workspace's rules, formatting, spelling and clippy; runs all tests, including those on real storage
/// engines, then again with the portable kernel, and without the standard library; packs all packages; builds the
/// documentation; explores every interleaving of the concurrent filter; runs the program that proves no_std; compares
/// the committed run and the published figures; follows the guides; and tests the libraries on 64-bit
/// Arm and on big-endian s390x, in emulators. Stops at the first failure and prints the time of each step. Without
/// --install it fails at once if a program that it needs is missing, and lists what is missing.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask test --quick\n  cargo xtask test --install\n  \
        cargo xtask test --from documentation"
)]
pub(crate) struct Arguments {
    /// Run only rules, formatting, clippy and the tests that need nothing but Rust and a C compiler
    #[arg(long, conflicts_with = "install")]
    quick: bool,
    /// Install missing system packages first (Debian and its relatives)
    #[arg(long)]
    install: bool,
    /// Start at this step, as named in the table at the end of a run
    #[arg(long, value_name = "STEP")]
    from: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !arguments.quick {
        let targets = cross::usual();
        let needs = [xtask::of_suite(), cross::needs(&targets)].concat();
        programs::require(&needs, arguments.install, "test")?;
        cross::require(&targets, arguments.install)?;
        programs::require_spark(&workspace::root(), arguments.install)?;
    }
    suite::run(arguments.quick, arguments.from.as_deref())
}
