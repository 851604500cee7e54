//! Compares counts with those of the policy itself, and checks the rows.

use std::collections::HashSet;

use super::*;
use crate::functions;
use crate::keys::Recipe;
use crate::record::DatasetKind;
use records::progress::Silent;

fn dataset(count: usize, recipe: Option<Recipe>) -> Dataset {
    let keys = Recipe::DistinctBelow1e9.keys(1, count);
    Dataset {
        kind: DatasetKind::Generated,
        recipe,
        ..Dataset::of("ids", keys)
    }
}

#[test]
fn halves_share_no_key_and_leave_at_most_one_out() {
    for count in [2, 3, 10, 1001] {
        let dataset = dataset(count, None);
        let probes = Probes::new(&dataset);
        let Plan::TwoFold { halves } = &probes.plan else {
            panic!("no recipe, so two halves");
        };
        assert_eq!(halves[0].len(), count / 2);
        assert_eq!(halves[1].len(), count / 2);
        let all: HashSet<u32> = halves.iter().flatten().copied().collect();
        assert_eq!(all.len(), count / 2 * 2);
        assert!(all.iter().all(|&index| (index as usize) < count));
    }
}

/// Counts again through the policy's methods for keys: MurmurHash2 is the policy's own hash.
#[test]
fn counts_are_those_of_the_policy_itself() {
    let dataset = dataset(2000, None);
    let function = functions::find("MurMurHash2").unwrap();
    let probes = Probes::new(&dataset);
    let values = probes.values(&Hashed::new(&dataset.keys, function));
    let rows = probes.rates(function.name, &values, &Silent).unwrap();
    let Plan::TwoFold { halves } = &probes.plan else {
        panic!("no recipe, so two halves");
    };
    let keys = |half: usize| halves[half].iter().map(|&index| dataset.keys.get(index as usize));
    for (row, bits_per_key) in rows.iter().zip(BITS_PER_KEY) {
        let policy = BloomFilterPolicy::new(BitsPerKey::whole(bits_per_key));
        let mut false_positives = 0;
        for (built, asked) in [(0, 1), (1, 0)] {
            let filter = policy.build(keys(built)).unwrap();
            assert_eq!(filter.len() as u64, row.filter_bytes);
            false_positives += keys(asked)
                .filter(|key| policy.key_may_match(key, &filter))
                .count() as u64;
        }
        assert_eq!(row.false_positives, false_positives);
        assert_eq!(row.bits_per_key, bits_per_key);
    }
}

#[test]
fn the_textbook_rate_is_that_of_the_real_filter() {
    let dataset = dataset(40_000, None);
    let rows = Probes::new(&dataset).measure_ideal(&Silent).unwrap();
    // 20,000 keys at 10, 15 and 20 bits: (1 - (1 - 1/m)^(kn))^k with k = 6, 10, 13.
    for (row, expected) in rows.iter().zip([0.008_436_302, 0.000_744_001, 0.000_067_925]) {
        assert!((row.theory / expected - 1.0).abs() < 1e-5, "{row:?}");
    }
}

#[test]
fn long_keys_bound_the_number_of_ideal_hashes() {
    let mut long = dataset(3, None);
    long.keys = KeySet::with_capacity(3, 60_000_000);
    for fill in 0..3 {
        long.keys.push(&vec![fill; 20_000_000]);
    }
    // Four times 60 MB fit; each hash probes with both halves of one key.
    assert_eq!(
        Probes::new(&long).measure_ideal(&Silent).unwrap()[0].probes,
        4 * 2
    );
}

#[test]
fn the_ideal_hash_is_siphash_2_4_and_the_seed_its_key() {
    let [one, same, other, next] =
        [(1, 0), (1, 0), (2, 0), (1, 1)].map(|(seed, index)| Ideal::drawn(seed, index));
    assert_eq!(one.hash(b"key"), same.hash(b"key"));
    assert_ne!(one.hash(b"key"), other.hash(b"key"));
    assert_ne!(one.hash(b"key"), next.hash(b"key"));
    // Written down from this implementation: recorded rows could not be repeated if it changed.
    assert_eq!(one.hash(b"key"), 870_744_909);
}
