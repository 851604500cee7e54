//! `compare`: measures functions on key sets and writes the report.

use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::clock;
use crate::comparison::Comparison;
use crate::functions::library::{self, Symbol};
use crate::keys::DEFAULT_SEED;
use crate::program::Program;
use crate::record::{Purpose, Request};
use crate::report::{KIND, Report};
use crate::run;
use key_input::KeyForm;
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
    /// An embedded dataset; may be given several times [default: all, or none with --keys]
    #[arg(long = "dataset", value_name = "NAME")]
    datasets: Vec<String>,

    /// A function, or a group of them: published, anchors, variants or further; may be given several times
    #[arg(long = "function", value_name = "NAME")]
    functions: Vec<String>,

    /// Measure every function; charts and lists fold those that are not named
    #[arg(long)]
    all: bool,

    /// A file of your own keys, one per line, or - for standard input; may be given several times
    ///
    /// A key is the bytes of a line without its end (LF or CR LF). An empty line is the empty key; duplicate keys are counted
    /// and dropped. A line with a zero byte is refused: --type binary reads such keys. Files of gzip and Zstandard are
    /// read as their contents. The dataset is named after the file, without its extension; that of standard input is stdin. The
    /// options --type, --null, --column and --delimiter hold for every --keys.
    #[arg(long, value_name = "FILE")]
    keys: Vec<PathBuf>,

    #[command(flatten)]
    form: KeyForm,

    /// Seed of every random choice, from 0 to 2^64 - 1
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,

    /// Take fewer timing samples; all other results are the same
    #[arg(long)]
    quick: bool,

    /// A function of your own in any language, as ./libmine.so:my_hash:64; may be given several times
    ///
    /// The parts are a shared library, the function in it, and how many bits it returns, 8 to 64. It is
    /// `uint64_t my_hash(const void *data, size_t length)`; with `:seed` at the end it has a third argument, `uint64_t seed`, which
    /// is 0.
    ///
    /// The library may print, and any thread may call the function. It is tried out first in a process of its own: the run ends
    /// with an error if the library cannot be opened or ends that process, or if the function accesses memory beside its key,
    /// writes into it, needs more than 2 MiB of stack, returns two values for one key, or does not return within 5 seconds (60 for
    /// the 2,200 calls of the trial). One that takes 10 µs or more per call is reported, with the time that a run takes at least. A
    /// later call that does not return within 5 seconds is named; the first Ctrl-C waits for it, and a second ends the run.
    #[arg(long, value_name = "SYMBOL")]
    own: Vec<Symbol>,

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
    ///
    /// With --type long or int for all keys, FxHash-2, foldhash and aHash are compared as Rust hashes integers with them, in rows of
    /// their own such as FxHash-2 (u64).
    #[arg(long, value_name = "FUNCTION")]
    mine: Option<String>,

    /// The folder for the report: absent, empty, or of an earlier run [default: {out}]
    #[arg(long, value_name = "DIR", overrides_with = "out")]
    out: Option<PathBuf>,
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("must be a whole number between 0 and {}", u64::MAX))
}

fn share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share: &f64| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "must be a number from 0 to 1: 0.05 is 5 %".to_owned())
}

impl Arguments {
    /// Returns the comparison that the arguments describe, without the functions of shared libraries.
    fn comparison(self, program: &Program) -> Result<Comparison, Failure> {
        let purpose = self.purpose.unwrap_or_default();
        if self.in_memory && purpose != Purpose::Filter {
            return Err(Failure::input(format!(
                "--in-memory must not be given with --for {purpose}: it is for filters, which are otherwise taken to be stored"
            )));
        }
        let request = Request {
            purpose,
            untrusted: self.untrusted,
            stable: self.stable || purpose == Purpose::Filter && !self.in_memory,
            mine: self.mine,
            negligible: self.negligible,
            key_form: self.form,
        };
        let start = Comparison::new().request(request).seed(self.seed);
        let start = start.repeated_by(program.typed(), program.commit());
        let start = self.datasets.into_iter().fold(start, Comparison::dataset);
        let start = self.functions.into_iter().fold(start, Comparison::built_in);
        let start = self.keys.into_iter().fold(start, Comparison::keys);
        let start = if self.all { start.all() } else { start };
        Ok(if self.quick { start.quick() } else { start })
    }
}

/// Measures the functions and writes the report.
pub fn run(mut arguments: Arguments, program: &Program) -> Result<(), Failure> {
    let terminal = Terminal::listen()?;
    let out = arguments.out.take().unwrap_or_else(|| program.out());
    let symbols = std::mem::take(&mut arguments.own);
    let comparison = arguments.comparison(program)?;
    let own = library::load(&symbols, &terminal)?;
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

/// Tries a function out in this process, which it may end.
pub fn try_out(symbol: &Symbol) -> Result<(), Failure> {
    library::try_out(symbol, clock::of_a_call)
}
