//! Stored filters of every format, as they are and with a corrected checksum, so that the code after the check is reached.
#![no_main]

use filter_sets::{StoredFilter, StoredFormat};
use libfuzzer_sys::fuzz_target;
use membership_filters::{
    BlockedBloomFilter, Bytes, ConcurrentBlockedBloomFilter, CountingBloomFilter, CuckooFilter, Outcome as _,
    RotatingFilter, guava, redisbloom, spark,
};

/// A filter that was read is written back byte for byte, and contains the key if it takes it, whatever was done `$before`.
macro_rules! written_back {
    ($($read:expr, $write:ident, $bytes:expr, $key:expr $(, |$filter:ident| $before:expr)?;)+) => {$(
        match $read {
            Ok(mut filter) => {
                assert_eq!(filter.$write(), *$bytes);
                $(
                    let $filter = &mut filter;
                    let _ = $before;
                )?
                assert!(filter.insert($key).is_error() || filter.contains($key));
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    )+};
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.to_vec();
    if let Some(body) = bytes.len().checked_sub(8) {
        let (checksum, _) = hashzoo::murmur3_x64_128(&bytes[..body], 0);
        bytes[body..].copy_from_slice(&checksum.to_le_bytes());
    }
    for format in StoredFormat::all() {
        let read = |bytes: &[u8]| StoredFilter::from_bytes(Some(&format), bytes.to_vec());
        for filter in [data, &bytes].into_iter().flat_map(read) {
            let answer = filter.contains(b"key");
            assert_eq!(filter.contains_many([b"key"]), [answer]);
            assert!((0.0..=1.0).contains(&filter.expected_rate()));
            assert!(filter.fill().is_none_or(|fill| fill.ones <= fill.bits));
        }
    }
    let (key, number) = (b"key", &7_i64);
    written_back! {
        guava::BloomFilter::from_guava(data, Bytes), to_guava, data, key;
        spark::BloomFilter::from_spark(data), to_spark, data, number;
        BlockedBloomFilter::from_bytes(&bytes, Bytes), to_bytes, bytes, key;
        RotatingFilter::from_bytes(&bytes, Bytes), to_bytes, bytes, key;
        CountingBloomFilter::from_bytes(&bytes, Bytes), to_bytes, bytes, key, |filter| {
            filter.insert(key);
            filter.remove(key)
        };
        CuckooFilter::from_bytes(&bytes, Bytes), to_bytes, bytes, key, |filter| {
            filter.insert(key).map(|_| filter.remove(key))
        };
        spark::BloomFilter::from_bytes(&bytes), to_bytes, bytes, number;
        redisbloom::BloomFilter::from_bytes(&bytes), to_bytes, bytes, key;
    }
    if let Ok(mut chain) = redisbloom::BloomFilter::from_redisbloom(data) {
        assert_eq!(chain.to_redisbloom(), data);
        // Divided in another place than a server's.
        let of_bits = chain.chunks().skip(1).map(|(_, bytes)| bytes.len());
        let (header, bits) = data.split_at(data.len() - of_bits.sum::<usize>());
        let (one, other) = bits.split_at(bits.len() / 3);
        let [first, second] = [one, bits].map(|bits| 1 + bits.len() as i64);
        let chunks = [(1, header), (first, one), (second, other), (0, &[])];
        assert_eq!(redisbloom::BloomFilter::from_chunks(chunks), Ok(chain.clone()));
        assert!(chain.insert(key).is_err() || chain.contains(key));
    }
    let _ = guava::ConcurrentBloomFilter::read_guava(data, Bytes).map(|filter| filter.contains(key));
    let _ = ConcurrentBlockedBloomFilter::read_from(&bytes[..], Bytes).map(|filter| filter.contains(key));
    let _ = guava::BloomFilter::from_bytes(&bytes, Bytes);
});
