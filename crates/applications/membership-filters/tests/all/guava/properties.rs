//! Properties of all elements, all parameters and all bytes.

use std::collections::BTreeSet;

use membership_filters::guava::{
    BloomFilter, ConcurrentBloomFilter, Parameters, ProbeCountRule, Strategy, StreamHeader,
};
use membership_filters::{Bytes, Hash128, Hashed, Long, Modulus, Utf8, Utf16, Utf16Units};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::Strategy as Generator;
use proptest::test_runner::{RngAlgorithm, RngSeed};

/// Computes Guava's strategies a second time, in wider integers.
fn positions(strategy: Strategy, hash: Hash128, probes: u32, bits: u64) -> Vec<u64> {
    let wide = |i: u32| match strategy {
        Strategy::Murmur128Mitz64 => {
            (u128::from(hash.h1) + u128::from(i) * u128::from(hash.h2)) % (1 << 63) % u128::from(bits)
        }
        _ => {
            let (low, high) = (hash.h1 & 0xffff_ffff, hash.h1 >> 32);
            let sum = (low + (u64::from(i) + 1) * high) & 0xffff_ffff;
            let folded = if sum >> 31 == 1 { 0xffff_ffff - sum } else { sum };
            u128::from(folded) % u128::from(bits)
        }
    };
    (0..probes).map(|i| u64::try_from(wide(i)).unwrap()).collect()
}

fn strategy() -> impl Generator<Value = Strategy> {
    prop_oneof![Just(Strategy::Murmur128Mitz32), Just(Strategy::Murmur128Mitz64)]
}

fn parameters() -> impl Generator<Value = Parameters> {
    let rule = prop_oneof![
        Just(ProbeCountRule::FromRate),
        Just(ProbeCountRule::FromBitsPerKey)
    ];
    // Few filters have about 200 probes, all others at most 30.
    let fpp = prop_oneof![9 => 1e-9..0.5_f64, 1 => 1e-70..1e-60_f64];
    (0_u32..300, fpp, strategy(), rule).prop_map(|(insertions, fpp, strategy, rule)| {
        Parameters::with_rule(insertions.into(), fpp, rule)
            .unwrap()
            .strategy(strategy)
    })
}

fn keys() -> impl Generator<Value = Vec<Vec<u8>>> {
    vec(vec(any::<u8>(), 0..40), 0..200)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_filter_is_the_set_of_its_positions(parameters in parameters(), present in keys(), absent in keys()) {
        let (strategy, probes, bits) = (parameters.chosen_strategy(), parameters.probe_count(), parameters.bits());
        let places = |key: &[u8]| positions(strategy, Hash128::of(key), probes, bits);
        let mut filter = BloomFilter::new(Bytes, &parameters).unwrap();
        let mut ones = BTreeSet::new();
        for key in &present {
            let before = ones.len();
            ones.extend(places(key));
            prop_assert_eq!(filter.insert(key), ones.len() > before);
            prop_assert!(filter.contains(key));
        }
        for key in &absent {
            let may = places(key).iter().all(|place| ones.contains(place));
            prop_assert_eq!(filter.contains(key), may);
        }
        let is_set = |&place: &u64| filter.words()[(place / 64) as usize] >> (place % 64) & 1 == 1;
        prop_assert!((0..bits).filter(is_set).eq(ones.iter().copied()));
        prop_assert_eq!(filter.ones(), ones.len() as u64);
        filter.clear();
        prop_assert_eq!(filter, BloomFilter::new(Bytes, &parameters).unwrap());
    }

    #[test]
    fn many_at_once_are_as_one_by_one(
        strategy in strategy(),
        probes in prop_oneof![1..20_u32, 1..=255_u32],
        // Batches fetch ahead in filters of more than 32,768 words.
        words in prop_oneof![1..40_usize, 32_700..32_900_usize],
        fill in prop_oneof![Just(0), any::<u64>()],
        present in vec(0..500_i64, 0..400),
        queried in vec(0..1000_i64, 0..400),
    ) {
        let empty = {
            let words = vec![fill; words];
            BloomFilter::from_parts(Long, StreamHeader::new(strategy, probes, &words), words).unwrap()
        };
        let (mut one_by_one, mut together, mut by_hash) = (empty.clone(), empty.clone(), empty.clone());
        let hashes = |items: &[i64]| -> Vec<_> { items.iter().map(|item| Hashed::new(Long, item)).collect() };

        present.iter().for_each(|item| _ = one_by_one.insert(item));
        together.insert_many(&present);
        by_hash.insert_many_hashed(&hashes(&present)).unwrap();
        prop_assert_eq!(&together, &one_by_one);
        prop_assert_eq!(&by_hash, &one_by_one);
        let shared = [ConcurrentBloomFilter::from(empty.clone()), empty.into()];
        shared[0].insert_many(&present);
        shared[1].insert_many_hashed(&hashes(&present)).unwrap();
        prop_assert_eq!(&shared[0].snapshot(), &one_by_one);
        prop_assert_eq!(&shared[1].snapshot(), &one_by_one);

        let expected: Vec<bool> = queried.iter().map(|item| one_by_one.contains(item)).collect();
        prop_assert_eq!(&one_by_one.contains_many(&queried), &expected);
        prop_assert_eq!(&one_by_one.contains_many_hashed(&hashes(&queried)), &expected);
        prop_assert_eq!(&shared[0].contains_many(&queried), &expected);
        prop_assert_eq!(&shared[0].contains_many_hashed(&hashes(&queried)), &expected);
    }

    #[test]
    fn positions_are_those_of_wide_arithmetic(
        strategy in strategy(),
        h1: u64,
        h2: u64,
        probes in 0..=255_u32,
        modulus in 1..=Modulus::MAX,
        narrow in 0_u32..63,
    ) {
        let (hash, modulus) = (Hash128 { h1, h2 }, (modulus >> narrow).max(1));
        let found: Vec<u64> = strategy.positions(hash, probes, Modulus::new(modulus).unwrap());
        prop_assert_eq!(found, positions(strategy, hash, probes, modulus));
    }

    #[test]
    fn any_bytes_are_a_filter_or_an_error(
        ordinal in 0_u8..4,
        probes in 0_u8..4,
        words in prop_oneof![-2..10_i32, any::<i32>()],
        rest in vec(any::<u8>(), 0..60),
        plain in vec(any::<u8>(), 0..60),
    ) {
        let header = StreamHeader {
            ordinal: ordinal.cast_signed(),
            probe_count: probes,
            word_count: words,
        };
        prop_assert_eq!(StreamHeader::from_bytes(header.to_bytes()), header);
        for bytes in [[&header.to_bytes()[..], &rest].concat(), plain] {
            let mut rest = bytes.as_slice();
            let read = BloomFilter::read_guava(&mut rest, Bytes);
            let whole = BloomFilter::from_guava(&bytes, Bytes);
            match (whole, read) {
                (whole, Ok(read)) => {
                    let used = &bytes[..bytes.len() - rest.len()];
                    prop_assert_eq!(whole.is_ok(), rest.is_empty());
                    prop_assert_eq!(&BloomFilter::from_guava(used, Bytes).unwrap(), &read);
                    prop_assert_eq!(&read.to_guava(), used);
                    let _ = read.contains(&bytes);
                    prop_assert!((0.0..=1.0).contains(&read.expected_rate()));
                }
                (whole, Err(read)) => prop_assert_eq!(whole.unwrap_err().to_string(), read.to_string()),
            }
        }
    }

    #[test]
    fn texts_are_the_same_as_their_units(text: String, times in 0_usize..60) {
        let text = text.repeat(times);
        let units: Vec<u16> = text.encode_utf16().collect();
        let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        for (hash, of_units, bytes) in [
            (Hash128::of_key(&Utf8, &text), Hash128::of_key(&Utf8, &Utf16(&units)), text.as_bytes()),
            (Hash128::of_key(&Utf16Units, &text), Hash128::of_key(&Utf16Units, &Utf16(&units)), &bytes),
        ] {
            prop_assert_eq!([hash, of_units], [Hash128::of(bytes); 2]);
        }
    }
}
