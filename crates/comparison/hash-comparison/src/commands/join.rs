//! `join`: several runs on one page.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::advice::joined::join;
use crate::page::joined::{FIRST_LINE, page};
use crate::questions::Records;
use terminal::interrupt::Interrupt;

use terminal::failure::Failure;
use whole_files::save;

/// Compare runs of several machines or dates, and put them on one page.
///
/// Files without times must be the same byte for byte, if keys, functions and seed are. Times are divided by that of the median
/// function of the same run; a function differs if its intervals, so divided, lie apart. Needs only run.json and timing.csv of each
/// run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    {program} join before after --out both.html\n  \
    {program} join reports/machines/*/")]
pub struct Arguments {
    /// The folders of at least two runs
    #[arg(value_name = "RUN", required = true, num_args = 2..)]
    runs: Vec<PathBuf>,

    /// The page to write: absent, or one that this command wrote
    #[arg(long, value_name = "FILE", default_value = "joined.html")]
    out: PathBuf,
}

/// The most functions that are named in a line.
const SHOWN: usize = 5;

/// Compares the runs and writes the page.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    check_destination(&arguments.out)?;
    // The default action of a signal would leave an unfinished file behind.
    let interrupt = Interrupt::listen()?;
    let read = |folder: &PathBuf| {
        let records = Records::read_times(folder)
            .map_err(|error| Failure::input(format!("{error}; give folders of runs")))?;
        Ok((folder.display().to_string(), records))
    };
    let runs = arguments
        .runs
        .iter()
        .map(read)
        .collect::<Result<Vec<_>, Failure>>()?;
    let joined = join(&runs);
    let page = page(&runs, &joined).map_err(|error| Failure::internal(format!("page: {error:#}")))?;
    if interrupt.requested() {
        return Err(Failure::Interrupted);
    }
    save(&arguments.out, |file| file.write_all(page.as_bytes())).map_err(Failure::system(&arguments.out))?;
    let compared = joined.compared;
    let quality = match joined.differing.len() {
        0 if compared == 0 => "no file of equal keys, functions and seed".to_owned(),
        0 => format!("all {compared} files without times are equal"),
        _ => format!(
            "of {compared} files without times differ {}",
            joined.differing.join(", ")
        ),
    };
    let mut out = io::stdout().lock();
    writeln!(out, "quality: {quality}")?;
    for of_table in joined
        .times
        .chunk_by(|a, b| (&a.dataset, a.form) == (&b.dataset, b.form))
    {
        let (dataset, form, all) = (&of_table[0].dataset, of_table[0].form, of_table.len());
        let differing = of_table.iter().filter(|one| one.differs);
        let names: Vec<&str> = differing.map(|one| one.function.as_str()).collect();
        let differing = match names.as_slice() {
            [] => "none differs beyond noise".to_owned(),
            names if names.len() <= SHOWN => format!("beyond noise differ {}", names.join(", ")),
            names => format!("beyond noise differ {}", names.len()),
        };
        writeln!(
            out,
            "times, {dataset}, {form} calls: of {all} functions, {differing}"
        )?;
    }
    writeln!(out, "page: {}", arguments.out.display())?;
    Ok(())
}

/// Refuses to overwrite a file that this command did not write. Reads no more of it than the first line, and opens only
/// a regular file.
fn check_destination(path: &Path) -> Result<(), Failure> {
    let is_a_page = || {
        let mut start = [0; FIRST_LINE.len()];
        File::open(path)
            .and_then(|mut file| file.read_exact(&mut start))
            .is_ok()
            && start == *FIRST_LINE.as_bytes()
    };
    if path.is_file() && is_a_page() || !path.exists() && !path.is_symlink() {
        return Ok(());
    }
    Err(Failure::input("exists and was not written by this command; choose another file").about(path))
}
