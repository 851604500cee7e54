//! LevelDB's sizes for all parameters, and the names of its encodings.

use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, formats};
use proptest::prelude::*;

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
    fn fractions_are_multiplied_exactly(
        keys in prop_oneof![any::<u64>(), 0..10_000_000_u64, Just(u64::MAX)],
        bits in prop_oneof![
            0.0..=100.0_f64,
            0.0..=4_294_967_295.0_f64,
            0.0..=1e-9_f64,
            (0..1_000_u32).prop_map(|tenths| f64::from(tenths) / 10.0),
            // A subnormal number, the smallest normal one, and the most bits per key.
            prop::sample::select(vec![f64::MIN_POSITIVE / 2.0, f64::MIN_POSITIVE, BitsPerKey::whole(u32::MAX).get()]),
        ],
    ) {
        let exact = exact_product(keys, bits);
        let expected = u64::try_from(exact).ok().and_then(|bits| bits.max(64).checked_next_multiple_of(8));
        let len = formats::LEVEL_DB.filter_len(keys, BitsPerKey::fractional(bits).unwrap());
        prop_assert_eq!(len.ok(), expected.map(|bits| bits / 8 + 1));
    }

    #[test]
    fn every_encoding_has_its_own_name(seed: u32, other: u32) {
        let ten = BitsPerKey::whole(10);
        let name = if seed == 5381 { "BloomFilter2".to_owned() } else { format!("BloomFilter2.Seed{seed:08x}") };
        let [policy, another] = [seed, other].map(|seed| BloomFilterPolicy::with_seed(seed, ten));
        prop_assert_eq!(policy.name(), &name);
        prop_assert_eq!(another.name() == name, seed == other);
        let (signed, leveldb) = (BloomFilterPolicy::with_signed_tail(ten), BloomFilterPolicy::with_leveldb_hash(ten));
        prop_assert!(![signed.name(), leveldb.name()].contains(&name.as_str()));
    }
}
