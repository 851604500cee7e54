//! A filter of any design, for tests that hold for all of them.

use std::time::Duration;

use bloom_redis::{
    Answer, Call, Error, Expiry, FixedFilter, GrowingFilter, GrowingRebuild, Options, Rebuild, Schema,
    SplitFilter, Statistics,
};
use guava_bloom::{BloomFilter, Bytes};

use super::Client;

/// A lease that no test outlives.
pub(crate) const LEASE: Duration = Duration::from_secs(60);

/// Executes operations.
pub(crate) trait Run {
    fn try_run<T: Send>(&mut self, call: Call<'_, T>) -> Result<T, Error>;
}

impl Run for redis::Connection {
    fn try_run<T: Send>(&mut self, call: Call<'_, T>) -> Result<T, Error> {
        call.query(self)
    }
}

impl Run for Client {
    fn try_run<T: Send>(&mut self, call: Call<'_, T>) -> Result<T, Error> {
        Self::try_run(self, call)
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Design {
    Fixed(FixedFilter),
    Split(SplitFilter),
    Growing(GrowingFilter),
}

macro_rules! each {
    ($design:expr, $filter:ident => $result:expr) => {
        match $design {
            Design::Fixed($filter) => $result,
            Design::Split($filter) => $result,
            Design::Growing($filter) => $result,
        }
    };
}

macro_rules! stored {
    ($design:expr, $filter:ident => $result:expr) => {
        match $design {
            Design::Fixed($filter) => $result,
            Design::Split($filter) => $result,
            Design::Growing(_) => panic!("growing filters have no such operation"),
        }
    };
}

impl Design {
    /// Returns the fixed filter `f`.
    pub(crate) fn fixed(insertions: u64, rate: f64) -> Self {
        Self::Fixed(super::new_fixed(Schema::whole_words(insertions, rate)))
    }

    /// Returns the split filter `s`.
    pub(crate) fn split(insertions: u64, rate: f64, part_bits: u64) -> Self {
        Self::Split(super::new_split(insertions, rate, part_bits))
    }

    /// Returns the growing filter `g`.
    pub(crate) fn growing(insertions: u64, rate: f64) -> Self {
        Self::Growing(super::new_growing(insertions, rate))
    }

    pub(crate) fn with_options(&self, options: Options) -> Self {
        match self.clone() {
            Self::Fixed(filter) => Self::Fixed(filter.with_options(options)),
            Self::Split(filter) => Self::Split(filter.with_options(options)),
            Self::Growing(filter) => Self::Growing(filter.with_options(options)),
        }
    }

    pub(crate) fn create(&self) -> Call<'static, bool> {
        match self {
            Self::Fixed(filter) => filter.create(Expiry::Keep),
            Self::Split(filter) => filter.create(Expiry::Keep),
            Self::Growing(filter) => filter.create(),
        }
    }

    pub(crate) fn insert_many<E: AsRef<[u8]>>(&self, elements: &[E]) -> Call<'static, Vec<bool>> {
        each!(self, filter => filter.insert_many(elements))
    }

    pub(crate) fn ask<E: AsRef<[u8]>>(&self, elements: &[E]) -> Call<'static, Vec<Answer>> {
        each!(self, filter => filter.might_contain_many(elements))
    }

    pub(crate) fn delete(&self) -> Call<'static, bool> {
        stored!(self, filter => filter.delete())
    }

    pub(crate) fn upload<'a>(&self, local: &'a BloomFilter<Bytes>) -> Call<'a, ()> {
        stored!(self, filter => filter.upload(local, Expiry::Never))
    }

    pub(crate) fn download(&self) -> Call<'static, BloomFilter<Bytes>> {
        stored!(self, filter => filter.download(Bytes))
    }

    pub(crate) fn rebuild(&self, by: &mut impl Run) -> Result<Rebuilding, Error> {
        match self {
            Self::Fixed(filter) => by.try_run(filter.rebuild(LEASE)).map(Rebuilding::Stored),
            Self::Split(filter) => by.try_run(filter.rebuild(LEASE)).map(Rebuilding::Stored),
            Self::Growing(filter) => by.try_run(filter.rebuild(LEASE)).map(Rebuilding::Growing),
        }
    }

    pub(crate) fn abandon_rebuild(&self) -> Call<'static, bool> {
        each!(self, filter => filter.abandon_rebuild())
    }

    pub(crate) fn statistics(&self) -> Call<'static, Statistics> {
        each!(self, filter => filter.statistics())
    }
}

/// A rebuild of a filter of any design.
#[derive(Clone)]
pub(crate) enum Rebuilding {
    Stored(Rebuild),
    Growing(GrowingRebuild),
}

impl Rebuilding {
    pub(crate) fn insert_many<E: AsRef<[u8]>>(&self, elements: &[E]) -> Call<'static, Vec<bool>> {
        match self {
            Self::Stored(rebuild) => rebuild.insert_many(elements),
            Self::Growing(rebuild) => rebuild.insert_many(elements),
        }
    }

    /// Commits the rebuild. Whoever commits it again gets an error.
    pub(crate) fn commit(&self) -> Call<'static, ()> {
        match self.clone() {
            Self::Stored(rebuild) => rebuild.commit(Expiry::Keep),
            Self::Growing(rebuild) => rebuild.commit(),
        }
    }

    pub(crate) fn abandon(&self) -> Call<'static, ()> {
        match self.clone() {
            Self::Stored(rebuild) => rebuild.abandon(),
            Self::Growing(rebuild) => rebuild.abandon(),
        }
    }
}
