//! Filters over prefixes of generated keys: no stored key is ever denied.

use filter_policy::prefix::{FixedPrefix, PrefixExtractor, PrefixPolicy, SeparatedPrefix};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, HashedPolicy};
use proptest::collection::vec;
use proptest::prelude::*;

/// Generates keys of few different bytes, so that prefixes are shared and separators are frequent.
fn any_key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(prop_oneof![Just(b'a'), Just(b':'), Just(0xff)], 0..8),
        vec(any::<u8>(), 0..300),
    ]
}

/// Checks the trait's guarantees, and their consequences for the policy.
fn check<E: PrefixExtractor>(extractor: E, keys: &[Vec<u8>], others: &[Vec<u8>]) {
    for start in keys.iter().chain(others) {
        if let Some(shared) = extractor.shared_prefix(start).map(<[u8]>::to_vec) {
            for rest in others {
                let key = [start.as_slice(), rest].concat();
                assert_eq!(extractor.prefix(&key), Some(shared.as_slice()));
                assert!(key.starts_with(&shared));
            }
        }
    }

    let policy = PrefixPolicy::new(
        BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10)),
        extractor,
    );
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
        let prefix = policy.extractor().prefix(other);
        let expected = prefix.is_none_or(|prefix| policy.policy().key_may_match(prefix, &filter));
        assert_eq!(policy.key_may_match(other, &filter), expected);
        let shared = policy.extractor().shared_prefix(other);
        let expected = shared.is_none_or(|prefix| policy.policy().key_may_match(prefix, &filter));
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
    }

    #[test]
    fn any_bytes_have_an_answer(filter in vec(any::<u8>(), 0..80), key in any_key()) {
        let inner = BloomFilterPolicy::new(BitsPerKey::whole(10));
        let policy = PrefixPolicy::new(inner, FixedPrefix::new(3));
        let expected = key.get(..3).is_none_or(|prefix| inner.key_may_match(prefix, &filter));
        prop_assert_eq!(policy.key_may_match(&key, &filter), expected);
        prop_assert_eq!(policy.prefix_may_match(&key, &filter), expected);
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

#[test]
fn absent_prefixes_are_denied_about_as_often_as_absent_keys() {
    let policy = PrefixPolicy::new(BloomFilterPolicy::new(BitsPerKey::whole(10)), FixedPrefix::new(5));
    let keys: Vec<String> = (0..100_000).map(|i| format!("{:05}:{i}", i / 100)).collect();
    let slices: Vec<&[u8]> = keys.iter().map(String::as_bytes).collect();
    let mut filter = Vec::new();
    policy.append_filter(&slices, &mut filter).unwrap();
    assert_eq!(filter.len(), 1_000 * 10 / 8 + 1);
    let matches = (1_000..11_000)
        .filter(|i| policy.prefix_may_match(format!("{i:05}").as_bytes(), &filter))
        .count();
    assert!((1..300).contains(&matches), "{matches} of 10,000");
}

#[test]
fn whole_keys_cannot_answer_for_prefixes() {
    let policy = BloomFilterPolicy::new(BitsPerKey::whole(10));
    let filter = policy.build(["key"]).unwrap();
    assert!(!policy.answers_prefixes() && policy.prefix_may_match(b"xyz", &filter));
    assert!(PrefixPolicy::new(policy, FixedPrefix::new(1)).answers_prefixes());
}
