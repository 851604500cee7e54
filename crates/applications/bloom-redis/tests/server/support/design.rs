//! A filter of any design, for tests that hold for all of them.

use std::time::Duration;

use bloom_redis::{Answer, Call, Expiry, FixedFilter, GrowingFilter, Options, RedisBloom, Schema, Stats};
use membership_filters::{RedisBloomFilter, RedisBloomParameters};

use super::Client;

/// A lease that no test outlives.
pub(crate) const LEASE: Duration = Duration::from_secs(60);

#[derive(Clone, Debug)]
pub(crate) enum Design {
    Fixed(FixedFilter),
    Growing(GrowingFilter),
    Loaded(RedisBloom),
}

macro_rules! each {
    ($design:expr, $filter:ident => $result:expr) => {
        match $design {
            Design::Fixed($filter) => $result,
            Design::Growing($filter) => $result,
            Design::Loaded($filter) => $result,
        }
    };
}

impl Design {
    /// Returns the fixed filter `f`.
    pub(crate) fn fixed(insertions: u64, rate: f64) -> Self {
        Self::Fixed(super::new_fixed(Schema::whole_words(insertions, rate)))
    }

    /// Returns the growing filter `g`.
    pub(crate) fn growing(insertions: u64, rate: f64) -> Self {
        Self::Growing(super::new_growing(insertions, rate))
    }

    /// Returns the filter `{bf:f}` of the server, which needs the module.
    pub(crate) fn loaded() -> Self {
        Self::Loaded(RedisBloom::new("{bf:f}"))
    }

    pub(crate) fn options(&self, options: Options) -> Self {
        match self.clone() {
            Self::Fixed(filter) => Self::Fixed(filter.options(options)),
            Self::Growing(filter) => Self::Growing(filter.options(options)),
            Self::Loaded(filter) => Self::Loaded(filter),
        }
    }

    /// Returns the same filter for a program that has not queried it.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::Loaded(_) => Self::loaded(),
            other => other.clone(),
        }
    }

    /// Returns the call that creates the filter, except for one of the server, which comes into being when it is loaded.
    pub(crate) fn create(&self) -> Option<Call<'static, bool>> {
        match self {
            Self::Fixed(filter) => Some(filter.create(Expiry::Keep)),
            Self::Growing(filter) => Some(filter.create()),
            Self::Loaded(_) => None,
        }
    }

    /// Begins the filter with these elements.
    pub(crate) fn fill(&self, client: &mut Client, elements: &[String]) {
        if let Self::Loaded(filter) = self {
            let mut local = RedisBloomFilter::new(&RedisBloomParameters::new(1_000, 1e-4)).unwrap();
            local.insert_many(elements).unwrap();
            return client.run(filter.load(&local));
        }
        assert!(self.create().is_some_and(|create| client.run(create)));
        client.run(self.insert_many(elements));
    }

    pub(crate) fn insert_many<E: AsRef<[u8]>>(&self, elements: &[E]) -> Call<'static, Vec<bool>> {
        each!(self, filter => filter.insert_many(elements))
    }

    pub(crate) fn query<E: AsRef<[u8]>>(&self, elements: &[E]) -> Call<'static, Vec<Answer>> {
        each!(self, filter => filter.contains_many(elements))
    }

    /// Returns the call that describes the filter, except for one of the server.
    pub(crate) fn stats(&self) -> Option<Call<'static, Stats>> {
        match self {
            Self::Fixed(filter) => Some(filter.stats()),
            Self::Growing(filter) => Some(filter.stats()),
            Self::Loaded(_) => None,
        }
    }
}
