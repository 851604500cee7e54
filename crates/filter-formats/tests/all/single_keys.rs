//! One key and any stored bytes: all kernels, and all ways to query, answer by the rules.

use filter_policy::hashers::{KeyHasher, LevelDbHash, Murmur2, Murmur2SignedTail};
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, HashedPolicy};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::support::rules;

/// Queries one key at a time, in the function that goes from the key to the answer: stored bytes of every length up to
/// more than the registers hold, with every last byte that has a meaning and some others, for keys of 16 bytes and
/// other lengths.
#[test]
fn any_stored_bytes_and_one_key() {
    let mut random = SplitMix64::seed_from_u64(10);
    let mut bytes = [0; 600];
    random.fill_bytes(&mut bytes);
    let keys: Vec<&[u8]> = [16, 16, 16, 16, 0, 3, 15, 17, 32]
        .iter()
        .zip((0..).step_by(40))
        .map(|(&len, start)| &bytes[start..start + len])
        .collect();
    for len in (0..=300).chain([1024, 5121]) {
        for probes in (0..=34).chain([254, 255]) {
            // About 3 of 64 bits are missing, so that both answers are frequent.
            let mut filter: Vec<u8> = (0..len)
                .map(|_| {
                    let [a, b, c, d, e, ..] = random.next_u64().to_le_bytes();
                    a | b | c | d | e & 0b0101_0101
                })
                .collect();
            if let Some(last) = filter.last_mut() {
                *last = probes;
            }
            check_key_by_key(LevelDbHash, &filter, &keys);
            check_key_by_key(Murmur2::with_seed(0x9747_b28c), &filter, &keys[3..]);
            check_key_by_key(Murmur2SignedTail, &filter, &keys[3..]);
            check_key_by_key(FirstWord, &filter, &keys[..5]);
        }
    }
}

fn check_key_by_key(hasher: impl KeyHasher + Copy, filter: &[u8], keys: &[&[u8]]) {
    let policy = BloomFilterPolicy::with_hasher(hasher, BitsPerKey::whole(10));
    for key in keys {
        let expected = rules::answer(filter, hasher.hash(key));
        let context = || format!("{} bytes, {:?} at the end, {key:x?}", filter.len(), filter.last());
        assert_eq!(policy.key_may_match(key, filter), expected, "{}", context());
        for kernel in Kernel::available() {
            let policy = policy.on_kernel(kernel);
            let answers = [
                policy.key_may_match(key, filter),
                policy.hashed_key(key).may_match(filter),
                policy.prepare(filter).may_match(key),
            ];
            assert_eq!(answers, [expected; 3], "{kernel}, {}", context());
        }
    }
}

/// Takes the first four bytes of a key as the hash value.
#[derive(Clone, Copy)]
struct FirstWord;

impl KeyHasher for FirstWord {
    fn hash(&self, key: &[u8]) -> u32 {
        key.first_chunk().map_or(0, |word| u32::from_le_bytes(*word))
    }

    fn policy_name(&self) -> &str {
        "test.FirstWord"
    }
}

/// No position reaches beyond 2^32 bits, and lanes stop before 2^31: larger filters use the portable code on all
/// kernels.
#[test]
fn filters_of_2_to_the_31_bits_and_more() {
    let hashes = [
        0,
        1,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0xdead_beef,
        0x0123_4567,
    ];
    let sizes = [
        (1_usize << 28) - 1,
        1 << 28,
        (1 << 29) - 1,
        1 << 29,
        (1 << 29) + 5,
    ];
    // Single queries with up to 8 probes take another path than those with more.
    for (bytes, probes) in sizes.into_iter().flat_map(|bytes| [(bytes, 6), (bytes, 9)]) {
        let bits = bytes as u64 * 8;
        // Untouched memory costs nothing.
        let mut filter = vec![0; bytes + 1];
        filter[bytes] = probes;
        for position in hashes
            .iter()
            .flat_map(|&hash| rules::positions(hash, bits, probes))
        {
            filter[position / 8] |= 1 << (position % 8);
        }
        for kernel in Kernel::available() {
            let policy = BloomFilterPolicy::with_hasher(FirstWord, BitsPerKey::whole(10)).on_kernel(kernel);
            let prepared = policy.prepare(&filter);
            let mut answers = [0];
            let asked: Vec<u32> = hashes
                .iter()
                .flat_map(|&hash| [hash, hash.wrapping_add(12_345)])
                .collect();
            prepared.may_match_hashes(&asked, &mut answers).unwrap();
            assert_eq!(answers, [0b01_0101_0101_0101], "{kernel}, {bytes} bytes");
            for (i, &hash) in asked.iter().enumerate() {
                let expected = i % 2 == 0;
                let key: Vec<u8> = hash.to_le_bytes().repeat(4);
                assert_eq!(prepared.may_match_hash(hash), expected, "{kernel}, {bytes} bytes");
                for key in [&key[..], &key[..5]] {
                    assert_eq!(
                        policy.key_may_match(key, &filter),
                        expected,
                        "{kernel}, {bytes} bytes"
                    );
                }
            }
        }
    }
}
