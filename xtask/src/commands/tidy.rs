//! `cargo xtask tidy`: the workspace's own rules.

use std::io::{self, Write as _};

use crate::failure::Failure;
use crate::{tidy, workspace};

/// Check the workspace's own rules.
///
/// Checks which crate uses which, the order of modules, that lints are inherited, the formatting of every Rust file, and the
/// entries of the top level. Names every offence by file, line and rule. `cargo xtask test` runs this too.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  cargo xtask tidy")]
pub(crate) struct Arguments {}

pub(crate) fn run(_arguments: &Arguments) -> Result<(), Failure> {
    tidy::check(&workspace::root())?;
    Ok(writeln!(io::stdout(), "tidy")?)
}
