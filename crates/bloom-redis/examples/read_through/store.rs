//! Guard, cache and database, one behind the other.

use std::collections::HashMap;
use std::error::Error;
use std::time::Duration;

use bloom_redis::{Answer, Fixed};
use redis::{Commands as _, Connection, ConnectionLike, RedisResult, Value};

/// What keeps lookups of absent names from the database.
pub(crate) enum Guard {
    /// Nothing: there is nothing to cache.
    Nothing,
    /// That a name is absent is cached, too, for this long.
    EmptyValues(Duration),
    /// A filter of all names is asked first.
    Filter(Fixed),
}

/// The filter's name, under the prefix of its design.
const FILTER: &str = "accounts";
/// Names that are inserted into the filter in one call.
const AT_ONCE: usize = 1_000;
/// How long an account stays in the cache, and a rebuild may take.
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
    /// Puts a filter of all names in the database in the place of the one that there is, if any. Readers go on
    /// meanwhile, and no insert of theirs is lost.
    pub(crate) fn rebuild_filter(&mut self) -> Result<(), Box<dyn Error>> {
        let Guard::Filter(filter) = &self.guard else {
            return Ok(());
        };
        let rebuild = filter.rebuild(FILTER, STAY).query(&mut self.link)?;
        let names: Vec<&String> = self.database.accounts.keys().collect();
        for names in names.chunks(AT_ONCE) {
            rebuild.insert_many(names).query(&mut self.link)?;
        }
        rebuild.commit(None).query(&mut self.link)?;
        Ok(())
    }

    /// The balance of an account, if there is one of this name.
    pub(crate) fn balance(&mut self, name: &str) -> Result<Option<i64>, Box<dyn Error>> {
        if let Guard::Filter(filter) = &self.guard {
            // A filter that is gone (evicted, flushed) is `Missing`, not `Absent`: it says nothing of the name.
            let answer = filter.contains(FILTER, name).query(&mut self.link)?;
            if answer == Answer::Absent {
                return Ok(None);
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
            filter.insert(FILTER, name, None).query(&mut self.link)?;
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
