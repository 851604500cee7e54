//! Counts what a database is asked with a filter before it, and without.
#![forbid(unsafe_code)]

use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::process::ExitCode;

use clap::Parser;
use guava_bloom_cache_guard::{Database, Error, Lookups, Store, name};

/// Count what a database is asked with a filter before it, and without.
///
/// Fills a table in a temporary folder and looks up names of which most exist nowhere, through an in-memory cache.
#[derive(Debug, Parser)]
#[command(max_term_width = 100)]
struct Arguments {
    /// Accounts in the table
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32))]
    rows: u32,

    /// Names to look up
    #[arg(long, value_name = "N", default_value_t = 500_000)]
    lookups: u32,

    /// Share of them that exist nowhere, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.9, value_parser = share, allow_negative_numbers = true)]
    absent: f64,

    /// Accounts that the cache holds at most, at least 1
    #[arg(long, value_name = "N", default_value = "10000")]
    cache: NonZeroUsize,

    /// Share of absent names that the filter may let through, between 0 and 1
    #[arg(long, value_name = "P", default_value_t = 0.01, allow_negative_numbers = true)]
    fpp: f64,

    /// Of the names
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

fn share(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "allowed are numbers from 0 to 1".to_owned())
}

/// Why the program stops.
enum Failure {
    /// The arguments are wrong: 2.
    Input(String),
    /// Anything else: 1.
    System(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Filter(_) => Self::Input(error.to_string()),
            _ => Self::System(error.to_string()),
        }
    }
}

fn main() -> ExitCode {
    let report = match run(&Arguments::parse()) {
        Ok(report) => report,
        Err(failure) => {
            let (message, code) = match failure {
                Failure::Input(message) => (message, 2),
                Failure::System(message) => (message, 1),
            };
            eprintln!("error: {message}");
            return ExitCode::from(code);
        }
    };
    match io::stdout().write_all(report.as_bytes()) {
        // Nobody reads on; that is no failure.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("error: standard output: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

fn run(arguments: &Arguments) -> Result<String, Failure> {
    let system = |error: io::Error| Failure::System(format!("temporary folder: {error}"));
    let folder = tempfile::tempdir().map_err(system)?;
    let path = folder.path().join("accounts.db");
    let open = || Database::open(&path).map_err(Error::from);
    let rows = u64::from(arguments.rows);
    open()?
        .insert_all((0..rows).map(|index| (name(index), 100)))
        .map_err(Error::from)?;
    let mut unguarded = Store::unguarded(open()?, arguments.cache);
    let mut guarded = Store::guarded(open()?, arguments.cache, arguments.fpp)?;

    let mut absent = 0_u64;
    let names = Lookups::new(rows, arguments.absent, arguments.seed);
    for name in names.take(arguments.lookups as usize) {
        let balance = unguarded.balance(&name)?;
        if guarded.balance(&name)? != balance {
            return Err(Failure::System(format!("{name}: the filter changed the answer")));
        }
        absent += u64::from(balance.is_none());
    }
    Ok(report(arguments, absent, &unguarded, &guarded))
}

fn report(arguments: &Arguments, absent: u64, unguarded: &Store, guarded: &Store) -> String {
    let mut text = format!(
        "{} rows, {} lookups, {absent} of them of names that exist nowhere\n\n{:<26} {:>14} {:>14}\n",
        arguments.rows, arguments.lookups, "", "without filter", "with filter"
    );
    let (without, with) = (unguarded.counts(), guarded.counts());
    for (what, without, with) in [
        ("found in the cache", without.in_cache, with.in_cache),
        ("found in the database", without.in_database, with.in_database),
        ("absent, database asked", without.absent_asked, with.absent_asked),
        ("absent, stopped", without.absent_stopped, with.absent_stopped),
    ] {
        text.push_str(&format!("{what:<26} {without:>14} {with:>14}\n"));
    }
    let bytes = guarded.filter().map_or(0, |filter| filter.bit_size() / 8);
    let rate = with.absent_asked as f64 / absent.max(1) as f64;
    // To nine digits: 0.07 times 100 is not quite 7.
    let percent = arguments.fpp * 100.0;
    let asked: f64 = format!("{percent:.8e}").parse().unwrap_or(percent);
    text.push_str(&format!(
        "\nfalse positives: {:.3} % of the absent names (asked for {asked} %), from a filter of {:.1} KiB\n",
        rate * 100.0,
        bytes as f64 / 1024.0
    ));
    text
}
