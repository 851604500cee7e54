//! `render`: redraws charts and report from the records.

use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::files::KIND;
use crate::questions::Records;
use crate::report::draw;
use records::folder::{Destination, REPORT};
use terminal::bar::Terminal;
use terminal::failure::Failure;

/// Redraw charts and report from the records of a run.
///
/// Measures nothing; the same records give the same bytes. Leaves the records and foreign files as they are.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  {program} render my-report")]
pub struct Arguments {
    /// The folder of a run
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

/// Redraws charts and report.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let dir = &arguments.dir;
    let terminal = Terminal::listen()?;
    let destination = Destination::ours(dir, &KIND)?;
    let mut records = Records::read(dir).map_err(|error| match error {
        Failure::Changed(_) => Failure::input(error),
        _ => Failure::input(format!("{error}; restore it, or measure again")),
    })?;

    draw(&mut records, destination, &terminal)?;
    writeln!(io::stdout().lock(), "report: {}", dir.join(REPORT).display())?;
    Ok(())
}
