//! The blocked filter's contract, seen from outside.

use filter_policy::kernels::Kernel;
use filter_policy::parquet::ParquetPolicy;
use filter_policy::{BitsPerKey, FilterPolicy as _, Format as _, KeyHashes};
use membership_filters::{BlockedBloomFilter, Error, Parameters};
use membership_filters::{Bytes, Hashed};

use super::support::hashes::Hashes;

fn filter(blocks: u32) -> BlockedBloomFilter<Bytes> {
    BlockedBloomFilter::new(Bytes, &Parameters::with_blocks(blocks).unwrap()).unwrap()
}

fn hashes(seed: u64, count: usize) -> Vec<Hashed<Bytes>> {
    Hashes::from_seed(seed).take(count).collect()
}

#[test]
fn sizes_are_the_smallest_for_the_rate() {
    for (capacity, rate) in [
        (1, 0.5),
        (10, 0.1),
        (100, 0.01),
        (10_000, 0.03),
        (100_000, 0.0001),
    ] {
        let parameters = Parameters::new(capacity, rate).unwrap();
        assert!(parameters.rate_at(capacity) <= rate);
        if parameters.blocks() > 1 {
            let smaller = Parameters::with_blocks(parameters.blocks() - 1).unwrap();
            assert!(smaller.rate_at(capacity) > rate);
        }
    }
}

/// In filters of one and a half times the planned keys single words are full, as in those for a rate of 10 %.
#[test]
fn the_estimate_is_right_at_every_rate_and_fill() {
    for rate in [0.1, 0.01, 0.0001] {
        let parameters = Parameters::new(100_000, rate).unwrap();
        for count in [10_000, 100_000, 150_000] {
            let mut filter = BlockedBloomFilter::new(Bytes, &parameters).unwrap();
            filter.insert_many_hashed(&hashes(count as u64, count)).unwrap();
            let estimate = filter.estimated_len().unwrap() as f64 / count as f64;
            assert!((estimate - 1.0).abs() < 0.004, "{rate}, {count}: {estimate}");
        }
    }
}

#[test]
fn arguments_out_of_range_are_refused() {
    for (capacity, rate) in [(u64::MAX, 0.5), (2_000_000_000, 0.01), (1_000_000_000, 1e-12)] {
        let error = Parameters::new(capacity, rate).unwrap_err();
        assert!(matches!(error, Error::TooLarge(_)), "{error}");
    }
    assert_eq!(
        Parameters::new(u64::MAX, 0.01).unwrap_err().to_string(),
        "the size must be at most 2 GiB, got 18446744073709551615 keys at 1e-2"
    );
    for blocks in [0, 1 << 26, u32::MAX] {
        assert_eq!(
            Parameters::with_blocks(blocks).unwrap_err().to_string(),
            format!("the blocks must be between 1 and 67108863, got {blocks}")
        );
    }
    assert_eq!(Parameters::new(0, 0.01).unwrap().blocks(), 1);
    let largest = Parameters::with_blocks((1 << 26) - 1).unwrap();
    assert_eq!(largest.memory_bytes(), (1 << 31) - 32);
}

#[test]
fn the_blocks_are_those_of_the_policy() {
    let hashes = hashes(5, 1000);
    for kernel in Kernel::available() {
        let policy = ParquetPolicy::new(BitsPerKey::whole(12)).on_kernel(kernel);
        let values: Vec<u64> = hashes.iter().map(|hash| hash.hash().h1).collect();
        let mut room = vec![0; policy.max_filter_len(values.len()).unwrap()];
        let values = KeyHashes::new(policy.format().hash_function(), &values);
        let built = policy.create_from_hashes(values, &mut room).unwrap();
        let mut filter = filter(built.len() as u32 / 32);
        filter.insert_many_hashed(&hashes).unwrap();
        assert_eq!(filter.to_bytes()[24..][..built.len()], *built);
    }
}

#[test]
fn a_filter_without_elements_or_without_zeros_says_so() {
    let (empty, mut full) = (filter(20), filter(1));
    let text = "BlockedBloomFilter { funnel: Bytes, backend: Blocked { parameters: Parameters { blocks: 20 }, blocks: 640 bytes } }";
    assert_eq!(format!("{empty:?}"), text);
    full.insert_many_hashed(&hashes(1, 100_000)).unwrap();
    for (filter, len, fill) in [(empty, Some(0), 0.0), (full, None, 1.0)] {
        let stats = filter.stats();
        assert_eq!((stats.len, stats.fill(), stats.expected_rate), (len, fill, fill));
    }
}
