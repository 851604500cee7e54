//! Filter, cache and database, one behind the other.

use core::fmt;
use core::time::Duration;

use bloom_redis::redis::{self, cmd};
use bloom_redis::{Answer, Fixed, Schema, SchemaError};

use crate::{Database, Link};

/// Why a store cannot go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// No filter has such parameters.
    Schema(SchemaError),
    /// The filter failed.
    Filter(bloom_redis::Error),
    /// The cache failed.
    Cache(redis::RedisError),
    /// The database failed.
    Database(rusqlite::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schema(error) => write!(f, "filter: {error}"),
            Self::Filter(error) => write!(f, "filter: {error}"),
            Self::Cache(error) => write!(f, "cache: {error}"),
            Self::Database(error) => write!(f, "database: {error}"),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Schema(error) => Some(error),
            Self::Filter(error) => Some(error),
            Self::Cache(error) => Some(error),
            Self::Database(error) => Some(error),
        }
    }
}

impl From<SchemaError> for Error {
    fn from(error: SchemaError) -> Self {
        Self::Schema(error)
    }
}

impl From<bloom_redis::Error> for Error {
    fn from(error: bloom_redis::Error) -> Self {
        Self::Filter(error)
    }
}

impl From<redis::RedisError> for Error {
    fn from(error: redis::RedisError) -> Self {
        Self::Cache(error)
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

/// What keeps lookups of absent names from the database.
#[derive(Debug, Clone, PartialEq)]
pub enum Guard {
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
/// How long an account stays in the cache.
const STAY: Duration = Duration::from_secs(600);

/// Balances of accounts: a guard in front, a cache in Redis behind it, a database at the end.
#[derive(Debug)]
pub struct Store {
    guard: Guard,
    link: Link,
    /// What keys of the cache begin with.
    prefix: String,
    database: Database,
}

impl Store {
    /// A store whose cache has keys that begin with the prefix.
    pub fn new(guard: Guard, link: Link, prefix: &str, database: Database) -> Self {
        Self {
            guard,
            link,
            prefix: prefix.to_owned(),
            database,
        }
    }

    /// The guard that is a filter for so many names and no fewer than one, at the rate `fpp`, between 0 and 1.
    ///
    /// # Errors
    ///
    /// [`Error::Schema`] for a rate that no filter has, and for more names than one bitmap holds.
    pub fn filter(names: u64, fpp: f64, prefix: &str) -> Result<Guard, Error> {
        let schema = Schema::fixed(names.max(1), fpp)?;
        Ok(Guard::Filter(Fixed::new(schema).with_prefix(prefix)))
    }

    /// Puts a filter of all names that are in the database in the place of the one that there is, if any. Readers go on
    /// meanwhile, and no insert of theirs is lost.
    ///
    /// # Errors
    ///
    /// Those of the filter and of the database.
    pub fn rebuild_filter(&mut self) -> Result<(), Error> {
        let Guard::Filter(filter) = &self.guard else {
            return Ok(());
        };
        let link = &mut self.link;
        let rebuild = filter.rebuild(FILTER, STAY).query(link)?;
        let mut names = Vec::with_capacity(AT_ONCE);
        self.database.names(|name| {
            names.push(name.to_owned());
            if names.len() == AT_ONCE {
                rebuild.insert_many(names.drain(..)).query(link)?;
            }
            Ok::<(), Error>(())
        })?;
        rebuild.insert_many(names).query(link)?;
        rebuild.commit(None).query(link)?;
        Ok(())
    }

    /// The balance of an account, if there is one of this name.
    ///
    /// # Errors
    ///
    /// Those of filter, cache and database.
    pub fn balance(&mut self, name: &str) -> Result<Option<i64>, Error> {
        if let Guard::Filter(filter) = &self.guard {
            // A filter that is not there says nothing of the name.
            let answer = filter.contains(FILTER, name).query(&mut self.link)?;
            if answer == Answer::Absent {
                return Ok(None);
            }
        }
        let key = format!("{}{name}", self.prefix);
        let cached: Option<String> = cmd("GET").arg(&key).query(&mut self.link)?;
        // Anything that is no number stands for "absent".
        if let Some(text) = cached {
            return Ok(text.parse().ok());
        }
        let found = self.database.balance(name)?;
        let (value, stay) = match (found, &self.guard) {
            (Some(balance), _) => (balance.to_string(), STAY),
            (None, Guard::EmptyValues(stay)) => (String::new(), *stay),
            (None, _) => return Ok(None),
        };
        let millis = u64::try_from(stay.as_millis()).unwrap_or(u64::MAX);
        cmd("SET")
            .arg(&key)
            .arg(value)
            .arg("PX")
            .arg(millis)
            .exec(&mut self.link)?;
        Ok(found)
    }

    /// Inserts an account.
    ///
    /// # Errors
    ///
    /// Those of filter, cache and database, also for a name that is there already.
    pub fn insert(&mut self, name: &str, balance: i64) -> Result<(), Error> {
        // First, so that no reader is told that a row which is there is not.
        if let Guard::Filter(filter) = &self.guard {
            filter.insert(FILTER, name, None).query(&mut self.link)?;
        }
        self.database.insert_all([(name.to_owned(), balance)])?;
        // That the name is absent may be cached.
        cmd("DEL")
            .arg(format!("{}{name}", self.prefix))
            .exec(&mut self.link)?;
        Ok(())
    }

    /// Balances that the database was asked for.
    pub const fn database_reads(&self) -> u64 {
        self.database.reads()
    }

    /// Round trips to Redis.
    pub const fn round_trips(&self) -> u64 {
        self.link.trips()
    }
}
