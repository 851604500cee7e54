//! `render`: redraws charts and report from the records.

use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::error::ErrorKind;
use crate::progress::Progress as _;
use crate::record::files::{self, Records};
use crate::record::folder::{Destination, REPORT, RUN};

use super::written;
use crate::terminal::Terminal;
use filter_tools::failure::Failure;

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
///
/// # Errors
///
/// Returns an error if the folder holds no run, the command is stopped, or the folder cannot be written.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let dir = &arguments.dir;
    let terminal = Terminal::listen()?;
    let destination = Destination::ours(dir)?;
    let mut records = Records::read(dir).map_err(|error| match error.kind() {
        ErrorKind::Changed => Failure::input(error),
        _ => Failure::input(format!("{error}; restore it, or measure again")),
    })?;

    let files = written::files(&records);
    destination.refuse_foreign(&files)?;
    terminal.begin("drawing", 1);
    let staging = destination.stage()?;
    if files != records.run.files {
        // Another version of this program drew other charts.
        records.run.files = files;
        files::write_run(&staging.path().join(RUN), &records.run).map_err(|error| staging.destined(error))?;
    }
    written::finish(&records, staging, &terminal)?;
    writeln!(io::stdout().lock(), "report: {}", dir.join(REPORT).display())?;
    Ok(())
}
