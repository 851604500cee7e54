//! Compares computed rates with counts, and the limits with what bounds them.

extern crate alloc;

use super::*;
use crate::{BitsPerKey, leveldb};

fn rate_of(keys: u64, bits_per_key: u32) -> f64 {
    let bits_per_key = BitsPerKey::whole(bits_per_key);
    rate(
        leveldb::filter_bits(bits_per_key, keys).unwrap(),
        keys,
        super::super::probes(bits_per_key),
    )
}

#[test]
fn rates_are_those_counted_at_two_hundred_sizes() {
    let counts = include_str!("../../../../tests/data/leveldb/rates.csv");
    let (mut sizes, mut sum) = (0, 0.0);
    for line in counts.lines().skip(1) {
        let row: alloc::vec::Vec<u64> = line.split(',').map(|number| number.parse().unwrap()).collect();
        let [keys, bits_per_key, queries, matches] = row[..] else {
            panic!("{line}")
        };
        let counted = matches as f64 / queries as f64;
        let computed = rate_of(keys, u32::try_from(bits_per_key).unwrap());
        let off = computed / counted - 1.0;
        // Sizes that have a large divisor in common with 2^32 - 1 are further off.
        let allowed = match gcd(leveldb::filter_bits(BitsPerKey::whole(10), keys).unwrap(), CYCLE) {
            ..250 => 0.08,
            250..10_000 => 0.15,
            _ => 0.6,
        };
        assert!(
            off.abs() < allowed,
            "{line}: computed {computed:e}, off by {off:.4}"
        );
        (sizes, sum) = (sizes + 1, sum + off.abs());
    }
    let mean = sum / f64::from(sizes);
    assert!(
        sizes >= 200 && mean < 0.01,
        "{sizes} sizes, off by {mean} on average"
    );
}

#[test]
fn rates_are_bounded_by_equal_hashes_and_one() {
    assert_eq!(rate(64, 0, 6), 0.0);
    // In filters of so many bits only an equal hash value matches, however uneven positions are.
    for bits in [1 << 30, 1 << 32, 1 << 40] {
        let (computed, equal) = (rate(bits, 1, 30), equal_hashes(32, 1));
        assert!(computed < 1.001 * equal, "{bits}: {computed}");
    }
    for (bits, keys, probes) in [
        (64, 1, 30),
        (64, 8, 20),
        (1 << 33, 1 << 33, 1),
        (u64::MAX, 50_000_000, 30),
        (64, u64::MAX, 1),
    ] {
        let computed = rate(bits, keys, probes);
        assert!(
            (equal_hashes(32, keys)..=1.0).contains(&computed),
            "{bits} {keys} {probes}: {computed}"
        );
    }
}
