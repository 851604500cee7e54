//! All kernels write the bytes and give the answers that the definition of the probe sequence requires.

use filter_formats::view::{FilterLayout, FilterView};
use filter_policy::hashers::{KeyHasher, LevelDbHash, Murmur2, Murmur2SignedTail};
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, HashedPolicy, leveldb};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::support::rules;
use super::support::ways::{answers, built, check_many};

/// Returns the fewest whole bits per key that give this probe count.
fn bits_for(probes: u32) -> BitsPerKey {
    BitsPerKey::whole((probes * 100).div_ceil(69))
}

fn random_bytes(seed: u64, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    SplitMix64::seed_from_u64(seed).fill_bytes(&mut bytes);
    bytes
}

fn random_hashes(seed: u64, count: usize) -> Vec<u32> {
    let mut random = SplitMix64::seed_from_u64(seed);
    (0..count).map(|_| random.next_u32()).collect()
}

/// Checks that every kernel builds and answers according to the rules.
fn check_keys<H: KeyHasher + Copy>(hasher: H, bits_per_key: BitsPerKey, keys: &[&[u8]], asked: &[&[u8]]) {
    let expected = rules::filter(bits_per_key, keys.iter().map(|key| hasher.hash(key)));
    for kernel in Kernel::available() {
        let context = format!("{kernel}, {} bits", bits_per_key.get());
        let policy = BloomFilterPolicy::with_hasher(hasher, bits_per_key).on_kernel(kernel);
        assert!(built(&policy, keys, &context) == expected, "{context}");
        for asked in [keys, asked] {
            let of_rules: Vec<bool> = asked
                .iter()
                .map(|key| rules::answer(&expected, hasher.hash(key)))
                .collect();
            assert_eq!(
                answers(&policy, &expected, asked, &context),
                of_rules,
                "{context}"
            );
        }
    }
}

/// Checks all hash functions, and one that has no lanes.
fn check_hashers(bits_per_key: BitsPerKey, keys: &[&[u8]], asked: &[&[u8]]) {
    #[derive(Clone, Copy)]
    struct NoLanes;

    impl KeyHasher for NoLanes {
        fn hash(&self, key: &[u8]) -> u32 {
            key.iter().fold(1, |hash: u32, byte| {
                hash.wrapping_mul(31).wrapping_add(u32::from(*byte))
            })
        }

        fn policy_name(&self) -> &str {
            "test.NoLanes"
        }
    }

    check_keys(LevelDbHash, bits_per_key, keys, asked);
    check_keys(Murmur2::new(), bits_per_key, keys, asked);
    check_keys(Murmur2::with_seed(0x9747_b28c), bits_per_key, keys, asked);
    check_keys(Murmur2SignedTail, bits_per_key, keys, asked);
    check_keys(NoLanes, bits_per_key, keys, asked);
}

#[test]
fn every_probe_count() {
    let bytes = random_bytes(1, 16 * 3000);
    let keys: Vec<&[u8]> = bytes.chunks(16).collect();
    for probes in 1..=30 {
        let bits_per_key = bits_for(probes);
        assert_eq!(u32::from(leveldb::probe_count(bits_per_key)), probes);
        for count in [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 200, 1000] {
            let (keys, others) = keys.split_at(count);
            check_keys(LevelDbHash, bits_per_key, keys, &others[..400]);
        }
        check_hashers(bits_per_key, &keys[..50], &keys[50..150]);
    }
}

#[test]
fn every_key_length() {
    let bytes = random_bytes(2, 400 * 80);
    for len in 0..=300 {
        let keys: Vec<&[u8]> = bytes.chunks(400).map(|chunk| &chunk[..len]).collect();
        let (keys, others) = keys.split_at(37);
        check_hashers(BitsPerKey::whole(10), keys, others);
    }
}

#[test]
fn keys_of_mixed_lengths() {
    let bytes = random_bytes(3, 1 << 16);
    let mut random = SplitMix64::seed_from_u64(3);
    for longest in [1_u32, 3, 4, 5, 8, 17, 40, 128, 300, 2000] {
        for count in [5, 16, 100, 1000] {
            let mut keys = (0..count + 200).map(|_| {
                let len = (random.next_u32() % (longest + 1)) as usize;
                let start = random.next_u32() as usize % (bytes.len() - len);
                &bytes[start..start + len]
            });
            let built: Vec<&[u8]> = keys.by_ref().take(count).collect();
            let others: Vec<&[u8]> = keys.collect();
            check_hashers(BitsPerKey::whole(10), &built, &others);
        }
    }
}

/// Tests lengths around the limit from which keys are hashed one by one.
#[test]
fn keys_of_a_mebibyte() {
    const LONG: usize = 1 << 20;
    let bytes = random_bytes(9, LONG + 20);
    let keys: Vec<&[u8]> = [
        LONG - 1,
        LONG,
        LONG,
        LONG - 3,
        LONG + 1,
        LONG + 3,
        LONG + 4,
        LONG,
        LONG - 2,
    ]
    .into_iter()
    .enumerate()
    .map(|(start, len)| &bytes[start..start + len])
    .collect();
    for keys in [&keys[..4], &keys] {
        check_keys(LevelDbHash, BitsPerKey::whole(10), keys, &[]);
        check_keys(Murmur2SignedTail, BitsPerKey::whole(10), keys, &[]);
    }
}

#[test]
fn every_number_of_keys() {
    const MAX: usize = 5000;
    let keys: Vec<[u8; 16]> = random_bytes(4, 16 * MAX)
        .chunks(16)
        .map(|key| key.try_into().unwrap())
        .collect();
    let hashes: Vec<u32> = keys.iter().map(|key| LevelDbHash.hash(key)).collect();
    let absent = random_hashes(5, 100);
    let bits_per_key = BitsPerKey::whole(10);
    for count in 0..=MAX {
        let expected = rules::filter(bits_per_key, hashes[..count].iter().copied());
        let of_absent: Vec<bool> = absent
            .iter()
            .map(|&hash| rules::answer(&expected, hash))
            .collect();
        let mut room = vec![0xa5; expected.len()];
        for kernel in Kernel::available() {
            let at = format!("{kernel}, {count}");
            let policy = BloomFilterPolicy::leveldb_builtin(bits_per_key).on_kernel(kernel);
            assert!(
                policy.build_batch_in(&keys[..count], &mut room).unwrap() == expected,
                "{at}"
            );
            let prepared = policy.prepare(&expected);
            check_many(&at, &vec![true; count], &|answers| {
                prepared.may_match_many(&keys[..count], answers)
            });
            check_many(&at, &of_absent, &|answers| {
                prepared.may_match_hashes(&absent, answers)
            });
        }
    }
}

/// Bit arrays that no builder made, at every density, with batches of every size, up to where kernels prefetch.
#[test]
fn any_filter_and_any_batch() {
    let mut random = SplitMix64::seed_from_u64(6);
    let hashes = random_hashes(7, 3000);
    let sizes = (1..=300)
        .chain([511, 512, 1023, 1024, 1025, 4096, 20_000, 20_001])
        .chain([(4 << 20) - 1, 4 << 20, (5 << 20) + 3]);
    for len in sizes {
        for density in 0..4 {
            let mut filter = random_bytes(random.next_u64(), len);
            let second = random_bytes(random.next_u64(), len);
            for (byte, other) in filter.iter_mut().zip(second) {
                match density {
                    0 => *byte &= other,
                    1 => {}
                    2 => *byte |= other,
                    // Nearly all keys match.
                    _ => *byte = if other == 0 { *byte } else { 0xff },
                }
            }
            filter.push(u8::try_from(random.next_u32() % 33).unwrap());
            let expected: Vec<bool> = hashes.iter().map(|&hash| rules::answer(&filter, hash)).collect();
            for kernel in Kernel::available() {
                let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10)).on_kernel(kernel);
                let prepared = policy.prepare(&filter);
                for count in [0_usize, 1, 63, 64, 127, 128, 129, 1024, 1025, 3000] {
                    let at = format!("{kernel}, {len} bytes, {count} keys");
                    check_many(&at, &expected[..count], &|answers| {
                        prepared.may_match_hashes(&hashes[..count], answers)
                    });
                }
                for (&hash, &expected) in hashes.iter().zip(&expected).take(200) {
                    assert_eq!(prepared.may_match_hash(hash), expected, "{kernel}, {len} bytes");
                }
            }
        }
    }
}

/// The filters are so large that bits are prefetched while they are set.
#[test]
fn filters_beyond_the_cache() {
    for count in [3_360_000, 3_360_001, 3_360_007, 3_360_008, 3_360_015] {
        let hashes = random_hashes(8, count);
        let bits_per_key = BitsPerKey::whole(10);
        let expected = rules::filter(bits_per_key, hashes.iter().copied());
        for kernel in Kernel::available() {
            let policy = BloomFilterPolicy::leveldb_builtin(bits_per_key).on_kernel(kernel);
            let mut room = vec![0xa5; expected.len()];
            let built = policy.build_hashes_in(hashes.iter().copied(), &mut room).unwrap();
            assert!(built == expected, "{kernel}, {count} keys");
        }
    }
}

#[test]
fn building_filters_of_2_to_the_31_bits_and_more() {
    for bits in [(1_u32 << 31) - 8, 1 << 31, u32::MAX] {
        let bits_per_key = BitsPerKey::whole(bits);
        let mut room = vec![0xff; leveldb::filter_len(bits_per_key, 1).unwrap()];
        for kernel in Kernel::available().skip(1) {
            let policy = BloomFilterPolicy::new(bits_per_key).on_kernel(kernel);
            let filter = policy.build_batch_in(&[&b"key"[..]], &mut room).unwrap();
            assert!(policy.key_may_match(b"key", filter), "{kernel}, {bits} bits");
            let ones = FilterView::new(FilterLayout::LevelDb, filter).ones();
            assert_eq!(ones, Some(30), "{kernel}, {bits} bits");
        }
    }
}
