//! Properties of LevelDB's format for all keys, all parameters and all bytes.

use filter_formats::view::{FilterKind, FilterLayout, FilterView};
use filter_policy::hashers::{KeyHasher, LevelDbHash, Murmur2, Murmur2SignedTail};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, HashedPolicy, leveldb};
use proptest::collection::vec;
use proptest::prelude::*;

use super::support::layouts::{self, LevelDb, any_answer};

fn build_hashes(hashes: &[u32], bits_per_key: BitsPerKey) -> Vec<u8> {
    let policy = BloomFilterPolicy::new(bits_per_key);
    let mut filter = vec![0xaa; policy.max_filter_len(hashes.len()).unwrap()];
    let len = policy
        .build_hashes_in(hashes.iter().copied(), &mut filter)
        .unwrap()
        .len();
    assert_eq!(len, filter.len(), "the length is exact");
    filter
}

fn any_bits_per_key() -> impl Strategy<Value = BitsPerKey> {
    prop_oneof![
        (0..=100_u32).prop_map(BitsPerKey::whole),
        (0.0..=60.0_f64).prop_map(|bits| BitsPerKey::fractional(bits).unwrap()),
    ]
}

/// Computes `floor(keys * bits_per_key)` without the double's encoding: doubling splits the fraction into bits, and
/// Horner's rule multiplies it, where `floor((a + x) / 2) = floor((a + floor(x)) / 2)` keeps every step whole.
fn exact_product(keys: u64, bits_per_key: f64) -> u128 {
    let integer = bits_per_key.trunc();
    let mut fraction = bits_per_key - integer;
    let mut bits = Vec::new();
    while fraction > 0.0 {
        fraction *= 2.0;
        bits.push(fraction >= 1.0);
        fraction -= fraction.trunc();
    }
    let of_fraction = bits
        .iter()
        .rev()
        .fold(0_u128, |sum, &bit| (sum + u128::from(keys) * u128::from(bit)) / 2);
    u128::from(keys) * integer as u128 + of_fraction
}

proptest! {
    #[test]
    fn any_bytes_are_what_the_rules_say(
        filter in vec(any::<u8>(), 0..80),
        probes in prop_oneof![0..32_u8, any::<u8>()],
        key in vec(any::<u8>(), 0..40),
    ) {
        for filter in [filter.clone(), [&filter[..], &[probes]].concat()] {
            let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10));
            prop_assert_eq!(policy.key_may_match(&key, &filter), any_answer(LevelDb(LevelDbHash), &filter, policy.hash_key(&key)));
            let view = FilterView::new(FilterLayout::LEVEL_DB, &filter);
            if view.kind() == FilterKind::LEVEL_DB {
                let (last, bit_array) = filter.split_last().unwrap();
                prop_assert_eq!((view.bit_array(), view.probe_count()), (bit_array, Some(*last)));
                let ones = bit_array.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
                prop_assert_eq!(view.ones(), Some(ones));
                prop_assert_eq!(view.fill(), Some(ones as f64 / view.bits() as f64));
            } else {
                prop_assert_eq!((view.bit_array(), view.bits(), view.ones()), (&[][..], 0, None));
                prop_assert_eq!((view.probe_count(), view.fill(), view.estimated_len()), (None, None, None));
            }
        }
    }

    #[test]
    fn filters_are_those_of_the_rules(hashes in vec(any::<u32>(), 0..500), bits_per_key in any_bits_per_key()) {
        let filter = build_hashes(&hashes, bits_per_key);
        let numbers: Vec<u64> = hashes.iter().copied().map(u64::from).collect();
        prop_assert_eq!(&filter, &layouts::filter(LevelDb(LevelDbHash), bits_per_key, &numbers).0);
        let mut sorted = hashes.clone();
        sorted.sort_unstable();
        prop_assert_eq!(&filter, &build_hashes(&sorted, bits_per_key), "the order of keys leaves a trace");
    }

    #[test]
    fn fractions_are_multiplied_exactly(
        keys in prop_oneof![any::<u64>(), 0..10_000_000_u64],
        bits in prop_oneof![
            0.0..=100.0_f64,
            0.0..=4_294_967_295.0_f64,
            0.0..=1e-9_f64,
            (0..1_000_u32).prop_map(|tenths| f64::from(tenths) / 10.0),
        ],
    ) {
        let exact = exact_product(keys, bits);
        let expected = u64::try_from(exact).ok().and_then(|bits| bits.max(64).checked_next_multiple_of(8));
        prop_assert_eq!(leveldb::filter_bits(BitsPerKey::fractional(bits).unwrap(), keys).ok(), expected);
    }

    #[test]
    fn every_encoding_has_its_own_name(seed: u32, other: u32) {
        let of_seed = Murmur2::with_seed(seed);
        prop_assert_eq!(of_seed.policy_name() == "BloomFilter2", seed == 5381);
        prop_assert_eq!(of_seed.policy_name() == Murmur2::with_seed(other).policy_name(), seed == other);
        prop_assert_ne!(of_seed.policy_name(), Murmur2SignedTail.policy_name());
        prop_assert_ne!(of_seed.policy_name(), LevelDbHash.policy_name());
        if seed != 5381 {
            prop_assert_eq!(of_seed.policy_name(), format!("BloomFilter2.Seed{seed:08x}"));
        }
    }
}
