//! Tests random keys against other implementations and against properties of every function.

use hashzoo::{
    MURMUR2_SEED, Murmur3X64_128, PUBLISHED, all, djb_nocase, find, murmur2, murmur2_signed_tail,
    murmur3_x64_128, siphash, siphash_nocase, siphash12_low32, siphash12_low32_nocase, siphash13, siphash24,
    xxh3_64,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, RngSeed};
use siphasher::sip::{SipHasher13, SipHasher24};

/// Configures 1,000 cases, the same in every run.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 1000,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..=300)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn murmur2_equals_the_crate_murmur2(key in key(), seed: u32) {
        for seed in [MURMUR2_SEED, 0, 0x9747_b28c, u32::MAX, seed] {
            prop_assert_eq!(murmur2(&key, seed), ::murmur2::murmur2(&key, seed));
        }
    }

    #[test]
    fn a_signed_tail_shows_only_in_tail_bytes_above_0x7f(key in key(), seed: u32) {
        let tail = &key[key.len() / 4 * 4..];
        let same = murmur2_signed_tail(&key, seed) == murmur2(&key, seed);
        // Sign extensions of two tail bytes can cancel, so only one direction is certain.
        prop_assert!(same || !tail.is_ascii());
    }

    #[test]
    fn murmur3_equals_the_crate_murmur3_in_one_piece_and_in_many(key in key(), pieces in vec(1..40_usize, 1..20), seed: u32) {
        let (h1, h2) = murmur3_x64_128(&key, seed);
        let theirs = ::murmur3::murmur3_x64_128(&mut key.as_slice(), seed).unwrap();
        prop_assert_eq!(u128::from(h1) | u128::from(h2) << 64, theirs);

        let mut state = Murmur3X64_128::new(seed);
        let mut rest = key.as_slice();
        for len in pieces.into_iter().cycle() {
            let (piece, after) = rest.split_at(len.min(rest.len()));
            state.update(piece);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(state.finish(), (h1, h2));
    }

    #[test]
    fn siphash_equals_the_crate_siphasher(sip_key: [u8; 16], data in key()) {
        prop_assert_eq!(siphash13(&sip_key, &data), SipHasher13::new_with_key(&sip_key).hash(&data));
        prop_assert_eq!(siphash24(&sip_key, &data), SipHasher24::new_with_key(&sip_key).hash(&data));
    }

    #[test]
    fn xxh3_equals_the_crate_xxhash_rust(key in vec(any::<u8>(), 0..=300), long in vec(any::<u8>(), 0..=2300), seed: u64) {
        for key in [key, long] {
            prop_assert_eq!(xxh3_64(&key, seed), xxhash_rust::xxh3::xxh3_64_with_seed(&key, seed));
            prop_assert_eq!(xxh3_64(&key, 0), xxhash_rust::xxh3::xxh3_64(&key));
        }
    }

    #[test]
    fn the_low_half_and_the_folding_forms_follow_from_siphash(sip_key: [u8; 16], data in key()) {
        let folded = data.to_ascii_lowercase();
        let whole = siphash::<1, 2>(&sip_key, &data);
        let whole_folded = siphash::<1, 2>(&sip_key, &folded);
        prop_assert_eq!(u64::from(siphash12_low32(&sip_key, &data)), whole & 0xffff_ffff);
        prop_assert_eq!(siphash_nocase::<1, 2>(&sip_key, &data), whole_folded);
        prop_assert_eq!(u64::from(siphash12_low32_nocase(&sip_key, &data)), whole_folded & 0xffff_ffff);
    }

    #[test]
    fn ascii_case_does_not_matter_to_the_folding_functions(key in "[a-zA-Z]{1,40}") {
        let (lower, upper) = (key.to_ascii_lowercase(), key.to_ascii_uppercase());
        prop_assert_eq!(djb_nocase(lower.as_bytes()), djb_nocase(upper.as_bytes()));
        for name in ["DJB", "SipHashNoCase"] {
            let info = find(name).unwrap();
            prop_assert_eq!((info.hash)(lower.as_bytes()), (info.hash)(upper.as_bytes()), "{}", name);
        }
    }

    #[test]
    fn bits_above_the_output_are_zero(key in key(), seed: u32) {
        for info in all() {
            let above = u64::MAX.checked_shl(info.output_bits).unwrap_or(0);
            prop_assert_eq!((info.hash)(&key) & above, 0, "{}", info.name);
            if let Some(seeded) = info.seeded {
                prop_assert_eq!(seeded(&key, seed) & above, 0, "{} seeded", info.name);
            }
        }
    }
}

#[test]
fn ascii_case_matters_to_all_others() {
    for info in PUBLISHED {
        let folds = ["DJB", "SipHashNoCase"].contains(&info.name);
        let equal = (info.hash)(b"key") == (info.hash)(b"Key");
        assert_eq!(folds, equal, "{}", info.name);
    }
}
