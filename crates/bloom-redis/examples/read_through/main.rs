//! Compares three guards for a read-through cache by their database reads and Redis round trips.
//!
//! ```text
//! cargo run --release -p bloom-redis --example read_through -- --redis redis://127.0.0.1:6379
//! ```
//!
//! Lookups of absent names pass every cache: there is no value to cache, so each of them reaches the database. A
//! program that guesses account names does this on purpose. Here the cache is in Redis, a map in memory plays the
//! database, and the guards are none, empty values in the cache, and a filter of all names. With `--rows 1000 --lookups
//! 5000 --seed 7`:
//!
//! ```text
//! 1000 rows, 5000 lookups, 4474 of them of names that exist nowhere
//!
//!                      database reads    round trips  keys in Redis
//! no guard                       4797           5323            324
//! empty values cached            4797           9797           4798
//! filter                          370           5896            326
//! ```
//!
//! All three find the same accounts, and every number depends only on the arguments.
//!
//! - No guard: every absent name is read from the database.
//! - Empty values: an absent name is read once, and costs a write and a key in the cache. This helps if the same absent
//!   names recur. Here they hardly do: the database is read as often, and the cache fills with names that do not exist.
//! - The filter: one more round trip for each lookup that it lets through, and one instead of the cache's for each that
//!   it stops. The database is read once for each account, and for one absent name in a hundred. A deleted row costs as
//!   much until a rebuild.
//!
//! `store.rs` is the part to copy. All keys in Redis are under `--prefix` and are removed at the end. Exit codes: 0
//! done; 2 an argument is wrong; 1 the server cannot be reached or fails.

mod store;

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use bloom_redis::{FixedFilter, Schema};
use clap::Parser;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};
use redis::{Client, Commands as _};
use store::{Database, Guard, Link, Store};

/// Count the database reads and Redis round trips of a read-through cache with three guards.
#[derive(Parser)]
struct Arguments {
    /// The server that holds cache and filter
    #[arg(long, value_name = "URL", value_parser = |url: &str| Client::open(url))]
    redis: Client,

    /// Prefix of all keys on the server
    #[arg(long, value_name = "PREFIX", default_value = "read-through:")]
    prefix: String,

    /// Accounts in the table
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    rows: u32,

    /// Names to look up
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    lookups: u32,

    /// Seed of the random names
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// The share of the looked-up names that exist nowhere.
const ABSENT: f64 = 0.9;
/// The share of absent names that the filter may let through.
const FPP: f64 = 0.01;
/// The time for which an absent name is cached: short, because every absent name takes memory that long.
const EMPTY: Duration = Duration::from_secs(60);
/// The time-out for connecting.
const CONNECT: Duration = Duration::from_secs(5);
/// An account that is created before the lookups.
const NEWCOMER: &str = "newcomer";

fn main() -> ExitCode {
    if let Err(error) = run(&Arguments::parse()) {
        eprintln!("error: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let rows = u64::from(arguments.rows);
    let filter = FixedFilter::new("accounts", Schema::whole_words(rows + 1, FPP)?)?
        .with_prefix(format!("{}filter:", arguments.prefix));
    let mut table = String::new();
    let mut answers = None;
    for (name, guard) in [
        ("no guard", Guard::Nothing),
        ("empty values cached", Guard::EmptyValues(EMPTY)),
        ("filter", Guard::Filter(filter)),
    ] {
        let mut database = Database::default();
        database
            .accounts
            .extend((0..rows).map(|index| (account(index), 100)));
        let mut store = Store {
            guard,
            link: Link {
                connection: arguments.redis.get_connection_with_timeout(CONNECT)?,
                trips: 0,
            },
            prefix: format!("{}account:", arguments.prefix),
            database: &mut database,
        };
        let measured = measure(arguments, &mut store);
        let (reads, trips) = (store.database.reads, store.link.trips);
        let keys = remove(arguments)?;
        let found = measured?;
        if *answers.get_or_insert(found) != found {
            return Err(format!("{name}: other answers").into());
        }
        table.push_str(&format!("{name:<20} {reads:>14} {trips:>14} {keys:>14}\n"));
    }
    let (_, absent) = answers.unwrap_or_default();
    println!(
        "{rows} rows, {} lookups, {absent} of them of names that exist nowhere\n",
        arguments.lookups
    );
    println!(
        "{:<20} {:>14} {:>14} {:>14}",
        "", "database reads", "round trips", "keys in Redis"
    );
    print!("{table}");
    Ok(())
}

/// Returns the sum of all balances found and the number of absent names. The store's counts then cover only the
/// lookups.
fn measure(arguments: &Arguments, store: &mut Store<'_>) -> Result<(i64, u64), Box<dyn Error>> {
    store.rebuild_filter()?;
    // A name that was just absent may be cached as absent.
    let before = store.balance(NEWCOMER)?;
    store.insert(NEWCOMER, 100)?;
    if (before, store.balance(NEWCOMER)?) != (None, Some(100)) {
        return Err(format!("{NEWCOMER} is not found, or was before").into());
    }
    (store.database.reads, store.link.trips) = (0, 0);
    let (mut sum, mut absent) = (0, 0);
    for name in names(arguments).take(arguments.lookups as usize) {
        match store.balance(&name)? {
            Some(balance) => sum += balance,
            None => absent += 1,
        }
    }
    Ok((sum, absent))
}

fn account(index: u64) -> String {
    format!("user-{index:012}")
}

/// Returns endless names to look up.
fn names(arguments: &Arguments) -> impl Iterator<Item = String> {
    /// The bound of all account numbers, existing and absent.
    const NAMES: u64 = 1_000_000_000_000;
    let rows = u64::from(arguments.rows);
    // Without accounts, all names are absent.
    let absent = if rows == 0 { 1.0 } else { ABSENT };
    let mut random = SplitMix64::seed_from_u64(arguments.seed);
    std::iter::repeat_with(move || {
        // 53 bits, the precision of a double.
        let share = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let mut below = |bound: u64| ((u128::from(random.next_u64()) * u128::from(bound)) >> 64) as u64;
        account(if share < absent {
            // Absent names hardly ever recur, so caching them does not help.
            rows + below(NAMES - rows)
        } else {
            // Some accounts are looked up more often than others.
            (0..4).map(|_| below(rows)).min().unwrap_or_default()
        })
    })
}

/// Removes all keys under the prefix and the filter's companion keys. Returns the number of keys.
fn remove(arguments: &Arguments) -> Result<usize, Box<dyn Error>> {
    let mut connection = arguments.redis.get_connection_with_timeout(CONNECT)?;
    let escaped: String = (arguments.prefix.chars())
        .flat_map(|character| {
            let special = matches!(character, '*' | '?' | '[' | ']' | '\\' | '^' | '-');
            special.then_some('\\').into_iter().chain([character])
        })
        .collect();
    let mut removed = 0;
    for pattern in [format!("{escaped}*"), format!("bloom-redis:*{{{escaped}filter:*")] {
        let keys: Vec<Vec<u8>> = connection.scan_match(&pattern)?.collect::<Result<_, _>>()?;
        removed += keys.len();
        for keys in keys.chunks(1_000) {
            let () = connection.unlink(keys)?;
        }
    }
    Ok(removed)
}
