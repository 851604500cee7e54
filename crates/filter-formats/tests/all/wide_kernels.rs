//! All kernels for policies with 64-bit hash values write the bytes and give the answers that the formats define.

use filter_formats::BloomFilter64Policy;
use filter_formats::parquet::SplitBlockBloomPolicy;
use filter_formats::rocksdb::{FastLocalBloomPolicy, LegacyFullFilterPolicy};
use filter_formats::sizing::Format;
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, FilterPolicy, HashedPolicy};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::support::ways::{answers, check_many};
use super::support::wide_filters::{
    check, fast_local_answer, fast_local_bits, fast_local_oracle, hashes_of, probes_of, random_hashes,
    random_keys, slices, split_answer, split_bits, split_oracle, spread_answer, spread_bits, spread_oracle,
};

const TEN: BitsPerKey = BitsPerKey::whole(10);

fn spread_policy(kernel: Kernel) -> BloomFilter64Policy {
    BloomFilter64Policy::new(TEN).on_kernel(kernel)
}

fn local_policy(kernel: Kernel) -> FastLocalBloomPolicy {
    FastLocalBloomPolicy::new(TEN).on_kernel(kernel)
}

fn split_policy(kernel: Kernel) -> SplitBlockBloomPolicy {
    SplitBlockBloomPolicy::new(TEN).on_kernel(kernel)
}

#[test]
fn every_number_of_keys() {
    let borders = [
        255, 256, 257, 511, 512, 513, 819, 820, 1023, 1024, 1025, 5000, 6553, 6554,
    ];
    for count in (0..200).chain(borders) {
        let keys = random_keys(1, count, |_| 16);
        check(10.0, &keys, &random_keys(2, 131, |_| 16));
    }
}

#[test]
fn every_length_of_key() {
    for len in 0..=300 {
        let keys = random_keys(len as u64, 37, |_| len);
        check(10.0, &keys, &random_keys(!0, 70, |i| (len + i) % 301));
    }
}

#[test]
fn lengths_in_any_mixture() {
    for (seed, longest) in [(1, 3), (2, 9), (3, 17), (4, 33), (5, 41), (6, 130), (7, 301)] {
        let lens = random_hashes(seed, 500);
        let keys = random_keys(seed, 500, |i| usize::try_from(lens[i] % longest).unwrap());
        check(10.0, &keys, &random_keys(8, 200, |i| i % 50));
    }
    // Lengths around the limits between the ways to hash groups of eight.
    for border in [8_usize, 9, 16, 17, 32, 33, 64, 65] {
        for odd in 0..8 {
            for (usual, other) in [(border, border - 1), (border - 1, border)] {
                let keys = random_keys(9, 24, |i| if i % 8 == odd { other } else { usual });
                check(10.0, &keys, &keys);
            }
        }
    }
}

#[test]
fn every_number_of_probes_and_fractions_of_bits() {
    let keys = random_keys(3, 150, |_| 16);
    let others = random_keys(4, 100, |_| 16);
    let mut seen = [[false; 31]; 2];
    for tenths in (10..=500_u32).step_by(3).chain([750, 990, 1000]) {
        let bits = f64::from(tenths) / 10.0;
        check(bits, &keys, &others);
        let bits = BitsPerKey::fractional(bits).unwrap();
        for (format, seen) in [Format::FastLocalBloom, Format::Bloom64]
            .into_iter()
            .zip(&mut seen)
        {
            seen[usize::from(probes_of(format, bits, keys.len()))] = true;
        }
    }
    assert!(seen[0][1..=24].iter().all(|&seen| seen), "{:?}", seen[0]);
    assert!(seen[1][1..=30].iter().all(|&seen| seen), "{:?}", seen[1]);
}

/// Tests every probe count that a stored filter can have, whoever wrote it.
#[test]
fn filters_with_any_bits_and_probes() {
    let mut hashes = random_hashes(5, 700);
    // The values with the largest and the smallest products.
    hashes[..6].copy_from_slice(&[0, u64::MAX, 0xffff_ffff, !0xffff_ffff, 1 << 63, 1]);
    let mut random = SplitMix64::seed_from_u64(6);
    for probes in 1..=30_u8 {
        for len in [
            1_usize, 2, 3, 7, 40, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 258, 259, 260, 1000, 4099,
        ] {
            // Three of four bits are ones, so that some answers are yes at any probe count.
            let mut bytes = vec![0; len];
            for byte in &mut bytes {
                *byte = (random.next_u64() | random.next_u64()).to_le_bytes()[0];
            }
            if probes > 12 {
                bytes.fill(0xff);
                bytes[len / 2] = 0x7f;
            }
            let spread: Vec<u8> = bytes.iter().copied().chain([0x80 + probes]).collect();
            let lines = len / 64;
            let local: Vec<u8> = bytes[..64 * lines]
                .iter()
                .copied()
                .chain([0xff, 0, probes, 0, 0])
                .collect();
            for kernel in Kernel::available() {
                let at = format!("{kernel}, {len} bytes, {probes} probes");
                let policy = spread_policy(kernel);
                let prepared = policy.prepare(&spread);
                let expected: Vec<bool> = hashes.iter().map(|&hash| spread_answer(&spread, hash)).collect();
                check_many(&at, &expected, &|answers| {
                    prepared.may_match_hashes(&hashes, answers)
                });
                for (&hash, &expected) in hashes.iter().zip(&expected) {
                    assert_eq!(prepared.may_match_hash(hash), expected, "{at}");
                }
                if lines == 0 {
                    continue;
                }
                let policy = local_policy(kernel);
                let prepared = policy.prepare(&local);
                let expected: Vec<bool> = hashes
                    .iter()
                    .map(|&hash| fast_local_answer(&local, hash))
                    .collect();
                for count in [0, 1, 2, 15, 63, 64, 65, hashes.len()] {
                    check_many(&at, &expected[..count], &|answers| {
                        prepared.may_match_hashes(&hashes[..count], answers)
                    });
                }
            }
        }
    }
}

/// Tests split blocks, in any number.
#[test]
fn every_number_of_blocks() {
    let mut hashes = random_hashes(13, 200);
    hashes[..6].copy_from_slice(&[0, u64::MAX, 0xffff_ffff, !0xffff_ffff, 1 << 63, 1]);
    let mut random = SplitMix64::seed_from_u64(14);
    for blocks in (1..300).chain([1023, 1024, 1025, 32_767, 32_768, 32_769]) {
        let mut filter = vec![0; 32 * blocks];
        // So full that about a fifth of the answers are yes.
        for bytes in filter.chunks_mut(8) {
            let ones = random.next_u64() | random.next_u64() & random.next_u64();
            bytes.copy_from_slice(&(ones | random.next_u64()).to_le_bytes());
        }
        let expected: Vec<bool> = hashes.iter().map(|&hash| split_answer(&filter, hash)).collect();
        for kernel in Kernel::available() {
            let at = format!("{kernel}, {blocks} blocks");
            let policy = split_policy(kernel);
            let prepared = policy.prepare(&filter);
            for (&hash, &expected) in hashes.iter().zip(&expected) {
                assert_eq!(prepared.may_match_hash(hash), expected, "{at}");
            }
            for count in [0, 1, 2, 63, 64, 65, 128, hashes.len()] {
                check_many(&at, &expected[..count], &|answers| {
                    prepared.may_match_hashes(&hashes[..count], answers)
                });
            }
        }
    }
}

/// RocksDB keeps one of several adjacent equal values, wherever the seams between tiles lie.
#[test]
fn repeated_keys_wherever_they_lie() {
    for run in [2_usize, 3, 8, 63, 64, 65, 128, 129, 300] {
        for offset in 0..3 {
            let once = random_keys(7, 1 + 400 / run, |_| 16);
            let keys: Vec<Vec<u8>> = random_keys(8, offset, |_| 16)
                .into_iter()
                .chain(once.iter().flat_map(|key| std::iter::repeat_n(key.clone(), run)))
                .collect();
            check(10.0, &keys, &once);
        }
    }
}

/// All kernels read damaged filters, and kinds without kernels of their own, alike.
#[test]
fn other_filters_are_answered_alike() {
    let keys = random_keys(9, 100, |i| i % 40);
    let keys = slices(&keys);
    let hashes = hashes_of(&keys);
    let legacy = {
        let policy = LegacyFullFilterPolicy::new(TEN);
        let mut out = vec![0; policy.max_filter_len(50).unwrap()];
        policy.create_filter(&keys[..50], &mut out).unwrap().to_vec()
    };
    let mut filters: Vec<Vec<u8>> = vec![
        vec![],
        vec![1],
        vec![0; 5],
        vec![0, 0xff],
        vec![0x5a; 100],
        legacy,
    ];
    let whole = fast_local_oracle(TEN, &hashes[..50]);
    for len in 0..whole.len() {
        filters.push(whole[len..].to_vec());
        filters.push(whole[..len].to_vec());
    }
    for (at, byte) in
        (1..=5).flat_map(|at| [0, 1, 30, 31, 0x7f, 0x80, 0x9e, 0x9f, 0xfe, 0xff].map(|b| (at, b)))
    {
        let mut damaged = whole.clone();
        let at = damaged.len() - at;
        damaged[at] = byte;
        filters.push(damaged);
    }
    filters.push(
        filter_formats::rocksdb::RibbonPolicy::new(TEN)
            .build(&keys[..50])
            .unwrap(),
    );
    for filter in &filters {
        let context = format!("{filter:x?}");
        let expected = answers(&local_policy(Kernel::Scalar), filter, &keys, &context);
        let of_spread = answers(&spread_policy(Kernel::Scalar), filter, &keys, &context);
        for kernel in Kernel::available() {
            assert_eq!(
                answers(&local_policy(kernel), filter, &keys, &context),
                expected,
                "{kernel}, {context}"
            );
            assert_eq!(
                answers(&spread_policy(kernel), filter, &keys, &context),
                of_spread,
                "{kernel}, {context}"
            );
        }
    }
}

/// The filters are so large that they are prefetched.
#[test]
fn filters_beyond_the_cache() {
    for count in [1_700_000, 1_700_001, 1_700_063] {
        let hashes = random_hashes(10, count);
        let absent = random_hashes(11, 1000);
        for kernel in Kernel::available() {
            check_hashes(
                local_policy(kernel),
                &fast_local_oracle(TEN, &hashes),
                fast_local_answer,
                &hashes,
                &absent,
            );
            check_hashes(
                spread_policy(kernel),
                &spread_oracle(TEN, &hashes),
                spread_answer,
                &hashes,
                &absent,
            );
            check_hashes(
                split_policy(kernel),
                &split_oracle(TEN, &hashes),
                split_answer,
                &hashes,
                &absent,
            );
        }
    }
}

fn check_hashes<P: HashedPolicy<Hash = u64> + std::fmt::Debug>(
    policy: P,
    filter: &[u8],
    answer: fn(&[u8], u64) -> bool,
    hashes: &[u64],
    absent: &[u64],
) {
    let at = format!("{policy:?}, {} keys", hashes.len());
    let mut room = vec![0xa5; filter.len()];
    let built = policy.build_hashes_in(hashes.iter().copied(), &mut room).unwrap();
    assert!(built == filter, "{at}");
    let prepared = policy.prepare(filter);
    let of_absent: Vec<bool> = absent.iter().map(|&hash| answer(filter, hash)).collect();
    check_many(&at, &of_absent, &|answers| {
        prepared.may_match_hashes(absent, answers)
    });
    check_many(&at, &vec![true; hashes.len()], &|answers| {
        prepared.may_match_hashes(hashes, answers)
    });
}

/// Tests keys, not hash values, with filters that are prefetched.
#[test]
fn keys_beyond_the_cache() {
    fn check<P: HashedPolicy>(on_kernel: fn(Kernel) -> P, keys: &[[u8; 16]]) {
        let present = vec![true; keys.len()];
        let mut filters = Vec::new();
        for kernel in Kernel::available() {
            let policy = on_kernel(kernel);
            let mut filter = vec![0; policy.max_filter_len(keys.len()).unwrap()];
            policy.build_batch_in(keys, &mut filter).unwrap();
            let prepared = policy.prepare(&filter);
            check_many(&kernel, &present, &|answers| {
                prepared.may_match_many(keys, answers)
            });
            filters.push(filter);
        }
        assert!(filters.windows(2).all(|pair| pair[0] == pair[1]));
    }

    let keys: Vec<[u8; 16]> = (0..1_700_003_u128).map(u128::to_be_bytes).collect();
    check(local_policy, &keys);
    check(spread_policy, &keys);
    check(split_policy, &keys);
}

/// Lanes stop before 2^31 bits; larger filters use the portable code on all kernels.
#[test]
fn filters_of_2_to_the_31_bits_and_more() {
    let hashes = [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, 0x0123_4567_89ab_cdef];
    for bytes in [(1_usize << 28) - 1, 1 << 28, (1 << 29) + 5] {
        // Untouched memory costs nothing.
        let mut filter = vec![0; bytes + 1];
        filter[bytes] = 0x89;
        for bit in hashes.iter().flat_map(|&hash| spread_bits(bytes * 8, 9, hash)) {
            filter[bit / 8] |= 1 << (bit % 8);
        }
        let asked: Vec<u64> = hashes
            .iter()
            .flat_map(|&hash| [hash, hash.rotate_left(7) ^ 0x5555])
            .collect();
        for kernel in Kernel::available() {
            let policy = spread_policy(kernel);
            let prepared = policy.prepare(&filter);
            let mut answers = [0];
            prepared.may_match_hashes(&asked, &mut answers).unwrap();
            assert_eq!(answers, [0b0101_0101_0101], "{kernel}, {bytes} bytes");
            for (i, &hash) in asked.iter().enumerate() {
                assert_eq!(
                    prepared.may_match_hash(hash),
                    i % 2 == 0,
                    "{kernel}, {bytes} bytes"
                );
            }
        }
    }
    // The maximum number of lines in RocksDB's filter.
    let lines = (1_usize << 26) - 1;
    let mut filter = vec![0; lines * 64 + 5];
    filter[lines * 64..].copy_from_slice(&[0xff, 0, 6, 0, 0]);
    for bit in hashes.iter().flat_map(|&hash| fast_local_bits(lines, 6, hash)) {
        filter[bit / 8] |= 1 << (bit % 8);
    }
    let mut asked = random_hashes(12, 200);
    asked[100..106].copy_from_slice(&hashes);
    let expected: Vec<bool> = asked
        .iter()
        .map(|&hash| fast_local_answer(&filter, hash))
        .collect();
    assert!(expected[100..106].iter().all(|&answer| answer));
    for kernel in Kernel::available() {
        let policy = local_policy(kernel);
        let prepared = policy.prepare(&filter);
        check_many(&kernel, &expected, &|answers| {
            prepared.may_match_hashes(&asked, answers)
        });
    }
    // The longest bit set that Parquet's header can state.
    let blocks = (1_usize << 26) - 1;
    let mut filter = vec![0; blocks * 32];
    for bit in hashes.iter().flat_map(|&hash| split_bits(blocks, hash)) {
        filter[bit / 8] |= 1 << (bit % 8);
    }
    let expected: Vec<bool> = asked.iter().map(|&hash| split_answer(&filter, hash)).collect();
    for kernel in Kernel::available() {
        let policy = split_policy(kernel);
        let prepared = policy.prepare(&filter);
        check_many(&kernel, &expected, &|answers| {
            prepared.may_match_hashes(&asked, answers)
        });
    }
}
