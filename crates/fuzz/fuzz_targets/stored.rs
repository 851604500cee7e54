//! Stored filters of every format, as they are and with a corrected checksum, so that the code after the check is reached.
#![no_main]

use filter_sets::{StoredFilter, StoredFormat};
use libfuzzer_sys::fuzz_target;
use membership_filters::backend::Remove;
use membership_filters::kinds::{self, AnyKind, Form};
use membership_filters::{
    Bytes, CountingBloomFilter, CuckooFilter, Encoding, Error, Filter, Hashing as _, Stats, guava, redisbloom,
};

const KEY: &[u8] = b"key";

fuzz_target!(|data: &[u8]| {
    let mut signed = data.to_vec();
    if let Some(body) = signed.len().checked_sub(8) {
        let (checksum, _) = hashzoo::murmur3_x64_128(&signed[..body], 0);
        signed[body..].copy_from_slice(&checksum.to_le_bytes());
    }
    for format in StoredFormat::all() {
        let read = |bytes: &[u8]| StoredFilter::from_bytes(Some(&format), bytes.to_vec());
        for filter in [data, &signed].into_iter().flat_map(read) {
            let answer = filter.contains(KEY);
            assert_eq!(filter.contains_many([KEY]), [answer]);
            assert!((0.0..=1.0).contains(&filter.expected_rate()));
            assert!(filter.fill().is_none_or(|fill| fill.ones <= fill.bits));
        }
    }
    for kind in kinds::ALL {
        check(*kind, data);
        check(*kind, &signed);
    }
    remove(CountingBloomFilter::from_bytes(&signed, Bytes));
    remove(CuckooFilter::from_bytes(&signed, Bytes));
    divide(data);
    let of_threads = [
        guava::ConcurrentBloomFilter::from_guava(data, Bytes),
        guava::ConcurrentBloomFilter::read_from(&signed[..], Bytes),
    ];
    for filter in of_threads.into_iter().flatten() {
        filter.insert(KEY);
        assert!(filter.contains(KEY));
    }
});

/// Bytes that are a filter of this kind are written back byte for byte, and the filter can be queried, copied, merged and
/// filled; others are refused with a reason.
fn check(kind: &dyn AnyKind, bytes: &[u8]) {
    let hash = match kind.recognise(bytes, bytes.len() as u64) {
        Some(found) => found.hash,
        None => kind.hash_id(Encoding::BYTES, 0).unwrap(),
    };
    let mut filter = match kind.open(hash, bytes) {
        Ok(filter) => filter,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let form = if bytes.starts_with(&kind.magic()) {
        Form::Envelope
    } else {
        Form::Stream
    };
    let written = filter.to_bytes(form).unwrap();
    if written != bytes {
        // Chains of RedisBloom 2.0 get headers of today.
        assert_eq!(kind.name(), "redisbloom");
        assert_eq!(
            kind.open(hash, &written).unwrap().to_bytes(form).unwrap(),
            written
        );
    }
    let answer = filter.contains(KEY);
    assert_eq!(filter.contains_many(&[KEY]), [answer]);
    check_stats(filter.stats());
    assert_eq!(filter.commands(KEY).is_some(), kind.has_commands());

    let copy = filter.copy();
    // The copy has no other keys.
    let _ = filter.merge(&*copy);
    assert_eq!(filter.to_bytes(form).unwrap(), written);
    if filter
        .insert_hashes(&mut [hash.hash_bytes(KEY)].into_iter())
        .is_ok()
    {
        assert!(filter.contains(KEY));
    }
    check_stats(filter.stats());
    assert_eq!(copy.to_bytes(form).unwrap(), written);
}

fn check_stats(stats: Stats) {
    assert!((0.0..=1.0).contains(&stats.expected_rate));
    assert!(stats.taken <= stats.places);
}

/// Removes a key that was inserted.
fn remove<B: Remove>(filter: Result<Filter<B, Bytes>, Error>) {
    let Ok(mut filter) = filter else { return };
    let hash = filter.hash(KEY);
    if filter.insert_hashed(&hash).is_ok() {
        assert_eq!(filter.remove_hashed(&hash), Ok(true));
    }
    check_stats(filter.stats());
}

/// Reads RedisBloom's chunks, divided in another place than a server's.
fn divide(data: &[u8]) {
    let Ok(chain) = redisbloom::BloomFilter::from_redisbloom(data) else {
        return;
    };
    let written: Vec<u8> = chain.chunks().skip(1).flat_map(|(_, bytes)| bytes).collect();
    let (header, bits) = data.split_at(data.len() - written.len());
    assert_eq!(written, bits);
    let (one, other) = bits.split_at(bits.len() / 3);
    let [first, second] = [one, bits].map(|bits| 1 + bits.len() as i64);
    let chunks = [(1, header), (first, one), (second, other), (0, &[])];
    assert_eq!(redisbloom::BloomFilter::from_chunks(chunks), Ok(chain));
}
