//! `reproduce`: makes the committed run again, and compares every file.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::comparison::Comparison;
use crate::files::KIND;
use crate::program::Program;
use crate::questions::Records;
use crate::run;
use records::folder::Destination;
use terminal::bar::Terminal;
use terminal::failure::Failure;

/// Make the committed run again, apart from its times, and compare every file.
///
/// Times, machine and date are taken from the run. Everything else is computed again: records, advice, charts and page in
/// reports/reference must be identical byte for byte. Of records that are too large to be committed, run.json has the
/// checksums. Exits with 1 if anything differs. An installed program does not contain the committed run: it needs a clone of the
/// repository.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  {program} reproduce")]
pub struct Arguments {
    /// Folder of the committed run [default: reports/reference in the workspace, else in the current folder]
    #[arg(long, value_name = "DIR")]
    reference: Option<PathBuf>,

    /// Write the files into the folder instead of comparing them
    #[arg(long)]
    renew: bool,
}

/// Makes the files and compares them.
pub fn run(arguments: &Arguments, program: &Program) -> Result<(), Failure> {
    let folder = (arguments.reference.clone()).unwrap_or_else(|| program.file("reports").join("reference"));
    if arguments.reference.is_none() && !folder.exists() {
        let reason = "does not exist; the committed run is in a clone of the repository only: run this command there, \
                      or name its folder with --reference";
        return Err(Failure::input(reason).about(&folder));
    }
    let terminal = Terminal::listen()?;
    let committed =
        Records::read_times(&folder).map_err(|error| Failure::internal(format!("committed run: {error}")))?;
    let scratch = tempfile::tempdir().map_err(Failure::system(&std::env::temp_dir()))?;
    let destination = match arguments.renew {
        true => Destination::ours(&folder, &KIND)?,
        false => Destination::check(scratch.path(), &KIND)?,
    };
    let now = run::run(
        &Comparison::again(&committed)?,
        Some(&committed),
        destination,
        &terminal,
    )?;
    let mut out = io::stdout().lock();
    if arguments.renew {
        writeln!(out, "renewed: {}", folder.display())?;
        return Ok(());
    }
    let state = |name: &String| {
        let [now_is, was] = [scratch.path(), &folder].map(|folder| fs::read(folder.join(name)));
        let sums = [&now, &committed].map(|records| records.run.checksums.get(name));
        match (now_is, was) {
            (Ok(now_is), Ok(was)) if now_is == was => None,
            (_, Err(_)) if sums[0].is_some() && sums[0] == sums[1] => None,
            (_, Err(_)) => Some("missing"),
            _ => Some("other bytes than now"),
        }
    };
    let files = now.run.files.iter();
    let differing: Vec<String> = files
        .filter_map(|name| Some(format!("{name}: {}", state(name)?)))
        .collect();
    if differing.is_empty() {
        writeln!(out, "all {} files agree", now.run.files.len())?;
        return Ok(());
    }
    writeln!(out, "{} files do not agree:", differing.len())?;
    for line in differing {
        writeln!(out, "  {line}")?;
    }
    writeln!(out, "`{} reproduce --renew` writes them again", program.name())?;
    Err(Failure::Checked)
}
