//! Guava's stream: a filter that was read is written back byte for byte.
#![no_main]

use guava_bloom::{BloomFilter, Bytes, ConcurrentBloomFilter, envelope};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    match BloomFilter::from_bytes(data, Bytes) {
        Ok(filter) => {
            assert_eq!(filter.to_bytes(), data);
            let _ = filter.might_contain(b"key");
            assert!(filter.false_positive_rate() <= 1.0);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let mut rest = data;
    let _ = ConcurrentBloomFilter::read_from(&mut rest, Bytes).map(|filter| filter.might_contain(b"key"));
    let _ =
        envelope::from_bytes::<BloomFilter<Bytes>>(data, Bytes).map(|filter| filter.might_contain(b"key"));
});
