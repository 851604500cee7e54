//! Stored filters of every format, with a corrected checksum, so that the code after the check is reached.
#![no_main]

use filter_sets::{ENDS, Filter, Format};
use libfuzzer_sys::fuzz_target;
use membership_filters::{BlockedBloomFilter, CountingBloomFilter, CuckooFilter, GrowingBloomFilter};
use membership_filters::{Bytes, envelope};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.to_vec();
    if let Some(body) = bytes.len().checked_sub(8) {
        let (checksum, _) = hashzoo::murmur3_x64_128(&bytes[..body], 0);
        bytes[body..].copy_from_slice(&checksum.to_le_bytes());
    }
    for format in Format::all() {
        let read = |bytes: &[u8]| Filter::from_bytes(Some(&format), bytes.to_vec());
        for filter in [data, &bytes].into_iter().flat_map(read) {
            let answer = filter.may_contain(b"key");
            assert_eq!(filter.may_contain_many(&[b"key"]), [answer]);
            assert!((0.0..=1.0).contains(&filter.rate()));
        }
        let (head, tail) = (
            &data[..data.len().min(ENDS)],
            &data[data.len().saturating_sub(ENDS)..],
        );
        if let Ok(outline) = format.outline(data.len() as u64, head, tail) {
            let _ = outline.may_contain(b"key", data);
        }
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
