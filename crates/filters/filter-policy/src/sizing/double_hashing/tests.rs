//! Compares rates with counts, and the limits with what bounds them.

extern crate alloc;

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::*;
use crate::sizing::exact_rate;
use crate::splitmix::SplitMix64;

/// Returns the positions of a key, as the definitions of the formats give them.
fn positions(sums: DoubleHashing, bits: u64, probes: u32, random: &mut SplitMix64) -> Vec<u64> {
    let (start, step) = (random.next(), random.next());
    let half = |of: u64| (of >> 32) as u32;
    let at = |number: u32| match sums {
        DoubleHashing::Unbounded => {
            let (start, step) = (half(start).cast_signed(), half(step).cast_signed());
            let sum = i64::from(start) * i64::from(i32::MAX) + i64::from(number + 1) * i64::from(step);
            if sum < 0 { !sum } else { sum }.cast_unsigned()
        }
        DoubleHashing::Modulo(power) => {
            let sum = start.wrapping_add(step.wrapping_mul(number.into()));
            sum & (u64::MAX >> (64 - power))
        }
        DoubleHashing::Mirrored => {
            let sum = half(start)
                .wrapping_add(half(step).wrapping_mul(number + 1))
                .cast_signed();
            u64::from(if sum < 0 { !sum } else { sum }.cast_unsigned())
        }
    };
    (0..probes).map(|number| at(number) % bits).collect()
}

/// Returns the share of absent keys that match, and the number of those that do.
fn counted(sums: DoubleHashing, bits: u64, keys: u64, probes: u32) -> (f64, f64) {
    let random = &mut SplitMix64::new(7);
    let (mut queries, mut matches) = (0, 0);
    while queries < 150_000 && matches < 5_000 {
        let mut filter = BTreeSet::new();
        for _ in 0..keys {
            filter.extend(positions(sums, bits, probes, random));
        }
        for _ in 0..20 * keys + 100 {
            queries += 1;
            let positions = positions(sums, bits, probes, random);
            matches += u32::from(positions.iter().all(|position| filter.contains(position)));
        }
    }
    (f64::from(matches) / f64::from(queries), f64::from(matches))
}

/// Sizes of Guava's formula: one key to thousands, at rates down to 1e-9, where nearly all matches are due to repeated
/// positions.
#[test]
fn rates_are_those_that_are_counted() {
    let all = [
        DoubleHashing::Unbounded,
        DoubleHashing::Modulo(63),
        DoubleHashing::Modulo(64),
        DoubleHashing::Mirrored,
    ];
    for (bits_per_key, probes) in [(5_u64, 3), (10, 7), (15, 10), (20, 13), (44, 30)] {
        for keys in [1, 2, 3, 7, 20, 300, 3000] {
            let bits = (bits_per_key * keys).next_multiple_of(64);
            for sums in all {
                let stated = sums.rate(bits, keys as f64, probes).unwrap();
                let (counted, matches) = counted(sums, bits, keys, probes);
                let off = libm::log(stated / counted).abs();
                let allowed = if probes == 30 { 2.0 } else { 1.15 };
                assert!(
                    matches < 20.0 || off < libm::log(allowed) + 3.0 / libm::sqrt(matches),
                    "{sums:?}, {bits} bits, {keys} keys, k {probes}: {stated:e}, counted {counted:e} ({matches})"
                );
            }
        }
    }
}

#[test]
fn large_filters_have_the_rate_of_independent_probes() {
    for sums in [
        DoubleHashing::Unbounded,
        DoubleHashing::Modulo(63),
        DoubleHashing::Modulo(64),
    ] {
        for (bits, keys, probes) in [
            (9_585_088, 1_000_000, 7),
            (19_170_119_168, 1_000_000_000, 13),
            (1 << 40, 1 << 37, 6),
        ] {
            let (rate, ideal) = (
                sums.rate(bits, keys as f64, probes).unwrap(),
                exact_rate(bits, keys, probes).unwrap(),
            );
            assert!(
                (rate / ideal - 1.0).abs() < 0.001,
                "{sums:?} {bits}: {rate:e}, {ideal:e}"
            );
        }
    }
}

#[test]
fn rates_at_the_edges() {
    for sums in [
        DoubleHashing::Unbounded,
        DoubleHashing::Modulo(0),
        DoubleHashing::Modulo(64),
        DoubleHashing::Mirrored,
    ] {
        assert_eq!(sums.rate(64, 0.0, 7), Ok(0.0));
        assert_eq!(sums.rate(64, 7.0, 0), Ok(1.0));
        assert_eq!(sums.rate(1, 7.0, 300), Ok(1.0));
        for bits in [1, 2, 3, 7, 64, 65, u64::MAX] {
            for keys in [0.1, 1.0, 2.5, 100.0, 1e19, f64::MAX] {
                for probes in [1, 2, 30, 255, u32::MAX] {
                    let rate = sums.rate(bits, keys, probes).unwrap();
                    assert!(
                        (0.0..=1.0).contains(&rate),
                        "{sums:?} {bits} {keys} {probes}: {rate}"
                    );
                }
            }
        }
    }
    assert!(DoubleHashing::Unbounded.rate(0, 1.0, 1).is_err());
    for keys in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(DoubleHashing::Unbounded.rate(64, keys, 1).is_err());
    }
    assert!(DoubleHashing::Modulo(65).rate(64, 1.0, 1).is_err());
}
