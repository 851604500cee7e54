//! `cargo xtask site`: the documentation as a folder of pages.

use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::failure::Failure;
use crate::{site, workspace};

/// Write the documentation as a folder of pages.
///
/// Writes guides, formats, theory, the map, decisions and every other Markdown file, the files that they link to, and the
/// reference report with its records to a folder that any host can serve. A broken link is an error, and nothing is written
/// then.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  cargo xtask site --out public")]
pub(crate) struct Arguments {
    /// The folder to write [default: target/site]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let root = workspace::root();
    let out = arguments.out.clone().unwrap_or_else(|| root.join("target/site"));
    let pages = site::build(&root, &out).map_err(Failure::internal)?;
    Ok(writeln!(io::stdout(), "{pages} pages in {}", out.display())?)
}
