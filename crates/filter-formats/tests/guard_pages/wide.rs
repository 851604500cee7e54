//! The kernels for 64-bit hash values touch no byte outside their slices: each slice lies beside a page without access
//! rights.

use std::fmt::Display;

use filter_formats::BloomFilter64Policy;
use filter_formats::parquet::SplitBlockBloomPolicy;
use filter_formats::rocksdb::FastLocalBloomPolicy;
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, FilterPolicy, HashedPolicy, KeyBatch, PackedKeys};

use super::arch::Guarded;

const TEN: BitsPerKey = BitsPerKey::whole(10);

const LONGEST_KEY: usize = 300;
/// Two groups of the widest kernel, and one more key.
const KEYS: usize = 33;

/// Returns bytes without a pattern.
fn noise(i: usize) -> u8 {
    (i.wrapping_mul(0x9e37_79b9) >> 11).to_le_bytes()[0]
}

fn fill(bytes: &mut [u8], start: usize) {
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = noise(start + i);
    }
}

/// Returns the answers that report `count` keys as present.
fn all(count: usize) -> Vec<u64> {
    let mut answers = vec![u64::MAX; count.div_ceil(64)];
    if !count.is_multiple_of(64) {
        *answers.last_mut().unwrap() >>= 64 - count % 64;
    }
    answers
}

/// Builds a filter from keys and queries it for them, with every slice beside a guard page.
fn check_batch<P: HashedPolicy>(
    policy: P,
    keys: KeyBatch<'_>,
    end: bool,
    [out, stored, words]: &mut [Guarded; 3],
    at: &dyn Display,
) {
    let room: &mut [u8] = out.at(end, policy.max_filter_len(keys.len()).unwrap());
    let built = policy.build_batch_in(keys, room).unwrap();
    // A key equal to the previous one is not counted.
    let filter: &mut [u8] = stored.at(end, built.len());
    filter.copy_from_slice(built);
    let prepared = policy.prepare(filter);
    let answers: &mut [u64] = words.at(end, keys.len().div_ceil(64));
    prepared.may_match_many(keys, answers).unwrap();
    assert_eq!(answers, all(keys.len()), "{at}");
    for key in keys.iter() {
        assert!(prepared.may_match(key), "{at}");
        assert!(policy.key_may_match(key, filter), "{at}");
        assert!(policy.hashed_key(key).may_match(filter), "{at}");
    }
}

/// Checks every policy and kernel.
fn check_all(keys: KeyBatch<'_>, end: bool, pages: &mut [Guarded; 3], at: &str) {
    for kernel in Kernel::available() {
        let at = format_args!("{kernel}, {at}");
        check_batch(
            FastLocalBloomPolicy::new(TEN).on_kernel(kernel),
            keys,
            end,
            pages,
            &at,
        );
        check_batch(
            BloomFilter64Policy::new(TEN).on_kernel(kernel),
            keys,
            end,
            pages,
            &at,
        );
        for policy in [SplitBlockBloomPolicy::new(TEN), SplitBlockBloomPolicy::xxph3(TEN)] {
            check_batch(policy.on_kernel(kernel), keys, end, pages, &at);
        }
    }
}

/// Returns guarded memory for two filters, and for answers to 7,040 keys.
fn pages(filter: usize) -> [Guarded; 3] {
    [Guarded::new(filter), Guarded::new(filter), Guarded::new(110 * 8)]
}

#[test]
fn keys_of_every_length() {
    let mut pool: Vec<Guarded> = (0..KEYS).map(|_| Guarded::new(LONGEST_KEY)).collect();
    let mut pages = pages(1000);
    for len in 0..=LONGEST_KEY {
        for end in [true, false] {
            let equal = [len; KEYS];
            let mixed: Vec<usize> = (0..KEYS).map(|i| len.saturating_sub(i * i % 37)).collect();
            let uneven: Vec<usize> = (0..KEYS).map(|i| (len * (i + 1)) % (LONGEST_KEY + 1)).collect();
            // Lengths within a class that is hashed together.
            let near: Vec<usize> = (0..KEYS)
                .map(|i| len.max(9) + i % 8)
                .map(|len| len.min(LONGEST_KEY))
                .collect();
            for lens in [&equal[..], &mixed, &uneven, &near, &mixed[..5], &near[..1]] {
                let keys: Vec<&[u8]> = pool
                    .iter_mut()
                    .zip(lens)
                    .enumerate()
                    .map(|(i, (place, &len))| {
                        let key: &mut [u8] = place.at(end, len);
                        fill(key, i * LONGEST_KEY);
                        &*key
                    })
                    .collect();
                check_all(keys.as_slice().into(), end, &mut pages, "keys of every length");
            }
        }
    }
}

#[test]
fn packed_keys_and_hash_values() {
    let mut place = Guarded::new(130 * LONGEST_KEY);
    let mut hashes_place = Guarded::new(130 * 8);
    let mut words = Guarded::new(3 * 8);
    let mut pages = pages(1000);
    for len in (1..40).chain([63, 64, 65, 128, 129, 240, 241, LONGEST_KEY]) {
        for count in (1..40).chain([63, 64, 65, 70, 127, 128, 130]) {
            for end in [true, false] {
                let bytes: &mut [u8] = place.at(end, len * count);
                fill(bytes, 0);
                let keys = PackedKeys::new(bytes, len).unwrap();
                let at = format!("{count} keys of {len} bytes");
                check_all(keys.into(), end, &mut pages, &at);
                let hashes: &mut [u64] = hashes_place.at(end, count);
                for (hash, key) in hashes.iter_mut().zip(keys) {
                    *hash = FastLocalBloomPolicy::new(TEN).hash_key(key);
                }
                let answers: &mut [u64] = words.at(end, count.div_ceil(64));
                let [out, ..] = &mut pages;
                for kernel in Kernel::available() {
                    let local = FastLocalBloomPolicy::new(TEN).on_kernel(kernel);
                    let room: &mut [u8] = out.at(end, local.max_filter_len(count).unwrap());
                    let filter = local.build_batch_in(keys, room).unwrap();
                    local
                        .prepare(filter)
                        .may_match_hashes::<u64>(hashes, answers)
                        .unwrap();
                    assert_eq!(answers, all(count), "{kernel}, {at}");
                    let spread = BloomFilter64Policy::new(TEN).on_kernel(kernel);
                    let room: &mut [u8] = out.at(end, spread.max_filter_len(count).unwrap());
                    let filter = spread.build_batch_in(keys, room).unwrap();
                    answers.fill(0);
                    spread
                        .prepare(filter)
                        .may_match_hashes::<u64>(hashes, answers)
                        .unwrap();
                    assert_eq!(answers, all(count), "{kernel}, {at}");
                    let split = SplitBlockBloomPolicy::new(TEN).on_kernel(kernel);
                    let room: &mut [u8] = out.at(end, split.max_filter_len(count).unwrap());
                    let filter = split.build_hashes_in(hashes.iter().copied(), room).unwrap();
                    answers.fill(0);
                    split
                        .prepare(filter)
                        .may_match_hashes::<u64>(hashes, answers)
                        .unwrap();
                    assert_eq!(answers, all(count), "{kernel}, {at}");
                }
            }
        }
    }
}

/// Tests filters around the limits between the ways to build them.
#[test]
fn filters_of_many_lines() {
    const MAX: usize = 6554;
    let keys: Vec<[u8; 16]> = (0..MAX)
        .map(|i| {
            let mut key = [0; 16];
            fill(&mut key, 16 * i);
            key
        })
        .collect();
    let mut pages = pages(10_000);
    for count in [51, 52, 102, 103, 819, 820, 6553, MAX] {
        let keys: Vec<&[u8]> = keys[..count].iter().map(|key| &key[..]).collect();
        for end in [true, false] {
            check_all(keys.as_slice().into(), end, &mut pages, "many lines");
        }
    }
}

#[test]
fn filters_of_every_length() {
    const LONGEST: usize = 2100;
    let hashes: Vec<u64> = (0..200_u64)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .chain([u64::MAX, 0])
        .collect();
    let mut place = Guarded::new(LONGEST);
    for len in 0..=LONGEST {
        for end in [true, false] {
            for probes in [1, 6, 8, 9, 30] {
                let filter: &mut [u8] = place.at(end, len);
                fill(filter, 7);
                for (i, byte) in filter.iter_mut().enumerate() {
                    *byte |= noise(i);
                }
                if let Some(last) = filter.last_mut() {
                    *last = 0x80 + probes;
                }
                check_reading(
                    |kernel| BloomFilter64Policy::new(TEN).on_kernel(kernel),
                    filter,
                    &hashes,
                );
                check_reading(
                    |kernel| SplitBlockBloomPolicy::new(TEN).on_kernel(kernel),
                    filter,
                    &hashes,
                );
                if let Some(tail) = filter.last_chunk_mut() {
                    *tail = [0xff, 0, probes, 0, 0];
                }
                check_reading(
                    |kernel| FastLocalBloomPolicy::new(TEN).on_kernel(kernel),
                    filter,
                    &hashes,
                );
            }
        }
    }
}

/// Checks that all kernels answer like the portable one.
fn check_reading<P: HashedPolicy<Hash = u64>>(
    on_kernel: impl Fn(Kernel) -> P,
    filter: &[u8],
    hashes: &[u64],
) {
    let key = b"a key that is asked for";
    let scalar = on_kernel(Kernel::Scalar);
    let expected = scalar.key_may_match(key, filter);
    let mut of_hashes = [0; 4];
    scalar
        .prepare(filter)
        .may_match_hashes(hashes, &mut of_hashes)
        .unwrap();
    for kernel in Kernel::available() {
        let (policy, at) = (
            on_kernel(kernel),
            format_args!("{kernel}, {} bytes", filter.len()),
        );
        let prepared = policy.prepare(filter);
        let mut answers = [0; 4];
        prepared.may_match_hashes(hashes, &mut answers).unwrap();
        assert_eq!(answers, of_hashes, "{at}");
        assert_eq!(policy.key_may_match(key, filter), expected, "{at}");
        assert_eq!(prepared.may_match(key), expected, "{at}");
        assert_eq!(policy.hashed_key(key).may_match(filter), expected, "{at}");
        let mut answers = [0; 2];
        policy
            .hashed_key(key)
            .may_match_each(&[filter; 65], &mut answers)
            .unwrap();
        assert_eq!(answers, if expected { [u64::MAX, 1] } else { [0, 0] }, "{at}");
    }
}
