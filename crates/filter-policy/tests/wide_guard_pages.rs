//! The kernels for 64-bit hash values touch no byte outside the slices that they are given: each slice lies beside a page
//! without access rights.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod arch;

use arch::Guarded;
use filter_policy::{
    BitsPerKey, BloomFilter64Policy, BloomFilter64View, FastLocalBloomPolicy, FilterPolicy, Kernel,
    PackedKeys, RocksDbBitsPerKey, RocksDbFilterView,
};

const LONGEST_KEY: usize = 300;
/// Two groups of the widest kernel, and one key more.
const KEYS: usize = 33;

/// Bytes without a pattern.
fn noise(i: usize) -> u8 {
    (i.wrapping_mul(0x9e37_79b9) >> 11).to_le_bytes()[0]
}

fn fill(bytes: &mut [u8], start: usize) {
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = noise(start + i);
    }
}

/// The bits that tell of `count` keys that they are there.
fn all(count: usize) -> Vec<u64> {
    let mut answers = vec![u64::MAX; count.div_ceil(64)];
    if !count.is_multiple_of(64) {
        *answers.last_mut().unwrap() >>= 64 - count % 64;
    }
    answers
}

/// Builds from keys of these lengths and asks for them, with every slice beside a guard page.
fn check(lens: &[usize], end: bool, pool: &mut [Guarded], out: &mut Guarded, stored: &mut Guarded) {
    let mut keys: Vec<&[u8]> = Vec::new();
    for (i, (place, &len)) in pool.iter_mut().zip(lens).enumerate() {
        let key: &mut [u8] = place.at(end, len);
        fill(key, i * LONGEST_KEY);
        keys.push(key);
    }
    for kernel in Kernel::available() {
        let policy = FastLocalBloomPolicy::new(RocksDbBitsPerKey::whole(10)).on_kernel(kernel);
        let room: &mut [u8] = out.at(end, policy.filter_len(keys.len()));
        let built = policy.build_batch_in(&keys[..], room).unwrap();
        // Keys that follow equal ones are not counted.
        let filter: &mut [u8] = stored.at(end, built.len());
        filter.copy_from_slice(built);
        let view = RocksDbFilterView::on_kernel(filter, kernel);
        let mut answers = [0];
        view.may_match_many(&keys[..], &mut answers).unwrap();
        assert_eq!(answers[..], all(keys.len()), "{kernel}, {lens:?}");
        for key in &keys {
            assert!(view.may_match(key), "{kernel}, {lens:?}");
            assert!(policy.key_may_match(key, filter), "{kernel}, {lens:?}");
            assert!(policy.hashed(key).may_be_in(filter), "{kernel}, {lens:?}");
        }

        let policy = BloomFilter64Policy::new(BitsPerKey::whole(10)).on_kernel(kernel);
        let room: &mut [u8] = out.at(end, policy.filter_len(keys.len()).unwrap());
        let filter = policy.build_batch_in(&keys[..], room).unwrap();
        let view = BloomFilter64View::on_kernel(filter, kernel);
        view.may_match_many(&keys[..], &mut answers).unwrap();
        assert_eq!(answers[..], all(keys.len()), "{kernel}, {lens:?}");
        for key in &keys {
            assert!(view.may_match(key), "{kernel}, {lens:?}");
        }
    }
}

#[test]
fn keys_of_every_length() {
    let mut pool: Vec<Guarded> = (0..KEYS).map(|_| Guarded::new(LONGEST_KEY)).collect();
    let (mut out, mut stored) = (Guarded::new(1000), Guarded::new(1000));
    for len in 0..=LONGEST_KEY {
        for end in [true, false] {
            let equal = [len; KEYS];
            let mixed: Vec<usize> = (0..KEYS).map(|i| len.saturating_sub(i * i % 37)).collect();
            let uneven: Vec<usize> = (0..KEYS).map(|i| (len * (i + 1)) % (LONGEST_KEY + 1)).collect();
            // Within what is hashed together.
            let near: Vec<usize> = (0..KEYS)
                .map(|i| len.max(9) + i % 8)
                .map(|len| len.min(LONGEST_KEY))
                .collect();
            for lens in [&equal[..], &mixed, &uneven, &near, &mixed[..5], &near[..1]] {
                check(lens, end, &mut pool, &mut out, &mut stored);
            }
        }
    }
}

#[test]
fn packed_keys_and_hash_values() {
    let mut place = Guarded::new(130 * LONGEST_KEY);
    let mut hashes_place = Guarded::new(130 * 8);
    let (mut out, mut stored) = (Guarded::new(1000), Guarded::new(1000));
    let mut answers_place = Guarded::new(3 * 8);
    for len in (1..40).chain([63, 64, 65, 128, 129, 240, 241, LONGEST_KEY]) {
        for count in (1..40).chain([63, 64, 65, 70, 127, 128, 130]) {
            for end in [true, false] {
                let bytes: &mut [u8] = place.at(end, len * count);
                fill(bytes, 0);
                let keys = PackedKeys::new(bytes, len).unwrap();
                let hashes: &mut [u64] = hashes_place.at(end, count);
                for (hash, key) in hashes.iter_mut().zip(keys) {
                    *hash = FastLocalBloomPolicy::hash(key);
                }
                let answers: &mut [u64] = answers_place.at(end, count.div_ceil(64));
                for kernel in Kernel::available() {
                    let policy = FastLocalBloomPolicy::new(RocksDbBitsPerKey::whole(10)).on_kernel(kernel);
                    let room: &mut [u8] = out.at(end, policy.filter_len(count));
                    let built = policy.build_batch_in(keys, room).unwrap();
                    let filter: &mut [u8] = stored.at(end, built.len());
                    filter.copy_from_slice(built);
                    let view = RocksDbFilterView::on_kernel(filter, kernel);
                    view.may_match_many(keys, answers).unwrap();
                    assert_eq!(answers, all(count), "{kernel}, {count} keys of {len} bytes");
                    answers.fill(0);
                    view.may_match_hashes(hashes, answers).unwrap();
                    assert_eq!(answers, all(count), "{kernel}, {count} keys of {len} bytes");

                    let policy = BloomFilter64Policy::new(BitsPerKey::whole(10)).on_kernel(kernel);
                    let room: &mut [u8] = out.at(end, policy.filter_len(count).unwrap());
                    let filter = policy.build_batch_in(keys, room).unwrap();
                    let view = BloomFilter64View::on_kernel(filter, kernel);
                    answers.fill(0);
                    view.may_match_many(keys, answers).unwrap();
                    assert_eq!(answers, all(count), "{kernel}, {count} keys of {len} bytes");
                    answers.fill(0);
                    view.may_match_hashes(hashes, answers).unwrap();
                    assert_eq!(answers, all(count), "{kernel}, {count} keys of {len} bytes");
                }
            }
        }
    }
}

/// Filters around the borders between the ways in which they are built.
#[test]
fn filters_of_many_lines() {
    const MOST: usize = 6554;
    let keys: Vec<[u8; 16]> = (0..MOST)
        .map(|i| {
            let mut key = [0; 16];
            fill(&mut key, 16 * i);
            key
        })
        .collect();
    let (mut out, mut stored) = (Guarded::new(10_000), Guarded::new(10_000));
    for count in [51, 52, 102, 103, 819, 820, 6553, MOST] {
        let keys: Vec<&[u8]> = keys[..count].iter().map(|key| &key[..]).collect();
        for end in [true, false] {
            for kernel in Kernel::available() {
                let policy = FastLocalBloomPolicy::new(RocksDbBitsPerKey::whole(10)).on_kernel(kernel);
                let room: &mut [u8] = out.at(end, policy.filter_len(count));
                let built = policy.build_batch_in(&keys[..], room).unwrap();
                let filter: &mut [u8] = stored.at(end, built.len());
                filter.copy_from_slice(built);
                let mut answers = vec![0; count.div_ceil(64)];
                let view = RocksDbFilterView::on_kernel(filter, kernel);
                view.may_match_many(&keys[..], &mut answers).unwrap();
                assert_eq!(answers, all(count), "{kernel}, {count} keys");
            }
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
    let key = b"a key that is asked for";
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
                let scalar = BloomFilter64View::on_kernel(filter, Kernel::Scalar);
                let mut expected = [0; 4];
                scalar.may_match_hashes(&hashes, &mut expected).unwrap();
                for kernel in Kernel::available() {
                    let view = BloomFilter64View::on_kernel(filter, kernel);
                    let mut answers = [0; 4];
                    view.may_match_hashes(&hashes, &mut answers).unwrap();
                    assert_eq!(answers, expected, "{kernel}, {len} bytes, {probes} probes");
                    assert_eq!(
                        view.may_match(key),
                        scalar.may_match(key),
                        "{kernel}, {len} bytes"
                    );
                }

                if let Some(tail) = filter.last_chunk_mut() {
                    *tail = [0xff, 0, probes, 0, 0];
                }
                let scalar = RocksDbFilterView::on_kernel(filter, Kernel::Scalar);
                scalar.may_match_hashes(&hashes, &mut expected).unwrap();
                for kernel in Kernel::available() {
                    let view = RocksDbFilterView::on_kernel(filter, kernel);
                    let policy = FastLocalBloomPolicy::new(RocksDbBitsPerKey::MIN).on_kernel(kernel);
                    let mut answers = [0; 4];
                    view.may_match_hashes(&hashes, &mut answers).unwrap();
                    assert_eq!(answers, expected, "{kernel}, {len} bytes, {probes} probes");
                    let answer = scalar.may_match(key);
                    assert_eq!(view.may_match(key), answer, "{kernel}, {len} bytes");
                    assert_eq!(policy.key_may_match(key, filter), answer, "{kernel}, {len} bytes");
                    assert_eq!(
                        policy.hashed(key).may_be_in(filter),
                        answer,
                        "{kernel}, {len} bytes"
                    );
                }
            }
        }
    }
}
