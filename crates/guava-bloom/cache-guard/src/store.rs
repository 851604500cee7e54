//! Cache, filter and database, one behind the other.

use std::fmt;
use std::num::NonZeroUsize;

use guava_bloom::{BloomFilter, ParameterError, Parameters, Utf8};
use lru::LruCache;

use crate::Database;

/// Why a store cannot go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// No filter has such parameters.
    Filter(ParameterError),
    /// The database failed.
    Database(rusqlite::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filter(error) => write!(f, "filter: {error}"),
            Self::Database(error) => write!(f, "database: {error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Filter(error) => Some(error),
            Self::Database(error) => Some(error),
        }
    }
}

impl From<ParameterError> for Error {
    fn from(error: ParameterError) -> Self {
        Self::Filter(error)
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

/// Where lookups ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Found in the cache.
    pub in_cache: u64,
    /// Found in the database.
    pub in_database: u64,
    /// Absent, and the database was asked to know it.
    pub absent_asked: u64,
    /// Absent, as the filter knew.
    pub absent_stopped: u64,
}

/// Balances of accounts: a cache in front, the database behind it, and between them a filter of all names.
#[derive(Debug)]
pub struct Store {
    cache: LruCache<String, i64>,
    /// Most accounts in the cache.
    most_cached: NonZeroUsize,
    filter: Option<BloomFilter<Utf8>>,
    database: Database,
    counts: Counts,
}

impl Store {
    /// A store without a filter, with a cache of at most this many accounts.
    pub fn unguarded(database: Database, cache: NonZeroUsize) -> Self {
        Self {
            // Grows as accounts come: a limit, however high, is no promise that they will.
            cache: LruCache::unbounded(),
            most_cached: cache,
            filter: None,
            database,
            counts: Counts::default(),
        }
    }

    /// A store with a filter of all names that are in the database, which lets absent names through at the rate `fpp`,
    /// between 0 and 1.
    ///
    /// # Errors
    ///
    /// [`Error::Filter`] for a rate that no filter has, [`Error::Database`] when the names cannot be read.
    pub fn guarded(database: Database, cache: NonZeroUsize, fpp: f64) -> Result<Self, Error> {
        let mut filter = BloomFilter::new(Utf8, &Parameters::new(database.accounts()?, fpp)?)?;
        database.names(|name| {
            filter.put(name);
        })?;
        Ok(Self {
            filter: Some(filter),
            ..Self::unguarded(database, cache)
        })
    }

    /// The balance of an account, if there is one of this name.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub fn balance(&mut self, name: &str) -> Result<Option<i64>, Error> {
        if let Some(&balance) = self.cache.get(name) {
            self.counts.in_cache += 1;
            return Ok(Some(balance));
        }
        if let Some(filter) = &self.filter
            && !filter.might_contain(name)
        {
            self.counts.absent_stopped += 1;
            return Ok(None);
        }
        let found = self.database.balance(name)?;
        match found {
            Some(balance) => {
                self.counts.in_database += 1;
                self.cache.put(name.to_owned(), balance);
                if self.cache.len() > self.most_cached.get() {
                    self.cache.pop_lru();
                }
            }
            None => self.counts.absent_asked += 1,
        }
        Ok(found)
    }

    /// Inserts an account.
    ///
    /// # Errors
    ///
    /// [`Error::Database`], also for a name that is there already.
    pub fn insert(&mut self, name: &str, balance: i64) -> Result<(), Error> {
        // First, so that no reader is told that a row which is there is not.
        if let Some(filter) = &mut self.filter {
            filter.put(name);
        }
        Ok(self.database.insert_all([(name.to_owned(), balance)])?)
    }

    /// Where lookups ended until now.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The filter, if there is one.
    pub fn filter(&self) -> Option<&BloomFilter<Utf8>> {
        self.filter.as_ref()
    }
}
