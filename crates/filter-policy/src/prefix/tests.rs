//! Filters over prefixes of other extractors.

use super::*;
use crate::{BitsPerKey, BloomFilterPolicy, HashedPolicy as _};

/// Has no prefix for any scan, and a name that would break the policy's name without escaping.
struct LastByte(&'static str);

impl PrefixExtractor for LastByte {
    fn name(&self) -> &str {
        self.0
    }

    fn prefix<'k>(&self, key: &'k [u8]) -> Option<&'k [u8]> {
        key.split_last().map(|(_, rest)| rest)
    }
}

fn bloom() -> BloomFilterPolicy<crate::hashers::Murmur2> {
    BloomFilterPolicy::new(BitsPerKey::whole(10))
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
fn without_a_promise_no_scan_is_denied() {
    let policy = PrefixPolicy::new(bloom(), LastByte("LastByte"));
    let mut buffer = [0; 9];
    let filter = policy.create_filter(&[b"key"], &mut buffer).unwrap();
    assert!(policy.key_may_match(b"kex", filter));
    assert!(!policy.key_may_match(b"abc", filter));
    assert!(policy.prefix_may_match(b"abc", filter));
}

#[test]
fn the_filter_is_as_large_as_the_prefixes_need() {
    let policy = PrefixPolicy::new(bloom(), FixedPrefix::new(1));
    let keys: Vec<Vec<u8>> = (0..1000_u32)
        .map(|i| format!("{}{i:04}", i / 100).into_bytes())
        .collect();
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let mut filter = Vec::new();
    policy.append_filter(&keys, &mut filter).unwrap();
    // Ten prefixes at ten bits each: 100 bits in 13 bytes, and k.
    assert_eq!(filter.len(), 14);
    assert_eq!(filter, bloom().build((0..10).map(|i| format!("{i}"))).unwrap());
}

#[test]
fn keys_outside_the_domain_are_never_denied() {
    let policy = PrefixPolicy::new(bloom(), FixedPrefix::new(4));
    let mut buffer = [0; 100];
    // No key has a prefix, so the filter is empty.
    let filter = policy.create_filter(&[b"", b"abc"], &mut buffer).unwrap();
    assert!(policy.key_may_match(b"", filter) && policy.key_may_match(b"abc", filter));
    assert!(policy.key_may_match(b"xyz", filter));
    assert!(!policy.key_may_match(b"abcd", filter));
    assert!(policy.prefix_may_match(b"abc", filter) && !policy.prefix_may_match(b"abcd", filter));
}

#[test]
fn a_prefix_of_nothing_tells_whether_there_are_keys() {
    for extractor in [
        &FixedPrefix::new(0) as &dyn PrefixExtractor,
        &SeparatedPrefix::new(b':', 0),
    ] {
        assert_eq!(extractor.prefix(b"key"), Some(&b""[..]));
        assert_eq!(extractor.shared_prefix(b""), Some(&b""[..]));
    }
    let policy = PrefixPolicy::new(bloom(), FixedPrefix::new(0));
    let mut buffer = [0; 9];
    assert!(!policy.prefix_may_match(b"k", policy.create_filter(&[], &mut buffer).unwrap()));
    assert!(policy.prefix_may_match(b"k", policy.create_filter(&[b"x"], &mut buffer).unwrap()));
}
