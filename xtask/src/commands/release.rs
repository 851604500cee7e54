//! `cargo xtask release`: whether the packages can be released, and the release.

use crate::failure::Failure;
use crate::{release, workspace};

/// Check that the packages can be released, and release them.
///
/// Refuses while the repository's or the homepage's address is not filled in, while a package lacks something that its
/// page would show, and while the changelog has no section for the version. Then each package is built from the archive
/// that would be uploaded, in the order of their dependencies.
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
