//! A read-through cache before a database, with a filter of all names.
//!
//! ```text
//! cargo run --release -p bloom-redis --example read_through -- redis://127.0.0.1:6379
//! ```
//!
//! Lookups of absent names pass every cache: there is no value to cache, so each of them reaches the database. A
//! program that guesses account names does this on purpose. Caching empty values hardly helps, because the names hardly
//! recur, and fills the cache. Here the cache is in Redis, and a map in memory plays the database:
//!
//! ```text
//! 4001 lookups: 37 database reads
//! ```
//!
//! `Store` is the part to copy.

use std::collections::HashMap;
use std::error::Error as StdError;
use std::time::Duration;

use bloom_redis::{Answer, Error, Expiry, FixedFilter, Schema};
use membership_filters::Bytes;
use membership_filters::guava::{BloomFilter, Parameters};
use redis::{Client, Commands as _, Connection};

/// The longest time between two steps of a rebuild.
const LEASE: Duration = Duration::from_secs(60);
/// The time in seconds for which an account is cached.
const STAY: u64 = 600;

/// A store of account balances: a filter of all names before a cache before a database.
struct Store {
    filter: FixedFilter,
    connection: Connection,
    database: Database,
}

impl Store {
    /// Replaces the filter by one of all names in the database, filled in memory and uploaded in large chunks. Readers
    /// go on meanwhile, and no insert is lost.
    fn rebuild_filter(&mut self) -> Result<(), Box<dyn StdError>> {
        let rebuild = match self.filter.rebuild(LEASE).query(&mut self.connection) {
            // Another process is rebuilding the filter, or died doing so and its lease ends soon.
            Err(Error::RebuildUnderWay { .. }) => return Ok(()),
            rebuild => rebuild?,
        };
        // Read after the rebuild began, so that a row written now is either read here or inserted into both
        // generations.
        let mut names = BloomFilter::new(Bytes, &Parameters::try_from(self.filter.schema())?)?;
        for name in self.database.accounts.keys() {
            names.insert(name.as_bytes());
        }
        rebuild.upload(&names).query(&mut self.connection)?;
        rebuild.commit(Expiry::Keep).query(&mut self.connection)?;
        Ok(())
    }

    /// Returns the balance of the account of this name, if it exists.
    fn balance(&mut self, name: &str) -> Result<Option<i64>, Box<dyn StdError>> {
        match self.filter.contains(name).query(&mut self.connection)? {
            Answer::Absent => return Ok(None),
            // The filter was evicted or flushed: rebuild it, and query the database for this name.
            Answer::Missing => self.rebuild_filter()?,
            Answer::Maybe => {}
        }
        let cached: Option<i64> = self.connection.get(cache_key(name))?;
        if cached.is_some() {
            return Ok(cached);
        }
        let found = self.database.balance(name);
        if let Some(balance) = found {
            let () = self.connection.set_ex(cache_key(name), balance, STAY)?;
        }
        Ok(found)
    }

    /// Inserts an account, or changes its balance.
    fn insert(&mut self, name: &str, balance: i64) -> Result<(), Box<dyn StdError>> {
        // Insert into the filter before writing the row, so that no reader gets the answer that an existing row is
        // absent. If writing the row fails, the extra name in the filter only costs a database read.
        self.filter.insert(name).query(&mut self.connection)?;
        self.database.accounts.insert(name.to_owned(), balance);
        // The cache may contain an older balance.
        let () = self.connection.del(cache_key(name))?;
        Ok(())
    }
}

fn cache_key(name: &str) -> String {
    format!("read-through:account:{name}")
}

/// A stand-in for a database of accounts and balances. Counts its reads.
#[derive(Default)]
struct Database {
    accounts: HashMap<String, i64>,
    reads: u64,
}

impl Database {
    fn balance(&mut self, name: &str) -> Option<i64> {
        self.reads += 1;
        self.accounts.get(name).copied()
    }
}

fn main() -> Result<(), Box<dyn StdError>> {
    let url = std::env::args().nth(1).ok_or("the argument must be a URL")?;
    println!("{}", run(&url)?);
    Ok(())
}

/// Looks up names that nearly all are absent. Returns the line to print.
pub(crate) fn run(url: &str) -> Result<String, Box<dyn StdError>> {
    let schema = Schema::whole_words(1_001, 0.01)?;
    let mut store = Store {
        filter: FixedFilter::new("accounts", schema)?.prefix("read-through:"),
        connection: Client::open(url)?.get_connection()?,
        database: Database::default(),
    };
    store.database.accounts = (0..1_000).map(|id| (format!("user-{id}"), 100)).collect();
    store.rebuild_filter()?;
    store.insert("newcomer", 100)?;
    assert_eq!(store.balance("newcomer")?, Some(100));
    for id in 0..4_000 {
        assert_eq!(store.balance(&format!("guest-{id}"))?, None);
    }
    let () = store.connection.del(cache_key("newcomer"))?;
    store.filter.delete().query(&mut store.connection)?;
    Ok(format!("4001 lookups: {} database reads", store.database.reads))
}
