//! Compares the filters with an exact multiset.

use std::collections::HashMap;

use guava_bloom::{BloomFilter, Integer, Parameters};
use membership_filters::{
    BlockedBloomFilter, BlockedParameters, CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters,
    GrowingBloomFilter, GrowingParameters, GrowthRule,
};
use proptest::prelude::*;

/// An operation on one of few elements, so that copies and removals meet.
#[derive(Debug, Clone, Copy)]
enum Step {
    Insert(i32),
    Remove(i32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (any::<bool>(), 0..40_i32).prop_map(|(insert, item)| {
        if insert {
            Step::Insert(item)
        } else {
            Step::Remove(item)
        }
    });
    prop::collection::vec(step, 0..200)
}

/// The number of copies of each element.
#[derive(Default)]
struct Multiset(HashMap<i32, u32>);

impl Multiset {
    fn insert(&mut self, item: i32) {
        *self.0.entry(item).or_default() += 1;
    }

    /// Removes a copy, and returns false if there was none.
    fn remove(&mut self, item: i32) -> bool {
        let Some(copies) = self.0.get_mut(&item).filter(|copies| **copies > 0) else {
            return false;
        };
        *copies -= 1;
        true
    }

    fn len(&self) -> u64 {
        self.0.values().map(|&copies| u64::from(copies)).sum()
    }

    fn present(&self) -> impl Iterator<Item = i32> {
        self.0
            .iter()
            .filter(|(_, copies)| **copies > 0)
            .map(|(&item, _)| item)
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_blocked_filter_never_misses_an_element(
        items in prop::collection::vec(any::<i32>(), 0..300),
        parts in prop::collection::vec(any::<bool>(), 300),
        blocks in 1_u32..60,
    ) {
        let parameters = BlockedParameters::with_blocks(blocks).unwrap();
        let mut filter = BlockedBloomFilter::new(Integer, &parameters).unwrap();
        let (mut one, mut other) = (filter.clone(), filter.clone());
        for (item, part) in items.iter().zip(parts) {
            filter.insert(item);
            if part { &mut one } else { &mut other }.insert(item);
        }
        prop_assert!(items.iter().all(|item| filter.might_contain(item)));
        prop_assert_eq!(filter.might_contain_many(&items), vec![true; items.len()]);
        one.merge(&other).unwrap();
        prop_assert!(one == filter);
        let again = BlockedBloomFilter::from_bytes(&filter.to_bytes(), Integer).unwrap();
        prop_assert!(again == filter);
        let mut together = BlockedBloomFilter::new(Integer, &parameters).unwrap();
        together.insert_many(&items);
        prop_assert!(together == filter);
    }

    #[test]
    fn a_counting_filter_never_misses_an_element(
        steps in steps(),
        bits in 2_u8..=16,
        (insertions, fpp) in (0_u64..60, 0.001..0.9),
    ) {
        let parameters = Parameters::new(insertions, fpp);
        prop_assume!(parameters.is_ok());
        let parameters = parameters.unwrap();
        let width = CounterWidth::new(bits).unwrap();
        let mut filter = CountingBloomFilter::new(Integer, &parameters, width).unwrap();
        let mut naive = Multiset::default();
        for step in steps {
            match step {
                Step::Insert(item) => {
                    let present = filter.might_contain(&item);
                    prop_assert_eq!(filter.insert(&item), !present);
                    naive.insert(item);
                }
                Step::Remove(item) => {
                    if naive.remove(item) {
                        prop_assert!(filter.remove(&item));
                    } else if !filter.might_contain(&item) {
                        let before = filter.clone();
                        prop_assert!(!filter.remove(&item));
                        prop_assert!(filter == before);
                    }
                }
            }
            prop_assert!(naive.present().all(|item| filter.might_contain(&item)));
            prop_assert_eq!(filter.len(), naive.len());
        }
        // Bit for bit the filter of the remaining elements, except for stuck counters.
        let mut plain = BloomFilter::new(Integer, &parameters).unwrap();
        for item in naive.present() {
            plain.insert(&item);
        }
        let converted = filter.to_bloom_filter().unwrap();
        if filter.stats().stuck_counters == 0 {
            prop_assert!(converted == plain);
        } else {
            let covers = |(ours, theirs): (&u64, &u64)| theirs & !ours == 0;
            prop_assert!(converted.words().iter().zip(plain.words()).all(covers));
        }
        prop_assert_eq!(converted.ones(), filter.stats().nonzero_counters);
        let again = CountingBloomFilter::from_bytes(&filter.to_bytes(), Integer).unwrap();
        prop_assert!(again == filter);
    }

    #[test]
    fn a_cuckoo_filter_never_misses_an_element(
        steps in steps(),
        bits in 4_u8..=32,
        buckets in 0_u64..30,
        seed: u64,
    ) {
        let parameters = CuckooParameters::with_buckets(buckets, bits).unwrap().with_seed(seed);
        let mut filter = CuckooFilter::new(Integer, &parameters).unwrap();
        let mut naive = Multiset::default();
        for step in steps {
            let before = filter.clone();
            match step {
                Step::Insert(item) => match filter.insert(&item) {
                    Ok(()) => naive.insert(item),
                    Err(_) => prop_assert!(filter == before),
                },
                Step::Remove(item) => {
                    if naive.remove(item) {
                        prop_assert!(filter.remove(&item));
                    } else if !filter.might_contain(&item) {
                        prop_assert!(!filter.remove(&item));
                        prop_assert!(filter == before);
                    }
                }
            }
            prop_assert!(naive.present().all(|item| filter.might_contain(&item)));
            prop_assert_eq!(filter.len(), naive.len());
        }
        let mut again = CuckooFilter::from_bytes(&filter.to_bytes(), Integer).unwrap();
        prop_assert!(again == filter);
        // The filter that was read continues like the original.
        for item in 0..50 {
            prop_assert_eq!(again.insert(&item), filter.insert(&item));
        }
        prop_assert!(again == filter);
    }

    #[test]
    fn a_growing_filter_never_misses_an_element(
        items in prop::collection::vec(any::<i32>(), 0..300),
        capacity in 0_u64..40,
        fpp in 0.001..0.9,
        rule in prop_oneof![
            Just(GrowthRule::SameSize),
            (1_u32..=16, 0.1..0.99).prop_map(|(growth, ratio)| GrowthRule::Tightening { growth, ratio }),
        ],
    ) {
        let parameters = GrowingParameters::with_rule(capacity, fpp, rule);
        prop_assume!(parameters.is_ok());
        let parameters = parameters.unwrap();
        let mut filter = GrowingBloomFilter::new(Integer, &parameters).unwrap();
        let mut new = 0;
        for (done, item) in items.iter().enumerate() {
            let present = filter.might_contain(item);
            prop_assert_eq!(filter.insert(item), Ok(!present));
            new += u64::from(!present);
            prop_assert!(items[..=done].iter().all(|item| filter.might_contain(item)));
        }
        prop_assert_eq!(filter.stats().len, new);
        if rule != GrowthRule::SameSize {
            prop_assert!(filter.false_positive_rate() <= fpp);
        }
        let mut again = GrowingBloomFilter::from_bytes(&filter.to_bytes(), Integer).unwrap();
        prop_assert!(again == filter);
        for item in 0..50 {
            prop_assert_eq!(again.insert(&item), filter.insert(&item));
        }
        prop_assert!(again == filter);
    }
}
