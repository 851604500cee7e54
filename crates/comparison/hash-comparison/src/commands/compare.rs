//! `compare`: measures functions on key sets and writes the report.

use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::clock;
use crate::comparison::Comparison;
use crate::files::KIND;
use crate::functions::library::{self, Symbol};
use crate::program::Program;
use crate::report::Report;
use crate::run;
use records::folder::{Destination, REPORT};
use terminal::bar::Terminal;
use terminal::failure::Failure;

/// Compare hash functions on real key sets, and draw the report.
///
/// Measures collisions, time, distribution and the false positives of a real filter, and writes index.html (one
/// self-contained file), charts, and the records as CSV and JSON. Without arguments it measures the 17 published functions
/// and eight popular modern ones on every embedded dataset.
#[derive(Debug, clap::Args)]
#[command(mut_group("KeyForm", |form| form.requires("keys")), after_help = "Examples:\n  \
    {program} compare\n  \
    {program} compare --quick --dataset app-accounts\n  \
    {program} compare --keys my-keys.txt --out my-report\n  \
    {program} compare --keys users.csv.gz --column email\n  \
    {program} compare --function MurMurHash2 --function XXH3\n  \
    {program} compare --all\n  \
    {program} compare --own ./libmine.so:my_hash:64\n  \
    {program} compare --keys my-keys.txt --for table --untrusted --mine FxHash-2\n\n\
    Names are case-insensitive; those of functions need no punctuation (crc32, string.hashcode), and programs stand for \
    their functions (php, git). `{program} list` shows all functions.")]
pub struct Arguments {
    #[command(flatten)]
    comparison: Comparison,

    /// The folder for the report: absent, empty, or of an earlier run [default: {out}]
    #[arg(long, value_name = "DIR", overrides_with = "out")]
    out: Option<PathBuf>,
}

/// Measures the functions and writes the report.
pub fn run(arguments: Arguments, program: &Program) -> Result<(), Failure> {
    let Arguments { mut comparison, out } = arguments;
    let terminal = Terminal::listen()?;
    let out = out.unwrap_or_else(|| program.out());
    comparison.repeated_by = Some((program.typed(), program.commit()));
    let own = library::load(&comparison.symbols, clock::of_a_call, &terminal)?;
    let plan = own.into_iter().fold(comparison, Comparison::function).plan()?;
    for meaning in &plan.meanings {
        writeln!(io::stderr(), "{meaning}")?;
    }
    // The destination is locked from here on; a signal must leave nothing behind.
    let destination = Destination::check(&out, &KIND)?;
    let records = run::run(&plan, None, destination, &terminal)?;
    let report = Report { records, terminal };
    let page = out.join(REPORT);
    writeln!(io::stdout().lock(), "{report}report: {}", page.display())?;
    Ok(())
}

/// Calls a function in this process, which it may end.
pub fn try_out(symbol: &Symbol) -> Result<(), Failure> {
    library::try_out(symbol)
}
