//! Guard, cache and database, one behind the other.

use std::collections::HashMap;
use std::error::Error;
use std::time::Duration;

use bloom_redis::{Answer, ErrorKind, Expiry, FixedFilter};
use guava_bloom::{BloomFilter, Bytes, Parameters};
use redis::{Commands as _, Connection, ConnectionLike, RedisResult, Value};

/// What keeps lookups of absent names from the database.
pub(crate) enum Guard {
    /// Nothing: there is nothing to cache.
    Nothing,
    /// That a name is absent is cached, too, for this long.
    EmptyValues(Duration),
    /// A filter of all names is asked first.
    Filter(FixedFilter),
}

/// How long a rebuild may take between two of its steps.
const LEASE: Duration = Duration::from_secs(60);
/// How long an account stays in the cache.
const STAY: Duration = Duration::from_secs(600);

/// Balances of accounts.
pub(crate) struct Store<'a> {
    pub(crate) guard: Guard,
    pub(crate) link: Link,
    /// What keys of the cache begin with.
    pub(crate) prefix: String,
    pub(crate) database: &'a mut Database,
}

impl Store<'_> {
    /// Puts a filter of all names in the database in the place of the one that there is, if any: filled in memory, and sent in
    /// a few large pieces. Readers go on meanwhile, and no insert of theirs is lost.
    pub(crate) fn rebuild_filter(&mut self) -> Result<(), Box<dyn Error>> {
        let Guard::Filter(filter) = &self.guard else {
            return Ok(());
        };
        let rebuild = match filter.rebuild(LEASE).query(&mut self.link) {
            // Another process does it; or one has died, whose lease ends soon.
            Err(error) if error.kind() == ErrorKind::RebuildUnderWay => return Ok(()),
            rebuild => rebuild?,
        };
        // After the rebuild began, so that a row that is written now is either read here or inserted into both.
        let mut names = BloomFilter::new(Bytes, &Parameters::try_from(filter.schema())?)?;
        for name in self.database.accounts.keys() {
            names.insert(name.as_bytes());
        }
        rebuild.upload(&names).query(&mut self.link)?;
        rebuild.commit(Expiry::Keep).query(&mut self.link)?;
        Ok(())
    }

    /// The balance of an account, if there is one of this name.
    pub(crate) fn balance(&mut self, name: &str) -> Result<Option<i64>, Box<dyn Error>> {
        if let Guard::Filter(filter) = &self.guard {
            match filter.might_contain(name).query(&mut self.link)? {
                Answer::Absent => return Ok(None),
                // It is gone (evicted, flushed) and says nothing of the name: build it anew, and ask the database.
                Answer::Missing => self.rebuild_filter()?,
                Answer::MightContain => {}
            }
        }
        let key = format!("{}{name}", self.prefix);
        let cached: Option<String> = self.link.get(&key)?;
        // Anything that is no number stands for "absent".
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
        // First, so that no reader is told that a row which is there is not. If writing the row fails, the filter has
        // a name too many, which costs a look into the database and nothing else.
        if let Guard::Filter(filter) = &self.guard {
            filter.insert(name).query(&mut self.link)?;
        }
        self.database.accounts.insert(name.to_owned(), balance);
        // An older balance may be cached, or that the name is absent.
        let () = self.link.del(format!("{}{name}", self.prefix))?;
        Ok(())
    }
}

/// Stands for a database: accounts with their balances. Counts how often it is asked.
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
