//! The test of the contract between engines and policies, for the author of a policy to call.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Bound;

use crate::answers::Answers;
use crate::error::Error;
use crate::key_hash::{HashFunctionId, KeyHash, KeyHashes};
use crate::policy::builder::FilterBuilder;
use crate::policy::{FilterPolicy, HashedKey, MATCHES_EVERYTHING, OwnedFilter};
use crate::splitmix::SplitMix64;

/// The number of keys of the filter whose rate is returned, and the number of absent keys of which it is queried.
const KEYS: u32 = 1_000;
const ABSENT: u32 = 10_000;

/// Keys that programs like to change before they hash them: addresses, names in mixed case, blanks at the ends, and numbers.
const ALTERED: [&str; 24] = [
    "www.example.com",
    "www.example.org",
    "www.",
    "WWW.EXAMPLE.COM",
    "https://www.example.com/",
    "User@Example.com",
    "MixedCase",
    "UPPERCASE",
    "Stra\u{df}e",
    "\u{c4}RGER",
    " blank before",
    "blank after ",
    " blanks at both ends ",
    "\tcontrol characters\r\n",
    "two  blanks",
    "   ",
    "7",
    "007",
    "1234567890",
    "-12",
    "+12",
    "1.50",
    "/folder/",
    "\"quoted\"",
];

/// Checks a policy against the contract of [`FilterPolicy`], and returns the share of 10,000 absent keys that match a
/// filter of 1,000 keys.
///
/// Call it from a test of the crate that defines the policy; [`own_policy`](crate::own_policy) has an example. The keys
/// are always the same.
///
/// `known` is the checksum of the filter of 1,000 keys, which the message of a failure contains: copy it from the first
/// run. It stays the same as long as the policy writes the same bytes under its name, in every process and on every
/// platform. A hash with a random seed, such as that of `RandomState`, would deny every key that another process
/// stored, and never has it.
///
/// # Panics
///
/// With the sentence of the contract that the policy broke: a stored key was denied, or a prefix or range of one; two
/// ways to query gave two answers; the policy denied a range although it does not answer ranges; a key's hash value is
/// not that of the function it claims; a filter was longer than announced, or written into a slice that was too short;
/// `00 ff` denied a key; the policy panicked by itself; the filter of 1,000 keys has another checksum.
pub fn check(policy: &dyn FilterPolicy, known: u64) -> f64 {
    let name = String::from(policy.name());
    assert!(!name.is_empty(), "the policy must have a name");
    hash_values_are_of_their_function(policy);
    for keys in key_sets() {
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let filter = built(policy, &keys);
        let context = format!("filter of {} keys", keys.len());
        assert_found(policy, &keys, &filter, &context);
        all_ways_agree(policy, &filter, &keys, &context);
        all_ways_agree(policy, &filter, &[b"", b"absent", &[0xff; 40], b"\0"], &context);
        let owned = OwnedFilter::new(policy, &filter);
        for key in &keys {
            for end in 0..=key.len() {
                let start = key.get(..end).unwrap_or_default();
                assert!(
                    policy.prefix_may_match(start, &filter) && owned.prefix_may_match(start),
                    "{context}: no key starts with {}, but {} is stored",
                    shown(start),
                    shown(key)
                );
            }
        }
        ranges_are_found(policy, &keys, &filter, &context);
    }
    any_bytes_are_answered(policy);
    assert_eq!(policy.name(), name, "the name must not change");
    let stored = numbered(0..KEYS);
    let stored: Vec<&[u8]> = stored.iter().map(Vec::as_slice).collect();
    let filter = built(policy, &stored);
    // FNV-1a.
    let checksum = filter.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    assert!(
        checksum == known,
        "the checksum of the filter of {KEYS} keys must be {known:#018x}, got {checksum:#018x}"
    );
    let absent = numbered(KEYS..KEYS + ABSENT);
    let matching = absent.iter().filter(|key| policy.key_may_match(key, &filter));
    matching.count() as f64 / f64::from(ABSENT)
}

/// Returns sets of keys of different shapes.
fn key_sets() -> Vec<Vec<Vec<u8>>> {
    let sorted = numbered(0..300);
    let reversed = sorted.iter().rev().cloned().collect();
    let twice = sorted.iter().flat_map(|key| [key.clone(), key.clone()]).collect();
    let again = sorted.iter().chain(&sorted).cloned().collect();
    let lengths = (0..=255_u8)
        .map(|len| vec![len.wrapping_mul(37); usize::from(len)])
        .collect();
    let binary = (0..=255_u8).map(|byte| vec![0xff, byte, 0, byte]).collect();
    vec![
        Vec::new(),
        vec![Vec::new()],
        vec![vec![0]],
        vec![vec![], vec![0], vec![0, 0]],
        vec![b"same".to_vec(); 100],
        vec![vec![0x61; 10_000], vec![0x61; 9_999]],
        ALTERED.map(|key| key.as_bytes().to_vec()).to_vec(),
        numbered(0..63),
        numbered(0..64),
        numbered(0..65),
        reversed,
        twice,
        again,
        lengths,
        binary,
        sorted,
    ]
}

/// Returns keys of 4 to 20 bytes.
fn numbered(numbers: core::ops::Range<u32>) -> Vec<Vec<u8>> {
    let key = |i: u32| format!("key{i:0width$}", width = 1 + i as usize % 17).into_bytes();
    numbers.map(key).collect()
}

/// Returns the key as text, cut if it is long.
fn shown(key: &[u8]) -> String {
    let (start, rest) = key.split_at_checked(40).unwrap_or((key, &[]));
    let cut = if rest.is_empty() { "" } else { "..." };
    format!("\"{}{cut}\" ({} bytes)", start.escape_ascii(), key.len())
}

/// Builds a filter in every way and returns it.
fn built(policy: &dyn FilterPolicy, keys: &[&[u8]]) -> Vec<u8> {
    let context = format!("{} keys", keys.len());
    let failed = |error: Error| -> ! { panic!("{context}: no filter was built: {error}") };
    let max_len = policy
        .max_filter_len(keys.len())
        .unwrap_or_else(|error| failed(error));
    let mut room = vec![0xa5; max_len];
    let filter = match policy.create_filter(keys, &mut room) {
        Ok(filter) => filter.to_vec(),
        Err(error) => failed(error),
    };
    assert!(
        filter.len() <= max_len,
        "{context}: the filter is longer than max_filter_len"
    );
    assert!(
        keys.is_empty() || filter != MATCHES_EVERYTHING,
        "{context}: the filter must not be 00 ff"
    );
    for given in [0, filter.len() / 2, filter.len().saturating_sub(1)] {
        let mut short = vec![0xa5; given];
        if let Ok(short) = policy.create_filter(keys, &mut short) {
            assert!(
                given >= filter.len() && short == filter,
                "{context}: {given} bytes must be refused, or hold the filter"
            );
        }
    }
    let another = KeyHashes::new(HashFunctionId::new("another function", |_| 0_u64), &[0_u64]);
    assert!(
        policy.create_from_hashes(another, &mut room).is_err(),
        "hash values of another function must be refused"
    );
    let mut appended = b"before".to_vec();
    policy
        .append_filter(keys, &mut appended)
        .unwrap_or_else(|error| failed(error));
    let mut builder = FilterBuilder::new(policy);
    for key in keys {
        builder.insert(key).unwrap_or_else(|error| failed(error));
    }
    let streamed = builder.finish().unwrap_or_else(|error| failed(error));
    let appended = appended
        .strip_prefix(b"before")
        .unwrap_or_else(|| panic!("{context}: append_filter must keep the existing bytes"));
    for (way, filter) in [("append_filter", appended), ("FilterBuilder", &streamed)] {
        assert_found(policy, keys, filter, &format!("{context}, {way}"));
    }
    filter
}

/// Checks that hash values are those of the whole key: in place of a key that is changed before it is hashed, another
/// policy's filter would be queried for what it became.
fn hash_values_are_of_their_function(policy: &dyn FilterPolicy) {
    let function = policy.key_hash(b"").map(KeyHash::function);
    let is_right = |key: &[u8]| {
        let hash = policy.key_hash(key);
        let value = function.and_then(|function| function.value_of(key));
        hash.map(KeyHash::function) == function
            && value.is_none_or(|value| hash.map(KeyHash::value) == Some(value))
    };
    let wrong = key_sets().into_iter().flatten().find(|key| !is_right(key));
    let value = |key: &[u8]| policy.key_hash(key).map_or(0, KeyHash::value);
    assert!(
        wrong.is_none() && function.is_none_or(|function| function.has_values(value)),
        "key_hash must return the value that its function has for the whole key: a policy that changes keys needs a \
         HashFunctionId of its own{}",
        wrong.map_or_else(String::new, |key| format!(", got another for {}", shown(&key)))
    );
}

fn assert_found(policy: &dyn FilterPolicy, keys: &[&[u8]], filter: &[u8], context: &str) {
    for key in keys {
        assert!(
            policy.key_may_match(key, filter),
            "{context}: stored key {} was denied",
            shown(key)
        );
    }
}

/// The lower and the upper bound.
type Range<'k> = [Bound<&'k [u8]>; 2];

/// Queries a range in all ways.
fn range_may_match(policy: &dyn FilterPolicy, range: Range<'_>, filter: &[u8], context: &str) -> bool {
    let [lower, upper] = range;
    let answer = policy.range_may_match(lower, upper, filter);
    for filter in [policy.prepare(filter), OwnedFilter::new(policy, filter)] {
        assert!(
            answer || policy.answers_ranges() && filter.answers_ranges(),
            "{context}: a policy that does not answer ranges must not deny {:?}",
            range.map(|bound| bound.map(shown))
        );
        assert_eq!(
            filter.range_may_match(lower, upper),
            answer,
            "{context}: a prepared filter and range_may_match must agree on {:?}",
            range.map(|bound| bound.map(shown))
        );
    }
    answer
}

/// Checks that no range around a stored key is denied, and that keys in order give the same filter one by one.
fn ranges_are_found(policy: &dyn FilterPolicy, keys: &[&[u8]], filter: &[u8], context: &str) {
    use Bound::{Excluded, Included, Unbounded};

    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    if let Some(mut builder) = policy.range_builder() {
        let inserted = sorted.iter().try_for_each(|key| builder.insert(key));
        assert!(
            inserted.and_then(|()| builder.finish()).as_deref() == Ok(filter),
            "{context}: range_builder and create_filter must give the same filter"
        );
    }
    sorted.dedup();
    let mut random = SplitMix64::new(1);
    for (at, &key) in sorted.iter().enumerate() {
        let (smaller, larger) = (
            sorted.get(..at).unwrap_or(&[]),
            sorted.get(at + 1..).unwrap_or(&[]),
        );
        let mut one_of = |keys: &[_]| {
            let at = random.next() % keys.len().max(1) as u64;
            keys.get(usize::try_from(at).unwrap_or(0)).copied()
        };
        let (some_smaller, some_larger) = (one_of(smaller), one_of(larger));
        let start = key.split_last().map(|(_, start)| start);
        let next = [key, b"\0"].concat();
        let half = key.get(..key.len().div_ceil(2)).unwrap_or(key);
        // The first key that no longer starts with this half.
        let mut end = half.to_vec();
        while let Some(last) = end.pop() {
            if let Some(last) = last.checked_add(1) {
                end.push(last);
                break;
            }
        }
        let end = (!end.is_empty()).then_some(&end[..]);
        let lowers = [smaller.last().copied(), start, some_smaller].map(|lower| lower.map(Excluded));
        let uppers =
            [larger.first().copied(), Some(&next[..]), some_larger, end].map(|upper| upper.map(Excluded));
        let lowers = lowers
            .into_iter()
            .flatten()
            .chain([Unbounded, Included(half), Included(key)]);
        for lower in lowers {
            for upper in uppers.into_iter().flatten().chain([Unbounded, Included(key)]) {
                assert!(
                    range_may_match(policy, [lower, upper], filter, context),
                    "{context}: {:?} was denied, but {} is stored",
                    [lower, upper].map(|bound| bound.map(shown)),
                    shown(key)
                );
            }
        }
    }
    all_ranges_agree(
        policy,
        &[b"", b"absent", b"key9999", &[0xff; 40]],
        filter,
        context,
    );
}

/// Compares all ways to query ranges whose bounds are these keys, in either order. Returns true if all may match.
fn all_ranges_agree(policy: &dyn FilterPolicy, keys: &[&[u8]], filter: &[u8], context: &str) -> bool {
    let bounds = keys
        .iter()
        .flat_map(|key| [Bound::Included(*key), Bound::Excluded(*key)]);
    let bounds = || bounds.clone().chain([Bound::Unbounded]);
    let ranges = bounds().flat_map(|lower| bounds().map(move |upper| [lower, upper]));
    // Every range is queried.
    let denied = ranges.filter(|range| !range_may_match(policy, *range, filter, context));
    denied.count() == 0
}

/// Compares all ways to query with single queries.
pub(crate) fn all_ways_agree(policy: &dyn FilterPolicy, filter: &[u8], keys: &[&[u8]], context: &str) {
    let expected: Vec<bool> = keys.iter().map(|key| policy.key_may_match(key, filter)).collect();
    let prepared = policy.prepare(filter);
    let another = HashFunctionId::new("another function", |key| key.len() as u64);
    let foreign = KeyHash::new(another, 0_u64);
    for (key, &expected) in keys.iter().zip(&expected) {
        let hashed = HashedKey::new(policy, key);
        for (way, answer) in [
            ("a second query", policy.key_may_match(key, filter)),
            ("a prepared filter", prepared.may_match(key)),
            ("a key hashed once", hashed.may_match(filter)),
            ("a key hashed once, prepared", prepared.may_match_hashed(&hashed)),
            (
                "a hash value of another function",
                policy.hashed_may_match(key, foreign, filter),
            ),
        ] {
            assert_eq!(
                answer,
                expected,
                "{context}: {way} and key_may_match must agree on {}",
                shown(key)
            );
        }
    }
    let words = expected.chunks(64).map(|answers| {
        let bits = answers.iter().rev();
        bits.fold(0, |word: u64, &answer| word << 1 | u64::from(answer))
    });
    let words: Vec<u64> = words.collect();
    let mut room = vec![u64::MAX; words.len() + 1];
    let mut answers = Answers::new(&mut room);
    prepared
        .may_match_many(keys, &mut answers)
        .unwrap_or_else(|error| panic!("{context}: {error}"));
    assert!(
        answers.iter().len() == keys.len() && answers.words() == words,
        "{context}: may_match_many and key_may_match must agree, one bit each"
    );
}

/// Queries bytes that are no filter.
fn any_bytes_are_answered(policy: &dyn FilterPolicy) {
    let keys = numbered(0..70);
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    assert_found(policy, &keys, &MATCHES_EVERYTHING, "00 ff must match every key");
    let few: [&[u8]; 3] = [b"", b"key012", b"key5"];
    assert!(
        all_ranges_agree(policy, &few, &MATCHES_EVERYTHING, "00 ff"),
        "00 ff must match every range"
    );
    assert!(
        !policy.answers_ranges() || !policy.range_may_match(Bound::Unbounded, Bound::Unbounded, &[]),
        "a policy that answers ranges must deny those of the empty filter"
    );
    let whole = built(policy, &keys);
    let check = |bytes: &[u8], what: &str| {
        let context = format!("{} {what} bytes", bytes.len());
        all_ways_agree(policy, bytes, &keys, &context);
        all_ranges_agree(policy, &few, bytes, &context);
    };
    check(&[], "no");
    check(&MATCHES_EVERYTHING, "00 ff");
    for cut in 0..whole.len() {
        let (start, end) = whole.split_at(cut);
        check(start, "cut");
        check(end, "cut");
    }
    for at in (0..whole.len().min(8)).chain(whole.len().saturating_sub(8)..whole.len()) {
        for value in [0, 1, 2, 30, 31, 0x7f, 0x80, 0xfe, 0xff] {
            let mut altered = whole.clone();
            if let Some(byte) = altered.get_mut(at) {
                *byte = value;
            }
            check(&altered, "altered");
        }
    }
    // Xorshift: always the same bytes.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for len in 0..200 {
        let mut random = Vec::new();
        for _ in 0..len {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let [byte, ..] = state.to_le_bytes();
            random.push(byte);
        }
        check(&random, "random");
    }
}
