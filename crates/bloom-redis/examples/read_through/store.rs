//! A guard in front of a cache in front of a database.

use std::collections::HashMap;
use std::error::Error;
use std::time::Duration;

use bloom_redis::{Answer, ErrorKind, Expiry, FixedFilter};
use membership_filters::{BloomFilter, Bytes, Parameters};
use redis::{Commands as _, Connection, ConnectionLike, RedisResult, Value};

/// A guard that keeps lookups of absent names from the database.
pub(crate) enum Guard {
    /// No guard: absent names are not cached.
    Nothing,
    /// Absent names are cached for this long.
    EmptyValues(Duration),
    /// A filter of all names is queried first.
    Filter(FixedFilter),
}

/// The longest time between two steps of a rebuild.
const LEASE: Duration = Duration::from_secs(60);
/// The time for which an account is cached.
const STAY: Duration = Duration::from_secs(600);

/// A store of account balances.
pub(crate) struct Store<'a> {
    pub(crate) guard: Guard,
    pub(crate) link: Link,
    /// The prefix of the cache's keys.
    pub(crate) prefix: String,
    pub(crate) database: &'a mut Database,
}

impl Store<'_> {
    /// Replaces the filter by one of all names in the database, filled in memory and uploaded in large chunks. Readers
    /// go on meanwhile, and no insert is lost.
    pub(crate) fn rebuild_filter(&mut self) -> Result<(), Box<dyn Error>> {
        let Guard::Filter(filter) = &self.guard else {
            return Ok(());
        };
        let rebuild = match filter.rebuild(LEASE).query(&mut self.link) {
            // Another process is rebuilding the filter, or died doing so and its lease ends soon.
            Err(error) if error.kind() == ErrorKind::RebuildUnderWay => return Ok(()),
            rebuild => rebuild?,
        };
        // Read after the rebuild began, so that a row written now is either read here or inserted into both
        // generations.
        let mut names = BloomFilter::new(Bytes, &Parameters::try_from(filter.schema())?)?;
        for name in self.database.accounts.keys() {
            names.insert(name.as_bytes());
        }
        rebuild.upload(&names).query(&mut self.link)?;
        rebuild.commit(Expiry::Keep).query(&mut self.link)?;
        Ok(())
    }

    /// Returns the balance of the account of this name, if it exists.
    pub(crate) fn balance(&mut self, name: &str) -> Result<Option<i64>, Box<dyn Error>> {
        if let Guard::Filter(filter) = &self.guard {
            match filter.might_contain(name).query(&mut self.link)? {
                Answer::Absent => return Ok(None),
                // The filter was evicted or flushed: rebuild it, and ask the database about this name.
                Answer::Missing => self.rebuild_filter()?,
                Answer::MightContain => {}
            }
        }
        let key = format!("{}{name}", self.prefix);
        let cached: Option<String> = self.link.get(&key)?;
        // Any value that is not a number means "absent".
        if let Some(text) = cached {
            return Ok(text.parse().ok());
        }
        let found = self.database.balance(name);
        let (value, stay) = match (found, &self.guard) {
            (Some(balance), _) => (balance.to_string(), STAY),
            (None, Guard::EmptyValues(stay)) => (String::new(), *stay),
            (None, _) => return Ok(None),
        };
        let () = self.link.set_ex(&key, value, stay.as_secs())?;
        Ok(found)
    }

    /// Inserts an account, or changes its balance.
    pub(crate) fn insert(&mut self, name: &str, balance: i64) -> Result<(), Box<dyn Error>> {
        // Insert into the filter before writing the row, so that no reader is told that an existing row is absent. If
        // writing the row fails, the extra name in the filter only costs a database read.
        if let Guard::Filter(filter) = &self.guard {
            filter.insert(name).query(&mut self.link)?;
        }
        self.database.accounts.insert(name.to_owned(), balance);
        // The cache may hold an older balance, or that the name is absent.
        let () = self.link.del(format!("{}{name}", self.prefix))?;
        Ok(())
    }
}

/// A stand-in for a database of accounts and balances. Counts its reads.
#[derive(Default)]
pub(crate) struct Database {
    pub(crate) accounts: HashMap<String, i64>,
    pub(crate) reads: u64,
}

impl Database {
    fn balance(&mut self, name: &str) -> Option<i64> {
        self.reads += 1;
        self.accounts.get(name).copied()
    }
}

/// A connection that counts how many times it waits for replies.
pub(crate) struct Link {
    pub(crate) connection: Connection,
    pub(crate) trips: u64,
}

impl ConnectionLike for Link {
    fn req_packed_command(&mut self, command: &[u8]) -> RedisResult<Value> {
        self.trips += 1;
        self.connection.req_packed_command(command)
    }

    fn req_packed_commands(
        &mut self,
        commands: &[u8],
        offset: usize,
        count: usize,
    ) -> RedisResult<Vec<Value>> {
        self.trips += 1;
        self.connection.req_packed_commands(commands, offset, count)
    }

    fn get_db(&self) -> i64 {
        self.connection.get_db()
    }

    fn check_connection(&mut self) -> bool {
        self.connection.check_connection()
    }

    fn is_open(&self) -> bool {
        self.connection.is_open()
    }
}
