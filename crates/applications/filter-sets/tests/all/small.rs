//! Filters of few keys.

use std::collections::BTreeSet;
use std::fs;

use filter_sets::{Builder, Error, FileBuilding, Size, StoredFilter, StoredFormat};

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::keys;

/// Sizes that give different filters, with and without a header.
#[test]
fn what_is_written_of_few_keys_is_read() {
    let place = tempfile::tempdir().unwrap();
    let rates = [0.8, 0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-9].map(Size::Rate);
    let bits_per_key = [0.0, 4.0, 10.0, 100.0].map(Size::BitsPerKey);
    let bits = [1, 65, 640].map(Size::Bits);
    let formats: Vec<_> = StoredFormat::all().collect();
    formats.into_par_iter().for_each(|format| {
        let path = place.path().join(format.short_names()[0]);
        let (mut written, mut shortest) = (BTreeSet::new(), u64::MAX);
        // The rates of these take long to compute, and give no other filters.
        let slow = [
            "leveldb",
            "murmur2",
            "murmur2-signed",
            "rocksdb-legacy",
            "basho",
            "basho-murmur2",
        ];
        let is_slow = slow.contains(&format.short_names()[0]);
        let rates = if is_slow { &[][..] } else { &rates };
        let sizes = bits_per_key.iter().chain(&bits).chain(rates);
        for (&size, count) in sizes.flat_map(|size| (0..=5).map(move |count| (size, count))) {
            let (at, keys) = (format!("{format}, {size:?}, {count} keys"), keys(0..count));
            let builder = Builder::new(format.clone(), size);
            let read = |given: Option<&StoredFormat>| {
                let bytes = fs::read(&path).unwrap();
                let filter = StoredFilter::from_bytes(given, bytes.clone());
                let filter = filter.unwrap_or_else(|error| panic!("{at}: {error}"));
                assert!(keys.iter().all(|key| filter.contains(key)), "{at}");
                (filter, bytes)
            };
            let build = |building: Result<FileBuilding, Error>| {
                let mut building = building?;
                keys.iter().try_for_each(|key| building.insert(key))?;
                building.finish(&|_| true)
            };
            // Some formats have no filter of the size.
            let Ok(raw) = build(builder.raw_file(&path)) else {
                continue;
            };
            let (filter, bytes) = read(Some(&format));
            assert_eq!(raw.bytes, bytes.len() as u64, "{at}");
            if count > 0 {
                shortest = shortest.min(raw.bytes);
            }
            // The rates of bytes are the same each time, and take longer than all the rest.
            if written.insert(bytes) {
                assert!((0.0..=1.0).contains(&filter.expected_rate()), "{at}");
                build(builder.file(&path)).unwrap();
                read(None);
            }
        }
        assert!(written.len() >= 6, "{format}: {}", written.len());
        // The least of all: twelve fingerprints of four bits, and the trailer.
        if format.name() == "binaryfuse" {
            assert_eq!(shortest, 20);
        }
    });
}
