//! Binary fuse filters: every number of keys, equal and chosen hash values.

use std::collections::BTreeSet;

use filter_policy::BinaryFusePolicy;
use filter_policy::formats;
use filter_policy::{Answers, BitsPerKey, Error, FilterPolicy, KeyHashes};

use super::support::keys::random_hashes;

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// Builds a filter of these hash values, and checks that it holds them and has the stated length.
fn check(policy: BinaryFusePolicy, hashes: &[u64]) -> Vec<u8> {
    let of_function = KeyHashes::new(policy.key_hash(b"").unwrap().function(), hashes);
    let mut filter = vec![0; policy.max_filter_len(hashes.len()).unwrap()];
    let len = policy.create_from_hashes(of_function, &mut filter).unwrap().len();
    filter.truncate(len);
    let at = || format!("{} values", hashes.len());
    let distinct: BTreeSet<u64> = hashes.iter().copied().collect();
    if let Some(bits_per_key) = policy.bits_per_key() {
        let stated = formats::BINARY_FUSE.filter_len(distinct.len() as u64, bits_per_key);
        assert_eq!(stated, Ok(filter.len() as u64), "{}", at());
    }
    let words = &mut vec![0; hashes.len().div_ceil(64)];
    let answers = &mut Answers::new(words);
    policy
        .prepare(&filter)
        .may_match_hashes(of_function, answers)
        .unwrap();
    assert!(answers.iter().all(|answer| answer), "{}", at());
    filter
}

#[test]
fn every_number_of_keys() {
    let hashes = random_hashes(1, 5_000);
    for count in (0..=600).chain((600..=5_000).step_by(13)) {
        check(
            BinaryFusePolicy::new(BitsPerKey::whole(8 + (count % 14) as u32)),
            &hashes[..count],
        );
        let width = [4, 8, 10, 12, 16][count % 5];
        let filter = check(BinaryFusePolicy::with_width(width).unwrap(), &hashes[..count]);
        assert!(filter.last().is_none_or(|&last| u32::from(last) == width));
    }
    assert!(BinaryFusePolicy::with_width(9).is_err());
    // Where the first seeds fail most, and where slots are prefetched.
    let hashes = random_hashes(2, 1_000_003);
    for count in [
        11_193, 11_504, 11_521, 12_850, 37_273, 124_118, 413_310, 999_999, 1_000_000, 1_000_003,
    ] {
        check(BinaryFusePolicy::new(TEN), &hashes[..count]);
    }
}

#[test]
fn equal_values_count_once_in_any_order() {
    for count in [1, 2, 3, 7, 100, 3_000, 11_504] {
        let mut hashes = random_hashes(3, count);
        let policy = BinaryFusePolicy::new(TEN);
        let expected = check(policy, &hashes);
        hashes.extend_from_within(..);
        assert!(check(policy, &hashes) == expected);
        hashes.sort_unstable();
        assert!(check(policy, &hashes) == expected);
        hashes.truncate(count * 2 - 1);
        hashes.extend_from_within(..count);
        hashes.extend_from_within(..count / 2);
        assert!(check(policy, &hashes) == expected);
        hashes.extend([hashes[0]; 200]);
        hashes.reverse();
        hashes.extend([hashes[5 % count]; 3]);
        assert!(check(policy, &hashes) == expected);
    }
    let policy = BinaryFusePolicy::new(TEN);
    let once = check(policy, &[7]);
    assert!(check(policy, &[7; 100_000]) == once);
    assert!(check(policy, &[]).is_empty());
}

#[test]
fn equal_keys_count_once_as_their_hash_values_do() {
    let policy = BinaryFusePolicy::new(TEN);
    for count in [1_u32, 63, 64, 65, 3_000, 200_000] {
        let keys: Vec<[u8; 4]> = (0..count).map(u32::to_le_bytes).collect();
        let expected = policy.build(&keys).unwrap();
        let once: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
        let adjacent = keys.iter().flat_map(|key| [&key[..]; 2]).collect();
        let last = keys.last().map(|key| &key[..]);
        let at_ends = last.into_iter().chain(once.iter().copied()).collect();
        for keys in [&once, &adjacent, &at_ends, &once.repeat(2)] {
            let mut filter = Vec::new();
            policy.append_filter(keys, &mut filter).unwrap();
            assert!(filter == expected, "{count}, {}", keys.len());
        }
    }
}

/// The inverse of the mixing of hash values under a seed.
fn unmixed(mut mixed: u64, seed: u64) -> u64 {
    mixed ^= mixed >> 33;
    mixed = mixed.wrapping_mul(0x9cb4_b2f8_1293_37db);
    mixed ^= mixed >> 33;
    mixed = mixed.wrapping_mul(0x4f74_430c_22a5_4005);
    (mixed ^ mixed >> 33).wrapping_sub(seed)
}

#[test]
fn values_that_fill_one_slot_take_another_seed() {
    const FIRST_SEED: u64 = 0x910a_2dec_8902_5cc1;
    for (together, first_fails) in [(60, false), (64, true), (300, true), (40_000, true)] {
        // The highest bits select the first place.
        let hashes: Vec<u64> = (0..together)
            .map(|i| unmixed(0x7777_7777_0000_0000 | (i * 0x61), FIRST_SEED))
            .collect();
        let filter = check(BinaryFusePolicy::new(TEN), &hashes);
        let seed = u64::from_le_bytes(*filter.split_last_chunk::<14>().unwrap().1.first_chunk().unwrap());
        assert!(!first_fails || seed != FIRST_SEED, "{together}");
    }
    // Sums of zero are not taken for empty slots.
    check(BinaryFusePolicy::new(TEN), &[unmixed(0, FIRST_SEED), 1, 2]);
}

#[test]
fn too_many_keys_are_refused() {
    let len = |keys| BinaryFusePolicy::new(TEN).max_filter_len(keys);
    assert!(len(1 << 31).is_ok() && matches!(len((1 << 31) + 1), Err(Error::FilterTooLarge { .. })));
}
