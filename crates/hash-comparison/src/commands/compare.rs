//! `compare`: measures functions on key sets and writes the report.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::advice::over_sets::{over_sets, suited};
use crate::advice::times;
use crate::questions::Records;
use crate::questions::files::KIND;
use crate::record::{Purpose, Request, on};
use crate::run::compare::{self, Options};
use records::folder::{Destination, REPORT};

use super::{summary, written};
use crate::program::Program;
use records::bar::Terminal;
use records::failure::Failure;
use records::number::significant;
use records::terminal::{table, wrapped};

/// Compare hash functions on real key sets, and draw the report.
///
/// Measures collisions, time, distribution and the false positives of a real filter, and writes index.html (one
/// self-contained file), charts, and the records as CSV and JSON. Without arguments it measures the 17 published functions
/// and eight popular modern ones on every embedded dataset.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    {program} compare\n  \
    {program} compare --quick --dataset app-accounts\n  \
    {program} compare --keys my-keys.txt --out my-report\n  \
    {program} compare --function MurMurHash2 --function XXH3\n  \
    {program} compare --all\n  \
    {program} compare --keys my-keys.txt --for table --untrusted --mine FxHash\n\n\
    Names are case-insensitive; `{program} list` shows them.")]
pub struct Arguments {
    #[command(flatten)]
    options: Options,

    /// The use of the function, which decides the tests and the times that count [default: a filter or a table]
    ///
    /// The run ends with a recommendation for each dataset. It leaves out functions that lack a required property, and says
    /// to avoid those with a defect that costs this purpose more than --negligible. The others are ranked by time, measured
    /// as this purpose calls them. Without this option a function must serve filters and tables in memory.
    #[arg(long = "for", value_name = "PURPOSE", value_enum, ignore_case = true)]
    purpose: Option<Purpose>,

    /// An attacker may choose keys: recommend only functions made for a secret key
    ///
    /// Your program must draw that key at random and keep it secret; the run itself uses a fixed one. Functions whose seeds
    /// do not stop attackers (foldhash, aHash, XXH3 and others) are left out.
    #[arg(long)]
    untrusted: bool,

    /// Recommend only functions whose values never change, on any platform; implied by --for filter, shard and checksum
    #[arg(long)]
    stable: bool,

    /// With --for filter: the filter is never stored, so values that may change with a release are allowed
    #[arg(long, conflicts_with = "stable", requires = "purpose")]
    in_memory: bool,

    /// Ignore defects that cost less than this share: 0.05 means 5 % more false positives, comparisons, keys in the fullest
    /// shard or collisions
    #[arg(long, value_name = "SHARE", default_value_t = Request::NEGLIGIBLE, value_parser = share)]
    negligible: f64,

    /// The function you use today: is it good enough, and what would a change gain? Marked in every chart
    #[arg(long, value_name = "FUNCTION")]
    mine: Option<String>,

    /// The folder for the report: absent, empty, or of an earlier run [default: {out}]
    #[arg(long, value_name = "DIR", overrides_with = "out")]
    out: Option<PathBuf>,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share: &f64| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "must be a number from 0 to 1: 0.05 is 5 %".to_owned())
}

/// Measures the functions and writes the report.
pub fn run(arguments: Arguments, program: &Program) -> Result<(), Failure> {
    let purpose = arguments.purpose.unwrap_or_default();
    if arguments.in_memory && purpose != Purpose::Filter {
        return Err(Failure::input(format!(
            "--in-memory must not be given with --for {purpose}: it is for filters, which are otherwise taken to be stored"
        )));
    }
    let request = Request {
        purpose,
        untrusted: arguments.untrusted,
        stable: arguments.stable || purpose == Purpose::Filter && !arguments.in_memory,
        mine: arguments.mine,
        negligible: arguments.negligible,
    };
    let options = Options {
        request,
        command: program.typed(),
        commit: program.commit(),
        ..arguments.options
    };
    let out = arguments.out.unwrap_or_else(|| program.out.clone());
    let records = compare(&options, &out)?;
    let mut stdout = io::stdout().lock();
    for dataset in &records.run.datasets {
        writeln!(stdout, "{}", summary::answer(&records, dataset))?;
    }
    writeln!(stdout, "{}", summary::time(&records))?;
    write!(stdout, "{}", together(&records))?;
    let form = records.run.request.purpose.form();
    let datasets = records.run.datasets.iter();
    let warnings = times::warnings(&records, datasets.map(|set| (set.name.as_str(), form)));
    if !warnings.is_empty() {
        writeln!(stdout, "{}", wrapped(warnings.join(" ")))?;
    }
    writeln!(stdout, "report: {}", out.join(REPORT).display())?;
    Ok(())
}

/// Measures functions, writes the report to the folder `out`, and returns its records: a comparison as a call, for programs
/// that measure functions of their own.
///
/// `out` must be absent, empty, or the folder of an earlier run. Progress goes to standard error.
///
/// ```no_run
/// use hash_comparison::{Failure, Function, Options, compare};
///
/// fn sum(key: &[u8]) -> u64 {
///     key.iter().fold(0, |sum, &byte| sum.wrapping_add(byte.into()))
/// }
///
/// fn main() -> Result<(), Failure> {
///     let options = Options {
///         own: vec![Function::custom("Sum", 64, sum, &[(b"abc", 294)])],
///         keys: vec!["my-keys.txt".into()],
///         ..Options::default()
///     };
///     let records = compare(&options, "my-report".as_ref())?;
///     println!("{} rows of collisions", records.collisions.len());
///     Ok(())
/// }
/// ```
///
/// # Errors
///
/// [`Failure::Input`] for an unknown name, an unreadable key file, a custom function that breaks its known answers, or a
/// folder with other files; [`Failure::Interrupted`] after Ctrl-C, when nothing was written.
pub fn compare(options: &Options, out: &Path) -> Result<Records, Failure> {
    options.check()?;
    // The destination is held from here on; a signal must leave nothing behind.
    let terminal = Terminal::listen()?;
    let destination = Destination::check(out, &KIND)?;
    let mut records = compare::run(options, &terminal)?;
    written::all(&mut records, destination, &terminal)?;
    Ok(records)
}

/// The most functions that are shown over all key sets.
const SHOWN: usize = 3;

/// Returns the best functions over all key sets; empty for one.
fn together(records: &Records) -> String {
    let all = &records.run.datasets;
    if all.len() < 2 {
        return String::new();
    }
    let suited = all.iter().map(|set| suited(on(&records.advice, &set.name)));
    let rows = over_sets(suited).into_iter().take(SHOWN).map(|row| {
        let sets = format!("{} of {}", row.sets, all.len());
        [row.function, significant(row.ratio, 3), sets]
    });
    let heads = [
        "all key sets together",
        "time over that of the fastest",
        "suits on sets",
    ];
    format!("{}\n\n", table(heads.to_vec(), &[1], rows))
}
