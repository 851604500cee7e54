//! Guava's stream and Spark's: a filter that was read is written back byte for byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use membership_filters::{BloomFilter, Bytes, ConcurrentBloomFilter, envelope, spark};

fuzz_target!(|data: &[u8]| {
    match BloomFilter::from_bytes(data, Bytes) {
        Ok(filter) => {
            assert_eq!(filter.to_bytes(), data);
            let _ = filter.might_contain(b"key");
            assert!(filter.false_positive_rate() <= 1.0);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    match spark::BloomFilter::from_bytes(data) {
        Ok(mut filter) => {
            assert_eq!(filter.to_bytes(), data);
            assert_eq!(
                filter.stream_header(),
                spark::StreamHeader::from_prefix(data).unwrap()
            );
            let may_contain = filter.might_contain(&7_i64);
            assert_eq!(filter.might_contain_many(&[7_i64]), [may_contain]);
            assert_eq!(filter.insert_many(&[7_i64]), [!may_contain]);
            assert!(filter.might_contain(&7_i64) && filter.false_positive_rate() <= 1.0);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let mut rest = data;
    let _ = ConcurrentBloomFilter::read_from(&mut rest, Bytes).map(|filter| filter.might_contain(b"key"));
    let _ =
        envelope::from_bytes::<BloomFilter<Bytes>>(data, Bytes).map(|filter| filter.might_contain(b"key"));
});
