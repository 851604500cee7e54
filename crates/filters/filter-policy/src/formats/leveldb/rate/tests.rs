//! Compares computed rates with counts, and the limits with what bounds them.

extern crate alloc;

use super::*;
use crate::splitmix::SplitMix64;
use crate::{BitsPerKey, leveldb};

fn rate(bits: u64, keys: u64, probes: u8) -> f64 {
    super::rate(bits, keys, probes, Precision::Full)
}

fn rate_of(keys: u64, bits_per_key: u32) -> f64 {
    let bits_per_key = BitsPerKey::whole(bits_per_key);
    rate(
        leveldb::filter_bits(bits_per_key, keys).unwrap(),
        keys,
        super::super::probes(bits_per_key),
    )
}

/// Filters of random hash values, by the definition. Ten thousand matches have a standard error of 1 %, of which two are
/// allowed.
#[expect(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "positions are those of the filter, and hash values are cut"
)]
#[test]
fn rates_are_those_that_are_counted() {
    let random = &mut SplitMix64::new(7);
    for (keys, bits_per_key, filters) in [
        (1_000, 12.0, 300),
        (3_000, 14.5, 100),
        (20_483, 9.6, 30),
        (123_457, 20.0, 4),
        (250_000, 16.0, 4),
        (300_000, 10.0, 4),
        (1_000_000, 16.0, 2),
        (1_000_000, 20.0, 2),
    ] {
        let bits_per_key = BitsPerKey::fractional(bits_per_key).unwrap();
        let (bits, probes) = (
            leveldb::filter_bits(bits_per_key, keys).unwrap(),
            super::super::probes(bits_per_key),
        );
        let positions = |hash: u32| {
            let stride = hash.rotate_right(17);
            (0..u32::from(probes))
                .map(move |i| (u64::from(hash.wrapping_add(stride.wrapping_mul(i))) % bits) as usize)
        };
        let (computed, mut matches, mut ones) = (rate(bits, keys, probes), 0_u32, 0_usize);
        let queries = 1e4 / computed / f64::from(filters);
        for _ in 0..filters {
            let mut filter = alloc::vec![false; bits as usize];
            for _ in 0..keys {
                positions(random.next() as u32).for_each(|position| filter[position] = true);
            }
            ones += filter.iter().filter(|bit| **bit).count();
            let is_match = |hash| positions(hash).all(|position| filter[position]);
            matches += (0..queries as u32)
                .map(|_| u32::from(is_match(random.next() as u32)))
                .sum::<u32>();
        }
        let counted = f64::from(matches) / f64::from(filters) / f64::from(queries as u32);
        let off = computed / counted - 1.0;
        assert!(
            off.abs() < 0.05,
            "{keys} keys in {bits} bits: {computed:e}, counted {counted:e}, off by {off:.4}"
        );
        let off = fill(bits, keys, probes) / (ones as f64 / f64::from(filters) / bits as f64) - 1.0;
        assert!(
            off.abs() < 0.005,
            "{keys} keys in {bits} bits: share of ones off by {off:.4}"
        );
    }
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
        let allowed = match gcd(
            leveldb::filter_bits(bits_per_key.try_into().unwrap(), keys).unwrap(),
            CYCLE,
        ) {
            ..15 => 0.03,
            15..250 => 0.06,
            250..10_000 => 0.1,
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
        sizes >= 200 && mean < 0.012,
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
