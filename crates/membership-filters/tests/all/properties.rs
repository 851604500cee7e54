//! Compares the filters with an exact multiset.

use std::collections::HashMap;

use membership_filters::{
    BlockedBloomFilter, BlockedParameters, CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters,
    Error, ErrorKind, GrowingBloomFilter, GrowingParameters, GrowthRule,
};
use membership_filters::{BloomFilter, Bytes, Hashed, Parameters};
use proptest::prelude::*;

/// Any kind of filter.
trait Filter: Clone + PartialEq {
    /// Inserts an element, and returns whether it was new, if the kind tells.
    fn put(&mut self, hash: Hashed<Bytes>) -> Result<Option<bool>, Error>;
    /// Removes an element, and returns whether it was there, if the kind removes elements.
    fn take(&mut self, hash: Hashed<Bytes>) -> Option<bool>;
    fn has(&self, hash: Hashed<Bytes>) -> bool;
    fn stored_and_read(&self) -> Self;
    fn emptied(self) -> Self;
}

macro_rules! filter {
    ($kind:ty, |$filter:ident, $hash:ident| $put:expr, $take:expr) => {
        impl Filter for $kind {
            fn put(&mut self, $hash: Hashed<Bytes>) -> Result<Option<bool>, Error> {
                let $filter = self;
                $put
            }

            fn take(&mut self, hash: Hashed<Bytes>) -> Option<bool> {
                let take: fn(&mut Self, Hashed<Bytes>) -> Option<bool> = $take;
                take(self, hash)
            }

            fn has(&self, hash: Hashed<Bytes>) -> bool {
                self.might_contain_hash(&hash)
            }

            fn stored_and_read(&self) -> Self {
                Self::from_bytes(&self.to_bytes(), Bytes).unwrap()
            }

            fn emptied(mut self) -> Self {
                self.clear();
                self
            }
        }
    };
}

filter!(
    BlockedBloomFilter<Bytes>,
    |filter, hash| {
        filter.insert_hash(&hash)?;
        Ok(None)
    },
    |_, _| None
);
filter!(
    CountingBloomFilter<Bytes>,
    |filter, hash| filter.insert_hash(&hash).map(Some),
    |filter, hash| Some(filter.remove_hash(&hash).unwrap())
);
filter!(
    CuckooFilter<Bytes>,
    |filter, hash| filter.insert_hash(&hash).map(|()| None),
    |filter, hash| Some(filter.remove_hash(&hash).unwrap())
);
filter!(
    GrowingBloomFilter<Bytes>,
    |filter, hash| filter.insert_hash(&hash).map(Some),
    |_, _| None
);

fn hash(item: i32) -> Hashed<Bytes> {
    Hashed::new(Bytes, &item.to_le_bytes())
}

/// The number of copies of each element.
type Multiset = HashMap<i32, u64>;

fn present(copies: &Multiset) -> impl Iterator<Item = Hashed<Bytes>> {
    copies
        .iter()
        .filter(|&(_, &copies)| copies > 0)
        .map(|(&item, _)| hash(item))
}

/// Inserts an element at each step with `true`, and removes it at each other step. Elements that are there are found at
/// any time, refused steps change nothing, and a filter that was stored and read goes on as this one. Returns the
/// elements, and how many were new as the filter tells.
fn check<F: Filter>(filter: &mut F, steps: &[(bool, i32)]) -> Result<(Multiset, u64), TestCaseError> {
    let (mut naive, mut new, empty) = (Multiset::new(), 0, filter.clone());
    for &(inserts, item) in steps {
        let (before, copies) = (filter.clone(), naive.entry(item).or_default());
        if inserts {
            match filter.put(hash(item)) {
                Ok(told) => {
                    *copies += 1;
                    prop_assert!(told.is_none_or(|new| new != before.has(hash(item))));
                    new += u64::from(told == Some(true));
                }
                Err(error) => {
                    prop_assert!(matches!(error.kind(), ErrorKind::Full | ErrorKind::TooManyCopies));
                    prop_assert!(*filter == before);
                }
            }
        } else if *copies > 0 || !filter.has(hash(item)) {
            // Nobody may remove an element that is not there and looks present.
            let removed = filter.take(hash(item));
            prop_assert!(removed.is_none_or(|removed| removed == (*copies > 0)));
            *copies -= u64::from(removed == Some(true));
            prop_assert!(removed == Some(true) || *filter == before);
        }
        prop_assert!(present(&naive).all(|hash| filter.has(hash)));
    }
    let mut again = filter.stored_and_read();
    prop_assert!(again == *filter);
    let mut further = filter.clone();
    for item in 0..50 {
        prop_assert_eq!(again.put(hash(item)), further.put(hash(item)));
    }
    prop_assert!(again == further);
    prop_assert!(again.emptied() == empty);
    Ok((naive, new))
}

/// Steps with few elements, so that copies and removals meet.
fn steps() -> impl Strategy<Value = Vec<(bool, i32)>> {
    prop::collection::vec((any::<bool>(), 0..40_i32), 0..200)
}

/// Steps that only insert.
fn inserts() -> impl Strategy<Value = Vec<(bool, i32)>> {
    prop::collection::vec((Just(true), any::<i32>()), 0..300)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_blocked_filter_never_misses_an_element(
        steps in inserts(),
        parts in prop::collection::vec(any::<bool>(), 300),
        blocks in 1_u32..60,
    ) {
        let empty = BlockedBloomFilter::new(Bytes, &BlockedParameters::with_blocks(blocks).unwrap()).unwrap();
        let [mut filter, mut one, mut other, mut together] = [0; 4].map(|_| empty.clone());
        check(&mut filter, &steps)?;
        let hashes: Vec<Hashed<Bytes>> = steps.iter().map(|&(_, item)| hash(item)).collect();
        for (&hash, part) in hashes.iter().zip(parts) {
            if part { &mut one } else { &mut other }.insert_hash(&hash).unwrap();
        }
        one.merge(&other).unwrap();
        together.insert_hashes(&hashes).unwrap();
        prop_assert!(one == filter && together == filter);
        let asked: Vec<Hashed<Bytes>> = (0..600).map(hash).chain(hashes).collect();
        let singly: Vec<bool> = asked.iter().map(|hash| filter.might_contain_hash(hash)).collect();
        prop_assert_eq!(filter.might_contain_hashes(&asked), singly);
    }

    #[test]
    fn a_counting_filter_never_misses_an_element(
        steps in steps(),
        bits in 2_u8..=16,
        (insertions, fpp) in (0_u64..60, 0.001..0.9),
        strategy in prop_oneof![
            Just(membership_filters::Strategy::Murmur128Mitz32),
            Just(membership_filters::Strategy::Murmur128Mitz64),
        ],
    ) {
        let parameters = Parameters::new(insertions, fpp);
        prop_assume!(parameters.is_ok());
        let parameters = parameters.unwrap().with_strategy(strategy);
        let mut filter =
            CountingBloomFilter::new(Bytes, &parameters, CounterWidth::new(bits).unwrap()).unwrap();
        let [mut one, mut other, mut both] = [0; 3].map(|_| filter.clone());
        for &(part, item) in &steps {
            both.insert_hash(&hash(item)).unwrap();
            if part { &mut one } else { &mut other }.insert_hash(&hash(item)).unwrap();
        }
        one.merge(&other).unwrap();
        prop_assert!(one == both);
        let (naive, _) = check(&mut filter, &steps)?;
        prop_assert_eq!(filter.len(), naive.values().sum::<u64>());
        // Bit for bit the filter of the remaining elements, except for stuck counters.
        let mut plain = BloomFilter::new(Bytes, &parameters).unwrap();
        present(&naive).for_each(|hash| _ = plain.insert_hash(&hash));
        let (converted, stats) = (filter.to_bloom_filter().unwrap(), filter.stats());
        if stats.stuck_counters == 0 {
            prop_assert!(converted == plain);
            prop_assert_eq!(filter.estimated_len(), plain.estimated_len());
            prop_assert!((stats.false_positive_rate - plain.false_positive_rate()).abs() < 1e-12);
        } else {
            let covers = |(ours, theirs): (&u64, &u64)| theirs & !ours == 0;
            prop_assert!(converted.words().iter().zip(plain.words()).all(covers));
        }
        prop_assert_eq!(converted.ones(), stats.nonzero_counters);
    }

    #[test]
    fn a_cuckoo_filter_never_misses_an_element(
        steps in steps(),
        bits in 4_u8..=32,
        buckets in 0_u64..30,
        seed: u64,
    ) {
        let parameters = CuckooParameters::with_buckets(buckets, bits).unwrap().with_seed(seed);
        let mut filter = CuckooFilter::new(Bytes, &parameters).unwrap();
        let (naive, _) = check(&mut filter, &steps)?;
        prop_assert_eq!(filter.len(), naive.values().sum::<u64>());
    }

    #[test]
    fn a_growing_filter_never_misses_an_element(
        steps in inserts(),
        capacity in 0_u64..40,
        fpp in 0.001..0.9,
        rule in prop_oneof![
            Just(GrowthRule::SameSize),
            (1_u32..=16, 0.1..0.99).prop_map(|(growth, ratio)| GrowthRule::Tightening { growth, ratio }),
        ],
    ) {
        let parameters = GrowingParameters::with_rule(capacity, fpp, rule);
        prop_assume!(parameters.is_ok());
        let mut filter = GrowingBloomFilter::new(Bytes, &parameters.unwrap()).unwrap();
        let (_, new) = check(&mut filter, &steps)?;
        prop_assert_eq!(filter.stats().len, new);
        prop_assert!(rule == GrowthRule::SameSize || filter.false_positive_rate() <= fpp);
    }
}
