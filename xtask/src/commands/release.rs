//! `cargo xtask release`: checks that the packages can be released, and releases them.

use crate::failure::Failure;
use crate::{release, workspace};

/// Check that the packages can be released, and release them.
///
/// Builds each package from the archive that would be uploaded, in dependency order, and runs the libraries' tests from the
/// archives. Then fails if the address of the repository or the homepage is not filled in, if a package lacks something
/// that its page shows, or if the changelog has no section for the version. `cargo package --workspace` packs and builds
/// unpublished packages as well; those are never uploaded.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  cargo xtask release")]
pub(crate) struct Arguments {
    /// Upload the packages after the checks; needs an account, or the token of the release workflow
    #[arg(long)]
    publish: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    release::run(&workspace::root(), arguments.publish).map_err(Failure::internal)
}
