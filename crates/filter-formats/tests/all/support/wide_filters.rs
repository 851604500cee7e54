//! FastLocalBloom, `BloomFilter64.Xxph3` and split blocks from their descriptions, to compare every kernel with.

use filter_formats::BloomFilter64Policy;
use filter_formats::parquet::SplitBlockBloomPolicy;
use filter_formats::rocksdb::FastLocalBloomPolicy;
use filter_formats::sizing::Format;
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, FilterPolicy, HashedPolicy};
use hashzoo::{xxh64, xxph3_64};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::ways::{answers, built};

/// Returns the probe count of a Bloom filter.
pub(crate) fn probes_of(format: Format, bits_per_key: BitsPerKey, keys: usize) -> u8 {
    format.probe_count(keys as u64, bits_per_key).unwrap().unwrap()
}

/// Builds RocksDB's cache-local filter from its description, one bit at a time.
pub(crate) fn fast_local_oracle(bits_per_key: BitsPerKey, hashes: &[u64]) -> Vec<u8> {
    let mut distinct = hashes.to_vec();
    distinct.dedup();
    let policy = FastLocalBloomPolicy::new(bits_per_key);
    let mut filter = vec![0; policy.max_filter_len(distinct.len()).unwrap()];
    let tail = filter.len() - 5;
    let probes = probes_of(Format::FastLocalBloom, bits_per_key, distinct.len());
    for hash in distinct {
        for bit in fast_local_bits(tail / 64, probes, hash) {
            filter[bit / 8] |= 1 << (bit % 8);
        }
    }
    filter[tail] = 0xff;
    filter[tail + 2] = probes;
    filter
}

pub(crate) fn fast_local_bits(lines: usize, probes: u8, hash: u64) -> impl Iterator<Item = usize> {
    let line = usize::try_from((u128::from(hash % (1 << 32)) * lines as u128) >> 32).unwrap();
    let upper = hash >> 32;
    (0..probes).scan(upper, move |walk, _| {
        let bit = usize::try_from(*walk >> 23).unwrap();
        *walk = (*walk * 0x9e37_79b9) % (1 << 32);
        Some(line * 512 + bit)
    })
}

/// Builds a `BloomFilter64.Xxph3` filter from its description.
pub(crate) fn spread_oracle(bits_per_key: BitsPerKey, hashes: &[u64]) -> Vec<u8> {
    let policy = BloomFilter64Policy::new(bits_per_key);
    let mut filter = vec![0; policy.max_filter_len(hashes.len()).unwrap()];
    let probes = probes_of(Format::Bloom64, bits_per_key, hashes.len());
    let bits = (filter.len() - 1) * 8;
    for &hash in hashes {
        for bit in spread_bits(bits, probes, hash) {
            filter[bit / 8] |= 1 << (bit % 8);
        }
    }
    *filter.last_mut().unwrap() = 0x80 + probes;
    filter
}

pub(crate) fn spread_bits(bits: usize, probes: u8, hash: u64) -> impl Iterator<Item = usize> {
    (0..probes).scan(u128::from(hash), move |walk, _| {
        let bit = usize::try_from((*walk * bits as u128) >> 64).unwrap();
        *walk = (*walk * 0xf135_7aea_2e62_a9c5) % (1 << 64);
        Some(bit)
    })
}

/// Builds Parquet's filter from its description.
pub(crate) fn split_oracle(bits_per_key: BitsPerKey, hashes: &[u64]) -> Vec<u8> {
    let policy = SplitBlockBloomPolicy::new(bits_per_key);
    let mut filter = vec![0; policy.max_filter_len(hashes.len()).unwrap()];
    for &hash in hashes {
        for bit in split_bits(filter.len() / 32, hash) {
            filter[bit / 8] |= 1 << (bit % 8);
        }
    }
    filter
}

pub(crate) fn split_bits(blocks: usize, hash: u64) -> impl Iterator<Item = usize> {
    const SALTS: [u64; 8] = [
        0x47b6_137b,
        0x4497_4d91,
        0x8824_ad5b,
        0xa2b7_289d,
        0x7054_95c7,
        0x2df1_424b,
        0x9efc_4947,
        0x5c6b_fb31,
    ];
    let block = usize::try_from((u128::from(hash >> 32) * blocks as u128) >> 32).unwrap();
    SALTS.into_iter().enumerate().map(move |(word, salt)| {
        let bit = ((hash % (1 << 32) * salt) % (1 << 32)) >> 27;
        block * 256 + word * 32 + usize::try_from(bit).unwrap()
    })
}

pub(crate) fn all_set(filter: &[u8], mut bits: impl Iterator<Item = usize>) -> bool {
    bits.all(|bit| filter[bit / 8] >> (bit % 8) & 1 == 1)
}

pub(crate) fn fast_local_answer(filter: &[u8], hash: u64) -> bool {
    let bits = filter.len() - 5;
    all_set(filter, fast_local_bits(bits / 64, filter[bits + 2], hash))
}

pub(crate) fn spread_answer(filter: &[u8], hash: u64) -> bool {
    let bytes = filter.len() - 1;
    all_set(filter, spread_bits(bytes * 8, filter[bytes] - 0x80, hash))
}

pub(crate) fn split_answer(filter: &[u8], hash: u64) -> bool {
    all_set(filter, split_bits(filter.len() / 32, hash))
}

pub(crate) fn random_keys(seed: u64, count: usize, len: impl Fn(usize) -> usize) -> Vec<Vec<u8>> {
    let mut random = SplitMix64::seed_from_u64(seed);
    let mut key = |len| {
        let mut key = vec![0; len];
        random.fill_bytes(&mut key);
        key
    };
    (0..count).map(|i| key(len(i))).collect()
}

pub(crate) fn random_hashes(seed: u64, count: usize) -> Vec<u64> {
    let mut random = SplitMix64::seed_from_u64(seed);
    (0..count).map(|_| random.next_u64()).collect()
}

pub(crate) fn hashes_of(keys: &[&[u8]]) -> Vec<u64> {
    keys.iter().map(|key| xxph3_64(key, 0)).collect()
}

pub(crate) fn parquet_hashes_of(keys: &[&[u8]]) -> Vec<u64> {
    keys.iter().map(|key| xxh64(key, 0)).collect()
}

pub(crate) fn slices(keys: &[Vec<u8>]) -> Vec<&[u8]> {
    keys.iter().map(Vec::as_slice).collect()
}

/// Checks that every kernel builds the expected filter of these keys, and answers for all keys as the filter's bits
/// say.
fn check_policy<P: HashedPolicy<Hash = u64>>(
    on_kernel: impl Fn(Kernel) -> P,
    expected: &[u8],
    answer: impl Fn(&[u8], u64) -> bool,
    keys: &[&[u8]],
    others: &[&[u8]],
) {
    for kernel in Kernel::available() {
        let policy = on_kernel(kernel);
        assert!(
            built(&policy, keys, &kernel) == expected,
            "{kernel}, {} keys",
            keys.len()
        );
        for asked in [keys, others] {
            let policy = on_kernel(kernel);
            let of_bits: Vec<bool> = asked
                .iter()
                .map(|key| answer(expected, policy.hash_key(key)))
                .collect();
            assert_eq!(answers(&policy, expected, asked, &kernel), of_bits, "{kernel}");
        }
    }
}

pub(crate) fn check(bits: f64, keys: &[Vec<u8>], others: &[Vec<u8>]) {
    let (keys, others) = (slices(keys), slices(others));
    let (bits, hashes) = (BitsPerKey::fractional(bits).unwrap(), hashes_of(&keys));
    check_policy(
        |kernel| BloomFilter64Policy::new(bits).on_kernel(kernel),
        &spread_oracle(bits, &hashes),
        spread_answer,
        &keys,
        &others,
    );
    check_policy(
        |kernel| FastLocalBloomPolicy::new(bits).on_kernel(kernel),
        &fast_local_oracle(bits, &hashes),
        |filter, hash| !keys.is_empty() && fast_local_answer(filter, hash),
        &keys,
        &others,
    );
    check_policy(
        |kernel| SplitBlockBloomPolicy::new(bits).on_kernel(kernel),
        &split_oracle(bits, &parquet_hashes_of(&keys)),
        split_answer,
        &keys,
        &others,
    );
    check_policy(
        |kernel| SplitBlockBloomPolicy::xxph3(bits).on_kernel(kernel),
        &split_oracle(bits, &hashes_of(&keys)),
        split_answer,
        &keys,
        &others,
    );
}
