//! A filter of any design, for tests that hold for all of them.

use std::time::Duration;

use bloom_redis::{Answer, Call, Expiry, FixedFilter, GrowingFilter, Options, Schema, Stats};

/// A lease that no test outlives.
pub(crate) const LEASE: Duration = Duration::from_secs(60);

#[derive(Clone, Debug)]
pub(crate) enum Design {
    Fixed(FixedFilter),
    Growing(GrowingFilter),
}

macro_rules! each {
    ($design:expr, $filter:ident => $result:expr) => {
        match $design {
            Design::Fixed($filter) => $result,
            Design::Growing($filter) => $result,
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

    pub(crate) fn options(&self, options: Options) -> Self {
        match self.clone() {
            Self::Fixed(filter) => Self::Fixed(filter.options(options)),
            Self::Growing(filter) => Self::Growing(filter.options(options)),
        }
    }

    pub(crate) fn create(&self) -> Call<'static, bool> {
        match self {
            Self::Fixed(filter) => filter.create(Expiry::Keep),
            Self::Growing(filter) => filter.create(),
        }
    }

    pub(crate) fn insert_many<E: AsRef<[u8]>>(&self, elements: &[E]) -> Call<'static, Vec<bool>> {
        each!(self, filter => filter.insert_many(elements))
    }

    pub(crate) fn query<E: AsRef<[u8]>>(&self, elements: &[E]) -> Call<'static, Vec<Answer>> {
        each!(self, filter => filter.contains_many(elements))
    }

    pub(crate) fn stats(&self) -> Call<'static, Stats> {
        each!(self, filter => filter.stats())
    }
}
