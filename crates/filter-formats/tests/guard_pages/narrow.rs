//! No kernel touches a byte outside its slices: each slice lies beside a page without access rights.

use filter_policy::hashers::{KeyHasher, LevelDbHash, Murmur2, Murmur2SignedTail};
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, HashedPolicy, PackedKeys};

use super::arch::Guarded;
use super::rules;

const LONGEST_KEY: usize = 300;
/// Two groups of the widest kernel, and one more key.
const KEYS: usize = 33;

/// Returns bytes without a pattern.
fn noise(i: usize) -> u8 {
    (i.wrapping_mul(0x9e37_79b9) >> 11).to_le_bytes()[0]
}

/// Builds a filter from keys of these lengths and queries it for them, with every slice beside a guard page.
fn check<H: KeyHasher + Copy>(hasher: H, lens: &[usize], end: bool, pool: &mut [Guarded], out: &mut Guarded) {
    let mut keys: Vec<&[u8]> = Vec::new();
    for (i, (place, &len)) in pool.iter_mut().zip(lens).enumerate() {
        let key: &mut [u8] = place.at(end, len);
        for (j, byte) in key.iter_mut().enumerate() {
            *byte = noise(i * LONGEST_KEY + j);
        }
        keys.push(key);
    }
    let bits_per_key = BitsPerKey::whole(10);
    for kernel in Kernel::available() {
        let policy = BloomFilterPolicy::with_hasher(hasher, bits_per_key).on_kernel(kernel);
        let room: &mut [u8] = out.at(end, policy.max_filter_len(keys.len()).unwrap());
        let filter = policy.build_batch_in(&keys[..], room).unwrap();
        let prepared = policy.prepare(filter);
        let mut answers = [0];
        prepared.may_match_many(&keys[..], &mut answers).unwrap();
        assert_eq!(answers[0], u64::MAX >> (64 - keys.len()), "{kernel}, {lens:?}");
        for key in &keys {
            assert!(rules::answer(filter, hasher.hash(key)), "{kernel}, {lens:?}");
            assert!(prepared.may_match(key), "{kernel}, {lens:?}");
            assert!(policy.key_may_match(key, filter), "{kernel}, {lens:?}");
        }
    }
}

#[test]
fn keys_of_every_length() {
    let mut pool: Vec<Guarded> = (0..KEYS).map(|_| Guarded::new(LONGEST_KEY)).collect();
    let mut out = Guarded::new(1000);
    for len in 0..=LONGEST_KEY {
        for end in [true, false] {
            let equal = [len; KEYS];
            let mixed: Vec<usize> = (0..KEYS).map(|i| len.saturating_sub(i * i % 37)).collect();
            let uneven: Vec<usize> = (0..KEYS).map(|i| (len * (i + 1)) % (LONGEST_KEY + 1)).collect();
            for lens in [&equal[..], &mixed, &uneven, &mixed[..5]] {
                check(LevelDbHash, lens, end, &mut pool, &mut out);
                check(Murmur2::new(), lens, end, &mut pool, &mut out);
                check(Murmur2SignedTail, lens, end, &mut pool, &mut out);
            }
        }
    }
}

#[test]
fn packed_keys_and_hash_values() {
    let mut place = Guarded::new(70 * LONGEST_KEY);
    let mut hashes_place = Guarded::new(70 * 4);
    let mut out = Guarded::new(1000);
    let mut answers_place = Guarded::new(2 * 8);
    for len in (1..40).chain([63, 64, 65, LONGEST_KEY]) {
        for count in (1..40).chain([63, 64, 65, 70]) {
            for end in [true, false] {
                let bytes: &mut [u8] = place.at(end, len * count);
                for (i, byte) in bytes.iter_mut().enumerate() {
                    *byte = noise(i);
                }
                let keys = PackedKeys::new(bytes, len).unwrap();
                let hashes: &mut [u32] = hashes_place.at(end, count);
                for (hash, key) in hashes.iter_mut().zip(keys) {
                    *hash = LevelDbHash.hash(key);
                }
                for kernel in Kernel::available() {
                    let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10)).on_kernel(kernel);
                    let room: &mut [u8] = out.at(end, policy.max_filter_len(count).unwrap());
                    let from_hashes = policy
                        .build_hashes_in(hashes.iter().copied(), room)
                        .unwrap()
                        .to_vec();
                    assert_eq!(policy.build_batch_in(keys, room).unwrap(), from_hashes);
                    let prepared = policy.prepare(room);
                    let answers: &mut [u64] = answers_place.at(end, count.div_ceil(64));
                    prepared.may_match_many(keys, answers).unwrap();
                    let expected = answers.to_vec();
                    assert_eq!(
                        expected
                            .iter()
                            .map(|word| word.count_ones() as usize)
                            .sum::<usize>(),
                        count
                    );
                    prepared.may_match_hashes::<u32>(hashes, answers).unwrap();
                    assert_eq!(answers, expected);
                }
            }
        }
    }
}

#[test]
fn filters_of_every_length() {
    const LONGEST: usize = 2100;
    let hashes: Vec<u32> = (0..300_u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let mut place = Guarded::new(LONGEST);
    for len in 1..=LONGEST {
        for end in [true, false] {
            let filter: &mut [u8] = place.at(end, len);
            for (i, byte) in filter.iter_mut().enumerate() {
                *byte = noise(i) | noise(i + 1);
            }
            for probes in [1, 6, 7, 8, 9, 30] {
                filter[len - 1] = probes;
                for kernel in Kernel::available() {
                    let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10)).on_kernel(kernel);
                    for key in [&b"a key of 16 byte"[..], b"another"] {
                        let expected = rules::answer(filter, LevelDbHash.hash(key));
                        assert_eq!(
                            policy.key_may_match(key, filter),
                            expected,
                            "{kernel}, {len} bytes, {probes} probes"
                        );
                    }
                }
            }
            filter[len - 1] = u8::try_from(len % 31).unwrap();
            for kernel in Kernel::available() {
                let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10)).on_kernel(kernel);
                let prepared = policy.prepare(filter);
                let mut answers = [0; 5];
                prepared.may_match_hashes(&hashes, &mut answers).unwrap();
                for (i, &hash) in hashes.iter().enumerate() {
                    let expected = rules::answer(filter, hash);
                    assert_eq!(
                        answers[i / 64] >> (i % 64) & 1 == 1,
                        expected,
                        "{kernel}, {len} bytes"
                    );
                    if i % 4 == 0 {
                        assert_eq!(prepared.may_match_hash(hash), expected, "{kernel}, {len} bytes");
                    }
                }
            }
        }
    }
}
