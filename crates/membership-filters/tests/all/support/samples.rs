//! Small filters of each kind, and their stored forms.

use membership_filters::envelope::Stored;
use membership_filters::{
    BlockedBloomFilter, BlockedParameters, CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters,
    Error, ErrorKind, GrowingBloomFilter, GrowingParameters, GrowthRule, Xxph3,
};
use membership_filters::{BloomFilter, Bytes, Parameters, Utf8, envelope};

use super::hashes::Hashes;

pub(crate) fn blocked() -> BlockedBloomFilter<Utf8> {
    let mut filter = BlockedBloomFilter::new(Utf8, &BlockedParameters::with_blocks(3).unwrap()).unwrap();
    filter.insert_many(&["alice", "bob", "carol", ""]);
    filter
}

pub(crate) fn counting() -> CountingBloomFilter<Utf8> {
    let parameters = Parameters::new(12, 0.05).unwrap();
    let mut filter = CountingBloomFilter::new(Utf8, &parameters, CounterWidth::new(5).unwrap()).unwrap();
    for name in ["alice", "bob", "bob", "carol", ""] {
        filter.insert(name);
    }
    filter.remove("carol");
    filter
}

pub(crate) fn cuckoo() -> CuckooFilter<Utf8> {
    let parameters = CuckooParameters::new(12, 0.05)
        .unwrap()
        .with_seed(0x0123_4567_89ab_cdef);
    let mut filter = CuckooFilter::new(Utf8, &parameters).unwrap();
    for name in ["alice", "bob", "bob", "carol", ""] {
        filter.insert(name).unwrap();
    }
    filter.remove("carol");
    filter
}

/// Returns a filter so full that fingerprints were moved.
pub(crate) fn full_cuckoo() -> CuckooFilter<Bytes> {
    let parameters = CuckooParameters::with_buckets(12, 7).unwrap().with_seed(1);
    let mut filter = CuckooFilter::new(Bytes, &parameters).unwrap();
    for hash in Hashes::from_seed(3).take(60) {
        let _full = filter.insert_hash(&hash);
    }
    assert!(filter.len() > 44);
    filter
}

pub(crate) fn growing(rule: GrowthRule) -> GrowingBloomFilter<Utf8> {
    let parameters = GrowingParameters::with_rule(4, 0.2, rule).unwrap();
    let mut filter = GrowingBloomFilter::new(Utf8, &parameters).unwrap();
    for i in 0..60 {
        filter.insert(&i.to_string()).unwrap();
    }
    assert!(filter.stats().links > 1);
    filter
}

/// Returns Guava's filter, which is stored in the same envelope.
pub(crate) fn bloom() -> BloomFilter<Utf8> {
    let mut filter = BloomFilter::new(Utf8, &Parameters::new(12, 0.05).unwrap()).unwrap();
    filter.insert_many(&["alice", "bob", "carol", ""]);
    filter
}

/// Returns a filter of another hash.
pub(crate) fn blocked_xxph3() -> BlockedBloomFilter<Xxph3> {
    let mut filter = BlockedBloomFilter::new(Xxph3, &BlockedParameters::with_blocks(3).unwrap()).unwrap();
    filter.insert_many(&["alice", "bob", "carol", ""]);
    filter
}

/// Returns all stored forms in the envelope.
pub(crate) fn samples() -> [Vec<u8>; 7] {
    [
        envelope::to_bytes(&bloom()),
        counting().to_bytes(),
        cuckoo().to_bytes(),
        full_cuckoo().to_bytes(),
        growing(GrowthRule::default()).to_bytes(),
        growing(GrowthRule::SameSize).to_bytes(),
        blocked().to_bytes(),
    ]
}

/// Reads the bytes as the kind of filter that they name, as a slice and as a stream, and returns its stored form or the error.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    fn both<F: Stored<Funnel = Bytes>>(bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let slice = envelope::from_bytes::<F>(bytes, Bytes).map(|filter| envelope::to_bytes(&filter));
        let mut rest = bytes;
        let stream = envelope::read_from::<F>(&mut rest, Bytes).map(|filter| envelope::to_bytes(&filter));
        // Later bytes stay in a stream. A slice shows sooner that words are missing.
        match (&slice, &stream) {
            (Err(slice), _) if slice.kind() == ErrorKind::TrailingBytes => {
                assert!(stream.is_ok() && !rest.is_empty())
            }
            (Err(slice), Err(stream)) => assert_eq!(slice.kind(), stream.kind()),
            _ => assert_eq!(slice, stream),
        }
        slice
    }
    match bytes.get(..8) {
        Some(b"GBfilter") => both::<BloomFilter<Bytes>>(bytes),
        Some(b"MFblocks") => both::<BlockedBloomFilter<Bytes>>(bytes),
        Some(b"MFcuckoo") => both::<CuckooFilter<Bytes>>(bytes),
        Some(b"MFgrowth") => both::<GrowingBloomFilter<Bytes>>(bytes),
        _ => both::<CountingBloomFilter<Bytes>>(bytes),
    }
}
