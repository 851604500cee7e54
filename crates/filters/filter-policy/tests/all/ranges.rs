//! Range filters against sorted lists of keys: no query with an answer is denied, whatever keys, sizes and bounds.

use std::ops::Bound::{self, Excluded, Included, Unbounded};

use filter_policy::range::{RangeFilterBuilder, RangePolicy};
use filter_policy::{Error, FilterPolicy, MATCHES_EVERYTHING, OwnedFilter};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::any_bytes::ranges::has_key;

/// Queries that have a key.
const QUERIES: u64 = if cfg!(emulated) { 100_000 } else { 10_000_000 };

struct Source(SplitMix64);

impl Source {
    fn below(&mut self, most: usize) -> usize {
        (self.0.next_u64() % most as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A key of an alphabet; no alphabet stands for all bytes.
    fn key(&mut self, alphabet: &[u8], longest: usize) -> Vec<u8> {
        let byte = |source: &mut Self| match alphabet {
            [] => source.0.next_u64() as u8,
            _ => source.one_of(alphabet),
        };
        (0..self.below(longest + 1)).map(|_| byte(self)).collect()
    }

    /// A bound near a stored key, or anywhere.
    fn near(&mut self, keys: &[Vec<u8>], alphabet: &[u8], longest: usize) -> Vec<u8> {
        if keys.is_empty() || self.below(4) == 0 {
            return self.key(alphabet, longest);
        }
        let mut key = keys[self.below(keys.len())].clone();
        match self.below(7) {
            0 => key.truncate(self.below(key.len() + 1)),
            1 => key.push(self.0.next_u64() as u8),
            2 => key.push(0),
            3 => key.extend([0xff; 3]),
            4 => key
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|last| *last = last.wrapping_add(1)),
            5 => key
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|last| *last = last.wrapping_sub(1)),
            _ => {}
        }
        key
    }

    fn bound(&mut self, key: Vec<u8>) -> Bound<Vec<u8>> {
        match self.below(5) {
            0 => Unbounded,
            1 | 2 => Excluded(key),
            _ => Included(key),
        }
    }
}

#[test]
fn no_query_with_a_key_is_denied() {
    let alphabets: [&[u8]; 6] = [&[0, 1, 0xff], &[0, 0xff], &[0], b"ab", b"abcdefg", &[]];
    let mut source = Source(SplitMix64::seed_from_u64(1));
    let mut with_key = 0;
    while with_key < QUERIES {
        let alphabet = source.one_of(&alphabets);
        let longest = source.one_of(&[0, 1, 2, 3, 6, 20, 60]);
        let count = source.one_of(&[0, 1, 2, 3, 10, 24, 24, 100, 2_000]);
        let bits = source.one_of(&[0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 12.3, 16.0, 24.0, 300.0, 3e4]);
        let mut keys: Vec<Vec<u8>> = (0..source.below(count + 1))
            .map(|_| source.key(alphabet, longest))
            .collect();
        let policy = RangePolicy::new(bits.try_into().unwrap());
        let filter = policy.build(&keys).unwrap();
        keys.sort();
        // Of repeated keys and others, in order.
        let mut builder = RangeFilterBuilder::new(bits.try_into().unwrap());
        keys.iter().try_for_each(|key| builder.insert(key)).unwrap();
        assert!(builder.finish().unwrap() == filter, "{keys:x?} at {bits} bits");
        keys.dedup();
        let most = ((bits * keys.len() as f64).floor() / 8.0).ceil().max(16.0) as usize;
        assert!(
            filter.len() <= most,
            "{} bytes of {keys:x?} at {bits} bits",
            filter.len()
        );
        assert_eq!(policy.max_filter_len(keys.len()), Ok(most));
        for _ in 0..20 * (keys.len() + 20) {
            let [lower, upper] = [(); 2].map(|()| {
                let key = source.near(&keys, alphabet, longest);
                source.bound(key)
            });
            let (lower, upper) = (
                lower.as_ref().map(Vec::as_slice),
                upper.as_ref().map(Vec::as_slice),
            );
            let case = || format!("{lower:x?} to {upper:x?}, {keys:x?} at {bits} bits");
            if has_key(&keys, lower, upper) {
                with_key += 1;
                assert!(policy.range_may_match(lower, upper, &filter), "{}", case());
            }
            let start = source.near(&keys, alphabet, longest);
            let first = &keys[keys.partition_point(|key| *key < start)..];
            if first.first().is_some_and(|key| key.starts_with(&start)) {
                with_key += 1;
                assert!(policy.prefix_may_match(&start, &filter), "{start:x?}: {}", case());
                if first.first() == Some(&start) {
                    assert!(policy.key_may_match(&start, &filter), "{start:x?}: {}", case());
                }
            }
        }
    }
}

#[test]
fn long_keys() {
    let policy = RangePolicy::new(12.into());
    let long = |last: &[u8]| [&[b'x'; 70_000][..], last].concat();
    let keys = [
        long(b""),
        long(b"\0"),
        long(b"a"),
        long(b"b"),
        vec![0; 70_000],
        b"x".to_vec(),
    ];
    let filter = policy.build(&keys).unwrap();
    assert!(keys.iter().all(|key| policy.key_may_match(key, &filter)));
    assert!(
        policy.prefix_may_match(&[b'x'; 60_000], &filter) && policy.prefix_may_match(&[0; 60_000], &filter)
    );
    assert!(!policy.prefix_may_match(b"y", &filter));
    let between = policy.range_may_match(Excluded(&keys[2]), Excluded(&long(b"c")), &filter);
    assert!(between, "{} is between", keys[3].len());
    let error = policy.build([vec![0; (1 << 20) + 1]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "keys of a range filter must be at most 1 MiB long"
    );
}

#[test]
fn builders_refuse_what_is_out_of_order_and_go_on() {
    let mut builder = RangeFilterBuilder::new(10.into());
    builder.insert(b"b").unwrap();
    let error = builder.insert(b"a").unwrap_err();
    assert_eq!(
        error.to_string(),
        "keys of a range filter's builder must be sorted"
    );
    builder.insert(b"b").unwrap();
    builder.insert(b"c").unwrap();
    let policy = RangePolicy::new(10.into());
    assert_eq!(builder.finish(), policy.build(["c", "b"]));
    assert_eq!(RangeFilterBuilder::new(10.into()).finish(), Ok(Vec::new()));
    let mut buffer = [0; 3];
    let short = policy.create_filter(&[b"key"], &mut buffer);
    assert!(
        matches!(short, Err(Error::BufferTooShort { given: 3, .. })),
        "{short:?}"
    );
    assert!(policy.max_filter_len(u32::MAX as usize).is_err());
}

/// Bytes that are no filter, or of which the end is missing, match everything; the filter of no keys, nothing.
#[test]
fn damaged_filters_are_answered() {
    let policy = RangePolicy::new(10.into());
    let matches = |filter: &[u8]| policy.range_may_match(Included(b"user:0"), Excluded(b"user:0!"), filter);
    assert!(!matches(&[]) && !policy.range_may_match(Unbounded, Unbounded, &[]));
    assert!(matches(&MATCHES_EVERYTHING) && matches(&[2; 40]) && matches(&[1]));
    let owned = OwnedFilter::new(policy, policy.build(["user:1"]).unwrap());
    assert!(owned.answers_prefixes() && owned.prefix_may_match(b"user") && !owned.prefix_may_match(b"v"));
    let open = OwnedFilter::new(policy, MATCHES_EVERYTHING);
    assert!(open.prefix_may_match(b"v"));
    let keys = (0..300).map(|i| format!("user:{}:{:09}", i % 40, i * 7_919 % 1_000_003));
    let keys: Vec<String> = keys.collect();
    let filter = policy.build(&keys).unwrap();
    assert!(!matches(&filter));
    let mut source = Source(SplitMix64::seed_from_u64(2));
    for end in 0..filter.len() {
        // What is cut away may hold the key.
        let key = source.one_of(&[0, 13, 100, 299]);
        let cut = &filter[..end];
        let found = policy.key_may_match(keys[key].as_bytes(), cut);
        assert_eq!(found, end > 0, "{end} bytes of {}", filter.len());
        matches(cut);
    }
    for at in 0..filter.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff, filter[at] ^ 1, filter[at] ^ 0x10] {
            let mut altered = filter.clone();
            altered[at] = value;
            matches(&altered);
            policy.prefix_may_match(b"user:7:", &altered);
            policy.range_may_match(Excluded(b"user:2"), Unbounded, &altered);
        }
    }
}
