//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod damage;
mod filters;
mod source;
mod tables;

use engine_tests::rocksdb::{Policy, Reader, UniquePtr, slices};
use filter_policy::rocksdb::{FastLocalBloomPolicy, LegacyBloomPolicy, RibbonPolicy};
use filter_policy::{BitsPerKey, FilterPolicy};

/// Returns RocksDB's policies and ours for the same bits per key.
fn policies(bits_per_key: f64) -> [(UniquePtr<Policy>, Box<dyn FilterPolicy>); 3] {
    let bits = BitsPerKey::fractional(bits_per_key).unwrap();
    [
        (
            Policy::bloom(bits_per_key, 5),
            Box::new(FastLocalBloomPolicy::new(bits)),
        ),
        (
            Policy::bloom(bits_per_key, 4),
            Box::new(LegacyBloomPolicy::new(bits)),
        ),
        (Policy::ribbon(bits_per_key), Box::new(RibbonPolicy::new(bits))),
    ]
}

/// Returns true if RocksDB's filter may hold the key.
fn may_match(reader: &Reader, key: &[u8]) -> bool {
    reader.count_matches(&slices(&[key])) == 1
}

/// Builds a filter with one of our policies.
fn ours(policy: &dyn FilterPolicy, keys: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let slices: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
    let mut filter = Vec::new();
    policy.append_filter(&slices, &mut filter).unwrap();
    filter
}
