//! Stored filters with a corrected checksum, so that the code after the check is reached.
#![no_main]

use libfuzzer_sys::fuzz_target;
use membership_filters::{BlockedBloomFilter, CountingBloomFilter, CuckooFilter, GrowingBloomFilter};
use membership_filters::{Bytes, envelope};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.to_vec();
    if let Some(body) = bytes.len().checked_sub(8) {
        let (checksum, _) = hashzoo::murmur3_x64_128(&bytes[..body], 0);
        bytes[body..].copy_from_slice(&checksum.to_le_bytes());
    }
    if let Ok(mut filter) = CountingBloomFilter::from_bytes(&bytes, Bytes) {
        assert_eq!(filter.to_bytes(), bytes);
        let _ = filter.insert(b"key");
        assert!(filter.might_contain(b"key"));
        let _ = filter.remove(b"key");
    }
    if let Ok(mut filter) = CuckooFilter::from_bytes(&bytes, Bytes) {
        assert_eq!(filter.to_bytes(), bytes);
        if filter.insert(b"key").is_ok() {
            assert!(filter.might_contain(b"key"));
            let _ = filter.remove(b"key");
        }
    }
    if let Ok(mut filter) = GrowingBloomFilter::from_bytes(&bytes, Bytes) {
        assert_eq!(filter.to_bytes(), bytes);
        if filter.insert(b"key").is_ok() {
            assert!(filter.might_contain(b"key"));
        }
    }
    if let Ok(mut filter) = BlockedBloomFilter::from_bytes(&bytes, Bytes) {
        assert_eq!(filter.to_bytes(), bytes);
        let _ = filter.insert(b"key");
        assert!(filter.might_contain(b"key"));
    }
    let _ = envelope::from_bytes::<membership_filters::BloomFilter<Bytes>>(&bytes, Bytes);
});
