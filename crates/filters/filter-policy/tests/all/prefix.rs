//! Filters over prefixes of generated keys: no stored key is ever denied.

use filter_policy::leveldb::Murmur2;
use filter_policy::prefix::{FixedPrefix, PrefixExtractor, PrefixPolicy, SeparatedPrefix};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
use proptest::collection::vec;
use proptest::prelude::*;

/// Has no prefix for any scan, and a name that would break the policy's name without escaping.
#[derive(Clone, Copy)]
struct LastByte(&'static str);

impl PrefixExtractor for LastByte {
    fn name(&self) -> &str {
        self.0
    }

    fn prefix<'k>(&self, key: &'k [u8]) -> Option<&'k [u8]> {
        key.split_last().map(|(_, rest)| rest)
    }
}

fn bloom() -> BloomFilterPolicy<Murmur2> {
    BloomFilterPolicy::new(BitsPerKey::whole(10))
}

/// Generates keys of few different bytes, so that prefixes are shared and separators are frequent.
fn any_key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(prop_oneof![Just(b'a'), Just(b':'), Just(0xff)], 0..8),
        vec(any::<u8>(), 0..300),
    ]
}

/// Checks the trait's guarantees, and their consequences for the policy.
fn check<E: PrefixExtractor + Clone>(extractor: E, keys: &[Vec<u8>], others: &[Vec<u8>]) {
    for start in keys.iter().chain(others) {
        if let Some(shared) = extractor.shared_prefix(start).map(<[u8]>::to_vec) {
            for rest in others {
                let key = [start.as_slice(), rest].concat();
                assert_eq!(extractor.prefix(&key), Some(shared.as_slice()));
                assert!(key.starts_with(&shared));
            }
        }
    }

    let whole = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(10));
    let policy = PrefixPolicy::new(whole, extractor.clone());
    let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let mut filter = Vec::new();
    policy.append_filter(&slices, &mut filter).unwrap();
    assert!(filter.len() <= policy.max_filter_len(keys.len()).unwrap());
    for key in keys {
        assert!(policy.key_may_match(key, &filter), "{key:x?} is denied");
        for end in 0..=key.len() {
            let start = &key[..end];
            assert!(
                policy.prefix_may_match(start, &filter),
                "{start:x?} of {key:x?} is denied"
            );
        }
    }
    for other in others {
        // The answer is that of the policy over whole keys, with the prefix as the key.
        let prefix = extractor.prefix(other);
        let expected = prefix.is_none_or(|prefix| whole.key_may_match(prefix, &filter));
        assert_eq!(policy.key_may_match(other, &filter), expected);
        let shared = extractor.shared_prefix(other);
        let expected = shared.is_none_or(|prefix| whole.key_may_match(prefix, &filter));
        assert_eq!(policy.prefix_may_match(other, &filter), expected);
    }
}

proptest! {
    #[test]
    fn nothing_that_is_there_is_denied(
        mut keys in vec(any_key(), 0..60),
        others in vec(any_key(), 0..20),
        len in 0..12_usize,
        count in 0..4_usize,
        sorted: bool,
    ) {
        if sorted {
            keys.sort_unstable();
        }
        check(FixedPrefix::new(len), &keys, &others);
        check(SeparatedPrefix::new(b':', count), &keys, &others);
        check(LastByte("LastByte"), &keys, &others);
    }

    #[test]
    fn every_extractor_has_its_own_name(
        len in 0..40_usize,
        count in 0..40_usize,
        other_count in 0..40_usize,
        separator: u8,
        other: u8,
    ) {
        let first = SeparatedPrefix::new(separator, count);
        let second = SeparatedPrefix::new(other, other_count);
        prop_assert_eq!(first.name() == second.name(), first == second);
        let (fixed, other_fixed) = (FixedPrefix::new(len), FixedPrefix::new(count));
        prop_assert_eq!(fixed.name() == other_fixed.name(), len == count);
        prop_assert_ne!(fixed.name(), first.name());
    }
}

/// The filter holds each prefix once, so it denies absent prefixes about as often as one over keys denies absent keys.
#[test]
fn a_filter_is_that_of_the_prefixes() {
    let policy = PrefixPolicy::new(bloom(), FixedPrefix::new(5));
    assert!(policy.answers_prefixes() && !bloom().answers_prefixes());
    let keys: Vec<String> = (0..100_000).map(|i| format!("{:05}:{i}", i / 100)).collect();
    let slices: Vec<&[u8]> = keys.iter().map(String::as_bytes).collect();
    let mut filter = Vec::new();
    policy.append_filter(&slices, &mut filter).unwrap();
    assert_eq!(
        filter,
        bloom().build((0..1_000).map(|i| format!("{i:05}"))).unwrap()
    );
}

#[test]
fn names_cannot_run_into_each_other() {
    let nested = PrefixPolicy::new(PrefixPolicy::new(bloom(), LastByte("A")), LastByte("B"));
    let dotted = PrefixPolicy::new(bloom(), LastByte("A.Prefix.B"));
    assert_eq!(nested.name(), "BloomFilter2.Prefix.A.Prefix.B");
    assert_eq!(dotted.name(), "BloomFilter2.Prefix.A%2ePrefix%2eB");
    assert_eq!(
        PrefixPolicy::new(bloom(), LastByte("%2e é")).name(),
        "BloomFilter2.Prefix.%252e%20%c3%a9"
    );
    assert_eq!(
        PrefixPolicy::new(bloom(), LastByte("")).name(),
        "BloomFilter2.Prefix."
    );
}

#[test]
fn the_empty_prefix_shows_whether_there_are_keys() {
    for extractor in [
        &FixedPrefix::new(0) as &dyn PrefixExtractor,
        &SeparatedPrefix::new(b':', 0),
    ] {
        assert_eq!(extractor.prefix(b"key"), Some(&b""[..]));
        assert_eq!(extractor.shared_prefix(b""), Some(&b""[..]));
    }
    let policy = PrefixPolicy::new(bloom(), FixedPrefix::new(0));
    let mut buffer = [0; 9];
    assert!(!policy.prefix_may_match(b"k", &policy.create_filter(&[], &mut buffer).unwrap()));
    assert!(policy.prefix_may_match(b"k", &policy.create_filter(&[b"x"], &mut buffer).unwrap()));
}
