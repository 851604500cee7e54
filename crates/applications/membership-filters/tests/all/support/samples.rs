//! Small filters of each kind, and their stored forms.

use hashzoo::murmur3_x64_128;
use membership_filters::backend::{Exclusive, Inserted as _};
use membership_filters::envelope::Stored;
use membership_filters::guava::{BloomFilter, Parameters};
use membership_filters::{
    BlockedBloomFilter, Bytes, CountingBloomFilter, CuckooFilter, CuckooParameters, Error, Filter, Funnel,
    Generations, Parameters as BlockedParameters, RotatingFilter, Utf8, Xxph3, envelope, redisbloom, spark,
};

use super::hashes::Hashes;

/// Inserts these keys.
fn with_names<B: Exclusive, F: Funnel<str>>(mut filter: Filter<B, F>, names: &[&str]) -> Filter<B, F> {
    for name in names {
        filter.insert(*name).result().unwrap();
    }
    filter
}

/// Returns a filter so full that fingerprints were moved.
fn full_cuckoo() -> CuckooFilter<Bytes> {
    let parameters = CuckooParameters::with_buckets(12, 7).unwrap().seed(1);
    let mut filter = CuckooFilter::new(Bytes, &parameters).unwrap();
    for hash in Hashes::from_seed(3).take(60) {
        let _full = filter.insert_hashed(&hash);
    }
    assert!(filter.len() > 44);
    filter
}

const NAMES: [&str; 4] = ["alice", "bob", "carol", ""];

/// Returns Guava's filter, which is stored in the same envelope.
pub(crate) fn bloom() -> BloomFilter<Utf8> {
    let filter = BloomFilter::new(Utf8, &Parameters::new(12, 0.05).unwrap());
    with_names(filter.unwrap(), &NAMES)
}

/// Returns three generations: two names, one, and none in the oldest.
pub(crate) fn rotating() -> RotatingFilter<Utf8> {
    let each = BlockedParameters::with_blocks(1).unwrap();
    let mut filter = RotatingFilter::new(Utf8, &Generations { count: 3, each }).unwrap();
    filter.insert("alice");
    filter.rotate();
    filter.insert_many(["bob", "carol"]);
    filter
}

/// Returns a filter of another hash.
pub(crate) fn blocked_xxph3() -> BlockedBloomFilter<Xxph3> {
    let filter = BlockedBloomFilter::new(Xxph3, &BlockedParameters::with_blocks(3).unwrap());
    with_names(filter.unwrap(), &NAMES)
}

/// Corrects the checksum, so that the code after the check is reached.
pub(crate) fn resign(bytes: &mut [u8]) {
    let Some(body) = bytes.len().checked_sub(8) else {
        return;
    };
    let (checksum, _) = murmur3_x64_128(&bytes[..body], 0);
    bytes[body..].copy_from_slice(&checksum.to_le_bytes());
}

/// Returns the bytes of a file of the data.
pub(crate) fn golden(digits: &str) -> Vec<u8> {
    hex::decode(digits.split_whitespace().collect::<String>()).unwrap()
}

/// The copies in the filters that remove keys; one of "carol" was removed.
pub(crate) const COPIES: [&str; 5] = ["alice", "bob", "bob", "carol", ""];

/// Returns all stored forms in the envelope; that of the counting filter has counters of five bits, which new filters have not.
pub(crate) fn samples() -> [Vec<u8>; 8] {
    let slots = CuckooParameters::new(12, 0.05).unwrap();
    let cuckoo = CuckooFilter::new(Utf8, &slots.seed(0x0123_4567_89ab_cdef));
    let mut cuckoo = with_names(cuckoo.unwrap(), &COPIES);
    assert!(cuckoo.remove("carol"));
    let blocked = BlockedBloomFilter::new(Utf8, &BlockedParameters::with_blocks(3).unwrap());
    let version = spark::Version::V2 { seed: -5 };
    let parameters = spark::Parameters::new(12, 0.05).unwrap().version(version);
    let mut spark = spark::BloomFilter::new(&parameters).unwrap();
    spark.insert_many(NAMES);
    let mut redisbloom = redisbloom::BloomFilter::with_capacity(2, 0.05).unwrap();
    redisbloom.insert_many(NAMES).unwrap();
    [
        envelope::to_bytes(&bloom()),
        golden(include_str!("../../data/counting.hex")),
        cuckoo.to_bytes(),
        full_cuckoo().to_bytes(),
        with_names(blocked.unwrap(), &NAMES).to_bytes(),
        spark.to_bytes(),
        redisbloom.to_bytes(),
        rotating().to_bytes(),
    ]
}

/// Reads the bytes as the kind of filter that they name, as a slice and as a stream, and returns its stored form or the error.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    fn both<F: Stored<Funnel: Default>>(bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let funnel = F::Funnel::default;
        let slice = envelope::from_bytes::<F>(bytes, funnel()).map(|filter| envelope::to_bytes(&filter));
        let mut rest = bytes;
        let stream = envelope::read_from::<F>(&mut rest, funnel()).map(|filter| envelope::to_bytes(&filter));
        // Later bytes stay in a stream. A slice shows sooner that words are missing.
        match (&slice, &stream) {
            (Err(Error::TrailingBytes(_)), stream) => {
                let stored = stream.as_ref().unwrap();
                assert!(*rest == bytes[stored.len()..]);
            }
            (Err(slice), Err(stream)) => assert_eq!(variant(slice), variant(stream)),
            _ => assert_eq!(slice, stream),
        }
        slice
    }
    match bytes.get(..8) {
        Some(b"GBfilter") => both::<BloomFilter<Bytes>>(bytes),
        Some(b"MFblocks") => both::<BlockedBloomFilter<Bytes>>(bytes),
        Some(b"MFsparks") => both::<spark::BloomFilter>(bytes),
        Some(b"MFrotate") => both::<RotatingFilter<Bytes>>(bytes),
        Some(b"MFredisb") => both::<redisbloom::BloomFilter>(bytes),
        Some(b"MFcuckoo") => both::<CuckooFilter<Bytes>>(bytes),
        _ => both::<CountingBloomFilter<Bytes>>(bytes),
    }
}

/// Returns the name of the error's variant.
pub(crate) fn variant(error: &Error) -> String {
    let text = format!("{error:?}");
    text.split(['(', ' ']).next().unwrap_or_default().to_owned()
}
