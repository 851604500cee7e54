//! What all filters promise alike: keys of any kind, counts, clearing, a short text, and a stored form that comes back whole.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use core::fmt::Debug;

use guava_bloom::envelope::{self, Stored};
use guava_bloom::{BloomFilter, Bytes, ConcurrentBloomFilter, Hash128, Parameters};
use membership_filters::{
    CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters, ErrorKind, GrowingBloomFilter,
    GrowingParameters,
};

/// A filter, and the calls whose results differ.
struct Contract<F> {
    filter: F,
    insert: fn(&mut F, &[u8]),
    might_contain: fn(&F, &[u8]) -> bool,
    might_contain_hash: fn(&F, Hash128) -> bool,
    /// Nothing where elements cannot be removed.
    remove: Option<fn(&mut F, &[u8]) -> bool>,
    clear: fn(&mut F),
    len: fn(&F) -> u64,
}

impl<F: Stored<Funnel = Bytes> + Debug> Contract<F> {
    fn check(mut self) {
        let filter = &mut self.filter;
        let keys: [&[u8]; 4] = [b"", &[0xff, 0xfe, 0x80], &[7; 300], b"plain"];
        for (present, key) in (0..).zip(keys) {
            assert!(!(self.might_contain)(filter, key));
            assert_eq!((self.len)(filter), present);
            (self.insert)(filter, key);
            assert!((self.might_contain)(filter, key));
            assert!((self.might_contain_hash)(filter, Hash128::of(key)));
        }
        // Parameters and no contents.
        let text = format!("{filter:?}");
        assert!(text.contains("funnel: Bytes") && text.ends_with(".. }"), "{text}");
        assert!(text.len() < 350, "{text}");

        let bytes = envelope::to_bytes(filter);
        assert_eq!(bytes.len() as u64, filter.stored_len());
        let again: F = envelope::from_bytes(&bytes, Bytes).unwrap();
        assert_eq!(envelope::to_bytes(&again), bytes);
        assert!(keys.iter().all(|key| (self.might_contain)(&again, key)));
        let longer = envelope::from_bytes::<F>(&[&bytes[..], b"more"].concat(), Bytes);
        assert_eq!(longer.unwrap_err().kind(), ErrorKind::TrailingBytes);

        if let Some(remove) = self.remove {
            for key in keys {
                assert!(remove(filter, key));
                assert!(!(self.might_contain)(filter, key) && !remove(filter, key));
            }
            (self.insert)(filter, b"plain");
        }
        (self.clear)(filter);
        assert_eq!((self.len)(filter), 0);
        assert!(!(self.might_contain)(filter, b"plain"));
    }
}

#[test]
fn every_filter_keeps_the_contract() {
    let parameters = Parameters::new(10, 1e-6).unwrap();
    Contract {
        filter: BloomFilter::new(Bytes, &parameters).unwrap(),
        insert: |filter, key| assert!(filter.insert(key)),
        might_contain: |filter, key| filter.might_contain(key),
        might_contain_hash: BloomFilter::might_contain_hash,
        remove: None,
        clear: BloomFilter::clear,
        len: |filter| filter.estimated_len().unwrap(),
    }
    .check();
    Contract {
        filter: ConcurrentBloomFilter::new(Bytes, &parameters).unwrap(),
        insert: |filter, key| assert!(filter.insert(key)),
        might_contain: |filter, key| filter.might_contain(key),
        might_contain_hash: ConcurrentBloomFilter::might_contain_hash,
        remove: None,
        clear: |filter| {
            *filter = BloomFilter::new(Bytes, &Parameters::new(10, 1e-6).unwrap())
                .unwrap()
                .into()
        },
        len: |filter| filter.estimated_len().unwrap(),
    }
    .check();
    Contract {
        filter: CountingBloomFilter::new(Bytes, &parameters, CounterWidth::FOUR).unwrap(),
        insert: |filter, key| assert!(filter.insert(key)),
        might_contain: |filter, key| filter.might_contain(key),
        might_contain_hash: CountingBloomFilter::might_contain_hash,
        remove: Some(|filter, key| filter.remove(key)),
        clear: CountingBloomFilter::clear,
        len: |filter| {
            assert!(filter.is_empty() != (filter.len() > 0));
            filter.len()
        },
    }
    .check();
    Contract {
        filter: CuckooFilter::new(Bytes, &CuckooParameters::new(10, 1e-6).unwrap()).unwrap(),
        insert: |filter, key| filter.insert(key).unwrap(),
        might_contain: |filter, key| filter.might_contain(key),
        might_contain_hash: CuckooFilter::might_contain_hash,
        remove: Some(|filter, key| filter.remove(key)),
        clear: CuckooFilter::clear,
        len: |filter| {
            assert!(filter.is_empty() != (filter.len() > 0));
            filter.len()
        },
    }
    .check();
    Contract {
        filter: GrowingBloomFilter::new(Bytes, &GrowingParameters::new(10, 1e-6).unwrap()).unwrap(),
        insert: |filter, key| assert!(filter.insert(key).unwrap() && !filter.insert(key).unwrap()),
        might_contain: |filter, key| filter.might_contain(key),
        might_contain_hash: GrowingBloomFilter::might_contain_hash,
        remove: None,
        clear: GrowingBloomFilter::clear,
        len: |filter| filter.stats().len,
    }
    .check();
}
