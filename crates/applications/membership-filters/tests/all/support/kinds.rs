//! The kinds of filters that the envelope holds, so that a test is written once for all of them.

use membership_filters::guava::{BloomFilter, Parameters};
use membership_filters::{
    BloomFilter as BlockedBloomFilter, CountingBloomFilter, CuckooFilter, CuckooParameters, Error, Filter,
    Generations, Hashed, Parameters as BlockedParameters, RotatingFilter,
};

type Method<B, F, T, R> = fn(&mut Filter<B, F>, &T) -> Result<R, Error>;

/// The method that a kind has and others lack.
pub(crate) enum Own<B, F> {
    Merge(Method<B, F, Filter<B, F>, ()>),
    Remove(Method<B, F, Hashed<F>, bool>),
}

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

/// Calls a generic function with the filter of each kind and its own method, and returns the results.
macro_rules! each {
    ($each:expr, $function:ident($($argument:expr),*)) => {{
        use $crate::support::kinds::Own::{Merge, Remove};
        let $crate::support::kinds::Each(bloom, blocked, counting, cuckoo, rotating) = $each;
        [
            $function(bloom, Merge(|one, other| one.merge(other)), $($argument),*),
            $function(blocked, Merge(|one, other| one.merge(other)), $($argument),*),
            $function(counting, Remove(|filter, key| filter.remove_hashed(key)), $($argument),*),
            $function(cuckoo, Remove(|filter, key| filter.remove_hashed(key)), $($argument),*),
            $function(rotating, Merge(|one, other| one.merge(other)), $($argument),*),
        ]
    }};
}
pub(crate) use each;
