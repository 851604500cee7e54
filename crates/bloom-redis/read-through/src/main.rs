//! Counts database reads and round trips with three guards before a read-through cache, and takes the time.
#![forbid(unsafe_code)]

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use bloom_redis::redis::{Client, RedisResult, cmd};
use bloom_redis_read_through::{Database, Error, Guard, Link, Lookups, Store, name};
use clap::Parser;

/// Count what a database is asked, and Redis, with three guards before a read-through cache.
///
/// Fills a table in a temporary folder and looks up names of which most exist nowhere. Everything in Redis is under the
/// prefix, and removed at the end.
#[derive(Debug, Parser)]
#[command(max_term_width = 100)]
struct Arguments {
    /// The server that holds cache and filter
    #[arg(long, value_name = "URL")]
    redis: String,

    /// What all keys there begin with
    #[arg(long, value_name = "PREFIX", default_value = "read-through:")]
    prefix: String,

    /// Accounts in the table
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    rows: u32,

    /// Names to look up
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    lookups: u32,

    /// Share of them that exist nowhere, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.9, value_parser = share)]
    absent: f64,

    /// Share of absent names that the filter may let through, between 0 and 1
    #[arg(long, value_name = "P", default_value_t = 0.01)]
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

/// How long it is cached that a name is absent: short, since every wrong name takes memory that long.
const EMPTY: Duration = Duration::from_secs(60);
/// How long the server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(5);

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
            Error::Schema(_) => Self::Input(error.to_string()),
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

#[expect(
    clippy::disallowed_methods,
    reason = "this example takes the time, here and nowhere else"
)]
fn now() -> Instant {
    Instant::now()
}

/// What came of a guard.
struct Outcome {
    guard: &'static str,
    reads: u64,
    trips: u64,
    time: Duration,
    /// Keys that it left in Redis.
    keys: usize,
    /// The sum of all balances, and how many names were absent.
    answers: (i64, u64),
}

fn run(arguments: &Arguments) -> Result<String, Failure> {
    let client = Client::open(arguments.redis.as_str())
        .map_err(|error| Failure::Input(format!("--redis: {error}")))?;
    let system = |error: io::Error| Failure::System(format!("temporary folder: {error}"));
    let folder = tempfile::tempdir().map_err(system)?;
    let path = folder.path().join("accounts.db");
    let rows = u64::from(arguments.rows);
    Database::open(&path)
        .and_then(|mut database| database.insert_all((0..rows).map(|index| (name(index), 100))))
        .map_err(Error::from)?;

    let filter = Store::filter(rows, arguments.fpp, &format!("{}filter:", arguments.prefix))?;
    let mut outcomes = Vec::new();
    for (guard, kind) in [
        ("no guard", Guard::Nothing),
        ("empty values cached", Guard::EmptyValues(EMPTY)),
        ("filter", filter),
    ] {
        let measured = measure(arguments, &client, &path, guard, kind);
        let keys = remove(&client, &arguments.prefix).map_err(Error::from)?;
        outcomes.push(Outcome { keys, ..measured? });
    }
    let answers = outcomes.first().map(|outcome| outcome.answers);
    if let Some(other) = outcomes.iter().find(|outcome| Some(outcome.answers) != answers) {
        return Err(Failure::System(format!("{}: other answers", other.guard)));
    }
    Ok(report(arguments, &outcomes))
}

fn measure(
    arguments: &Arguments,
    client: &Client,
    path: &Path,
    guard: &'static str,
    kind: Guard,
) -> Result<Outcome, Error> {
    let link = Link::new(client.get_connection_with_timeout(CONNECT)?);
    let prefix = format!("{}account:", arguments.prefix);
    let mut store = Store::new(kind, link, &prefix, Database::open(path)?);
    store.rebuild_filter()?;
    let before = store.round_trips();
    let names = Lookups::new(u64::from(arguments.rows), arguments.absent, arguments.seed);
    let (mut sum, mut absent) = (0, 0);
    let start = now();
    for name in names.take(arguments.lookups as usize) {
        match store.balance(&name)? {
            Some(balance) => sum += balance,
            None => absent += 1,
        }
    }
    Ok(Outcome {
        guard,
        reads: store.database_reads(),
        trips: store.round_trips() - before,
        time: start.elapsed(),
        keys: 0,
        answers: (sum, absent),
    })
}

/// Removes all keys under the prefix, and those that accompany a filter; how many there were.
fn remove(client: &Client, prefix: &str) -> RedisResult<usize> {
    let mut connection = client.get_connection_with_timeout(CONNECT)?;
    let mut removed = 0;
    let escaped: String = prefix
        .chars()
        .flat_map(|character| {
            let special = matches!(character, '*' | '?' | '[' | ']' | '\\' | '^' | '-');
            special.then_some('\\').into_iter().chain([character])
        })
        .collect();
    for pattern in [format!("{escaped}*"), format!("bloom-redis:*{{{escaped}filter:*")] {
        let mut cursor = 0_u64;
        loop {
            let (next, keys): (u64, Vec<Vec<u8>>) = cmd("SCAN")
                .arg(cursor)
                .arg("MATCH")
                .arg(&pattern)
                .arg("COUNT")
                .arg(1_000)
                .query(&mut connection)?;
            if !keys.is_empty() {
                removed += keys.len();
                cmd("UNLINK").arg(keys).exec(&mut connection)?;
            }
            cursor = next;
            if cursor == 0 {
                break;
            }
        }
    }
    Ok(removed)
}

fn report(arguments: &Arguments, outcomes: &[Outcome]) -> String {
    let absent = outcomes.first().map_or(0, |outcome| outcome.answers.1);
    let mut text = format!(
        "{} rows, {} lookups, {absent} of them of names that exist nowhere\n\n{:<20} {:>14} {:>14} {:>14} {:>10}\n",
        arguments.rows, arguments.lookups, "", "database reads", "round trips", "keys in Redis", "time, s"
    );
    for outcome in outcomes {
        text.push_str(&format!(
            "{:<20} {:>14} {:>14} {:>14} {:>10.2}\n",
            outcome.guard,
            outcome.reads,
            outcome.trips,
            outcome.keys,
            outcome.time.as_secs_f64()
        ));
    }
    text
}
