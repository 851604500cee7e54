//! The kinds of filters that the envelope holds, so that a test is written once for all of them.

use core::fmt::Debug;

use membership_filters::envelope::Stored;
use membership_filters::guava::{BloomFilter, Parameters};
use membership_filters::{
    BloomFilter as BlockedBloomFilter, CountingBloomFilter, CuckooFilter, CuckooParameters, Error,
    Generations, Hashed, Hashing, Parameters as BlockedParameters, RotatingFilter,
};

/// A filter of any kind.
pub(crate) trait Kind: Stored<Funnel: Clone> + Clone + PartialEq {
    /// Inserts a key, and returns whether it was new.
    fn put(&mut self, hash: &Hashed<Self::Funnel>) -> Result<bool, Error>;

    fn has(&self, hash: &Hashed<Self::Funnel>) -> bool;

    /// Removes a key, and returns whether it was there; `None` if the kind removes none.
    fn take(&mut self, _: &Hashed<Self::Funnel>) -> Option<Result<bool, Error>> {
        None
    }

    /// Merges another filter into this one; `None` if the kind cannot.
    fn join(&mut self, _: &Self) -> Option<Result<(), Error>> {
        None
    }

    /// Returns the filter without its keys.
    fn emptied(self) -> Self;
}

macro_rules! kind {
    ($filter:ident $(, $more:item)?) => {
        impl<F: Hashing + Clone + PartialEq + Debug> Kind for $filter<F> {
            fn put(&mut self, hash: &Hashed<F>) -> Result<bool, Error> {
                self.insert_hashed(hash)
            }

            fn has(&self, hash: &Hashed<F>) -> bool {
                self.contains_hashed(hash)
            }

            fn emptied(mut self) -> Self {
                self.clear();
                self
            }

            $($more)?
        }
    };
}

kind!(
    BloomFilter,
    fn join(&mut self, other: &Self) -> Option<Result<(), Error>> {
        Some(self.merge(other))
    }
);
kind!(
    BlockedBloomFilter,
    fn join(&mut self, other: &Self) -> Option<Result<(), Error>> {
        Some(self.merge(other))
    }
);
kind!(
    RotatingFilter,
    fn join(&mut self, other: &Self) -> Option<Result<(), Error>> {
        Some(self.merge(other))
    }
);
kind!(
    CountingBloomFilter,
    fn take(&mut self, hash: &Hashed<F>) -> Option<Result<bool, Error>> {
        Some(self.remove_hashed(hash))
    }
);
kind!(
    CuckooFilter,
    fn take(&mut self, hash: &Hashed<F>) -> Option<Result<bool, Error>> {
        Some(self.remove_hashed(hash))
    }
);

/// A filter of each kind.
pub(crate) struct Each<F>(
    pub(crate) BloomFilter<F>,
    pub(crate) BlockedBloomFilter<F>,
    pub(crate) CountingBloomFilter<F>,
    pub(crate) CuckooFilter<F>,
    pub(crate) RotatingFilter<F>,
);

impl<F: Clone> Each<F> {
    /// Returns empty filters for so many keys at a rate of 1 %.
    pub(crate) fn new(funnel: &F, keys: u64) -> Self {
        let parameters = Parameters::new(keys, 0.01).unwrap();
        let (blocks, slots) = (
            BlockedParameters::new(keys, 0.01),
            CuckooParameters::new(keys, 0.01),
        );
        let funnel = || funnel.clone();
        Self(
            BloomFilter::new(funnel(), &parameters).unwrap(),
            BlockedBloomFilter::new(funnel(), &blocks.unwrap()).unwrap(),
            CountingBloomFilter::new(funnel(), &parameters).unwrap(),
            CuckooFilter::new(funnel(), &slots.unwrap()).unwrap(),
            RotatingFilter::new(funnel(), &Generations::new(3, keys, 0.01).unwrap()).unwrap(),
        )
    }
}

/// Calls a generic function with the filter of each kind, and returns the results.
macro_rules! each {
    ($each:expr, $function:ident($($argument:expr),*)) => {{
        let $crate::support::kinds::Each(bloom, blocked, counting, cuckoo, rotating) = $each;
        [
            $function(bloom, $($argument),*),
            $function(blocked, $($argument),*),
            $function(counting, $($argument),*),
            $function(cuckoo, $($argument),*),
            $function(rotating, $($argument),*),
        ]
    }};
}
pub(crate) use each;
