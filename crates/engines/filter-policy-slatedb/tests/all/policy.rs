//! The adapter without an engine: the stored bytes, and the answers for any bytes that are read back.

use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use filter_policy::leveldb::Murmur2;
use filter_policy::prefix::{FixedPrefix, PrefixPolicy};
use filter_policy::{BitsPerKey, BloomFilterPolicy, Error, FilterBytes, FilterPolicy, KeyHash, KeyHashes};
use filter_policy_slatedb::SlateDbPolicy;
use slatedb::{Filter, FilterPolicy as Engine, FilterQuery, RowEntry, ValueDeletable};

const BLOOM: BloomFilterPolicy<Murmur2> = BloomFilterPolicy::new(BitsPerKey::whole(10));

fn point(key: &[u8]) -> FilterQuery {
    FilterQuery::point(Bytes::copy_from_slice(key))
}

fn prefix(start: &[u8]) -> FilterQuery {
    FilterQuery::prefix(Bytes::copy_from_slice(start))
}

fn row(key: &[u8], value: ValueDeletable, seq: u64) -> RowEntry {
    RowEntry {
        key: Bytes::copy_from_slice(key),
        value,
        seq,
        create_ts: None,
        expire_ts: None,
    }
}

fn build(policy: &dyn Engine, keys: &[&[u8]]) -> Arc<dyn Filter> {
    let mut builder = policy.builder();
    for (seq, key) in (0..).zip(keys) {
        let value = match seq % 3 {
            0 => ValueDeletable::Value(Bytes::from_static(b"value")),
            1 => ValueDeletable::Merge(Bytes::from_static(b"operand")),
            _ => ValueDeletable::Tombstone,
        };
        builder.add_entry(&row(key, value, seq));
    }
    builder.build()
}

fn encoded(filter: &dyn Filter) -> Vec<u8> {
    let mut bytes = Vec::new();
    filter.encode(&mut bytes);
    bytes
}

#[test]
fn what_is_stored_is_the_policys_filter() {
    let long = [0xff; 300];
    let over_prefixes = || PrefixPolicy::new(BLOOM, FixedPrefix::new(300));
    let sets: [&[&[u8]]; 5] = [
        &[],
        &[b""],
        &[b"", b"\xc3\x28", &long],
        &[b"same", b"same", b"same", b"same"],
        &[b"", b"", b"a", b"a", b"b"],
    ];
    for keys in sets {
        let mut distinct = keys.to_vec();
        distinct.dedup();
        let prefixes = distinct.iter().filter(|key| key.len() == 300);
        let adapters: [(Box<dyn Engine>, _); 2] = [
            (Box::new(SlateDbPolicy::new(BLOOM)), BLOOM.build(&distinct)),
            (
                Box::new(SlateDbPolicy::new(over_prefixes())),
                BLOOM.build(prefixes),
            ),
        ];
        for (adapter, expected) in adapters {
            let expected = expected.unwrap();
            for filter in [build(&*adapter, keys), adapter.decode(&expected)] {
                for filter in [&*filter, &*filter.clamp_allocated_size()] {
                    assert_eq!(
                        (filter.size(), encoded(filter)),
                        (expected.len(), expected.clone())
                    );
                    let is_denied =
                        |key: &&&[u8]| !filter.might_match(&point(key)) || !filter.might_match(&prefix(key));
                    assert_eq!(keys.iter().find(is_denied), None);
                }
            }
            assert!(adapter.estimate_size(distinct.len()) >= expected.len());
        }
    }
}

#[test]
fn a_builder_can_be_used_again() {
    let policy = SlateDbPolicy::new(BLOOM);
    let mut builder = policy.builder();
    builder.add_entry(&row(b"key", ValueDeletable::Tombstone, 0));
    assert_eq!(encoded(&*builder.build()), BLOOM.build(["key"]).unwrap());
    assert_eq!(encoded(&*builder.build()), BLOOM.build([""; 0]).unwrap());
}

#[test]
fn names_and_abilities_are_the_policys() {
    let points = SlateDbPolicy::new(BLOOM);
    assert_eq!(points.name(), "BloomFilter2");
    assert!(!points.supports_prefix_queries() && !points.supports_range_queries());
    assert_eq!(points.policy().bits_per_key(), Some(BitsPerKey::whole(10)));
    let prefixes = SlateDbPolicy::new(PrefixPolicy::new(BLOOM, FixedPrefix::new(9)));
    assert_eq!(prefixes.name(), "BloomFilter2.Prefix.Fixed9");
    assert!(prefixes.supports_prefix_queries() && !prefixes.supports_range_queries());
}

#[test]
fn any_bytes_have_the_policys_answer() {
    let policy = SlateDbPolicy::new(PrefixPolicy::new(BLOOM, FixedPrefix::new(2)));
    for bytes in [
        &[][..],
        &[6],
        &[0, 6],
        &[0, 31],
        &[0x55; 9],
        &[0xff; 20],
        &[0x00, 0xff],
    ] {
        let filter = policy.decode(bytes);
        let expected = BLOOM.key_may_match(b"ab", bytes);
        assert_eq!(filter.might_match(&point(b"abc")), expected, "{bytes:x?}");
        assert_eq!(filter.might_match(&prefix(b"abc")), expected, "{bytes:x?}");
        assert!(filter.might_match(&point(b"a")) && filter.might_match(&prefix(b"a")));
        assert!(filter.might_match(&FilterQuery::range(Bound::Unbounded, Bound::Unbounded)));
    }
}

/// A policy that cannot build filters, or has no hash value for some keys, and denies every key, so its answers must
/// not be used.
struct Failing(&'static str);

impl FilterPolicy for Failing {
    fn name(&self) -> &str {
        self.0
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        let (keys, bits_per_key) = (keys as u64, 10.0);
        match self.0 {
            "Faulty" => Ok(1),
            _ => Err(Error::FilterTooLarge {
                keys,
                most: 0,
                bits_per_key,
            }),
        }
    }

    fn key_hash(&self, key: &[u8]) -> Option<KeyHash> {
        BLOOM.key_hash(key).filter(|_| self.0 == "Faulty" && key == b"a")
    }

    fn create_from_hashes<'out>(
        &self,
        _: KeyHashes<'_>,
        out: &'out mut [u8],
    ) -> Result<FilterBytes<'out>, Error> {
        Ok(out.into())
    }

    fn create_filter<'out>(&self, _: &[&[u8]], _: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        Err(Error::BufferTooShort { needed: 1, given: 0 })
    }

    fn key_may_match(&self, _: &[u8], _: &[u8]) -> bool {
        false
    }

    fn answers_prefixes(&self) -> bool {
        true
    }

    fn prefix_may_match(&self, _: &[u8], _: &[u8]) -> bool {
        false
    }
}

#[test]
fn a_filter_that_cannot_be_built_denies_nothing() {
    for name in ["Failing", "Faulty"] {
        let policy = SlateDbPolicy::new(Failing(name));
        let built = build(&policy, &[b"a", b"key"]);
        assert_eq!(encoded(&*built), [0x00, 0xff], "{name}");
        for filter in [built, policy.decode(&[0x00, 0xff])] {
            assert!(filter.might_match(&point(b"key")) && filter.might_match(&prefix(b"k")));
        }
        assert_eq!(policy.estimate_size(1), 2);
    }
}

#[test]
fn the_engines_names_are_refused() {
    for (name, is_engines) in [("_bf", true), ("_bf:wh=0", true), ("_bf2", false)] {
        let refused = std::panic::catch_unwind(|| SlateDbPolicy::new(Failing(name))).is_err();
        assert_eq!(refused, is_engines, "{name}");
    }
}
