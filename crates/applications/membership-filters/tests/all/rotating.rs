//! Keys age by rotations.

use std::collections::HashMap;

use membership_filters::backend::{Bloom, Rotating};
use membership_filters::guava::{self, Strategy};
use membership_filters::{
    BlockedBloomFilter, Bytes, Error, Filter, Generations, Parameters, RotatingFilter, Utf8, Xxph3,
};
use proptest::prelude::*;

use super::support::samples::{resign, sample};

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Steps insert a key, or rotate. The filter finds exactly what filters for its generations find.
    #[test]
    fn a_key_lives_as_many_rotations_as_there_are_generations(
        count in 1_u32..6,
        blocks in 1_u32..4,
        steps in prop::collection::vec(prop::option::weighted(0.8, 0..60_u64), 0..120),
    ) {
        let each = Parameters::with_blocks(blocks).unwrap();
        let mut filter = RotatingFilter::new(Xxph3, &Generations { count, each }).unwrap();
        let [empty, mut even, mut odd] = [0; 3].map(|_| filter.clone());
        let single = || BlockedBloomFilter::new(Xxph3, &each).unwrap();
        // The newest last.
        let (mut singles, mut rotations) = (vec![single()], HashMap::new());
        for step in steps {
            if let Some(key) = step {
                let part = if key % 2 == 0 { &mut even } else { &mut odd };
                part.insert(&key);
                let is_new = !filter.contains(&key);
                prop_assert_eq!(filter.insert(&key), is_new);
                singles.last_mut().unwrap().insert(&key);
                rotations.insert(key, 0);
            } else {
                for rotated in [&mut filter, &mut even, &mut odd] {
                    rotated.rotate();
                }
                singles.push(single());
                rotations.values_mut().for_each(|rotations| *rotations += 1);
            }
            let live = &singles[singles.len().saturating_sub(count as usize)..];
            let found: Vec<bool> = (0..90).map(|key| live.iter().any(|single| single.contains(&key))).collect();
            prop_assert!((0..90).zip(&found).all(|(key, found)| filter.contains(&key) == *found));
            prop_assert_eq!(filter.contains_many(&(0..90).collect::<Vec<u64>>()), found);
            prop_assert!(rotations.iter().all(|(key, rotations)| *rotations >= count || filter.contains(key)));
        }
        even.merge(&odd).unwrap();
        prop_assert!(even == filter);
        prop_assert!(RotatingFilter::from_bytes(&filter.to_bytes(), Xxph3).unwrap() == filter);
        filter.clear();
        prop_assert!(filter == empty && filter.generations() == count as usize);
    }
}

#[test]
fn the_rate_is_that_of_all_generations() {
    let mut filter = RotatingFilter::with_capacity(8, 5_000, 0.02).unwrap();
    for generation in 0..8_u64 {
        filter.rotate();
        let keys: Vec<u64> = (0..5_000).map(|key| generation << 32 | key).collect();
        filter.insert_many(&keys);
        assert!(filter.contains_many(&keys).into_iter().all(|found| found));
    }
    let stats = filter.stats();
    assert!(
        stats.len.unwrap().abs_diff(40_000) < 1_200 && stats.is_estimate,
        "{stats}"
    );
    assert_eq!(stats.memory_bytes, filter.memory_bytes());
    assert!((0.018..0.0205).contains(&stats.expected_rate), "{stats}");
    let found = (1_u64 << 60..(1 << 60) + 100_000)
        .filter(|key| filter.contains(key))
        .count();
    assert!((1_700..2_300).contains(&found), "{found}");
}

#[test]
fn generations_of_guavas_filter_are_stored_as_well() {
    type Guavas = Filter<Rotating<Bloom<Strategy>>, Bytes>;
    let each = guava::Parameters::new(100, 0.01).unwrap();
    let mut filter = Guavas::new(Bytes, &Generations { count: 2, each }).unwrap();
    filter.insert("ann");
    filter.rotate();
    let bytes = filter.to_bytes();
    assert!(Guavas::from_bytes(&bytes, Bytes).unwrap() == filter && filter.contains("ann"));
    let error = RotatingFilter::from_bytes(&bytes, Bytes).unwrap_err();
    let text = r#"the kind of the generations must be "MFblocks", got "GBfilter""#;
    assert_eq!(error.to_string(), text);
}

#[test]
fn generations_of_two_sizes_are_refused() {
    let mut bytes = sample("rotating");
    let second = 32 + 8 + 32;
    bytes[second] = 2;
    bytes.splice(second + 8..second + 8, [0; 32]);
    resign(&mut bytes);
    let error = RotatingFilter::from_bytes(&bytes, Utf8).unwrap_err();
    assert!(matches!(error, Error::InvalidField(_)));
    assert!(
        error.to_string().ends_with("must be equal, got 1 and 2"),
        "{error}"
    );
}
