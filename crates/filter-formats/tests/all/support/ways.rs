//! All ways to build a filter, and all ways to query one.

use std::collections::BTreeMap;
use std::fmt::{Debug, Display};

use filter_formats::Format;
use filter_formats::policies::{self, AnyPolicy};
use filter_formats::rocksdb::{CacheLine, LegacyBloom};
use filter_formats::view::{FilterKind, FilterView};
use filter_policy::{
    Answers, BitsPerKey, Error, FilterBuilder, FilterPolicy, HashedKey, KeyBatch, KeyHash, KeyHashes, Layout,
    OwnedFilter, PackedKeys, Policy,
};

use super::random::slices;

/// Returns every policy, and the variants of those that have some.
pub(crate) fn any_policies(bits: BitsPerKey) -> Vec<(Format, AnyPolicy)> {
    let mut all: Vec<(Format, AnyPolicy)> = policies::ALL
        .iter()
        .map(|known| (known.format(), known.policy(bits)))
        .collect();
    for line in [CacheLine::Bytes128, CacheLine::Bytes256] {
        all.push((Format::LEGACY_BLOOM, Box::new(LegacyBloom::with_line(bits, line))));
    }
    all
}

/// Returns the filter of these keys, built in one way.
pub(crate) fn filter_of(policy: &dyn FilterPolicy, keys: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let mut filter = Vec::new();
    policy.append_filter(&slices(keys), &mut filter).unwrap();
    filter
}

/// Returns the keys as packed ones if they have one length; `bytes` are all of them.
fn packed<'a>(bytes: &'a [u8], keys: &'a [&'a [u8]]) -> KeyBatch<'a> {
    match keys.first().map_or(0, |key| key.len()) {
        len if len > 0 && keys.iter().all(|key| key.len() == len) => {
            PackedKeys::new(bytes, len).unwrap().into()
        }
        _ => keys.into(),
    }
}

/// Returns the filter of these keys; checks that all ways to build write the same bytes, in dirty memory and nowhere
/// else.
pub(crate) fn built<L: Layout>(policy: &Policy<L>, keys: &[&[u8]], context: &dyn Display) -> Vec<u8> {
    let at = |way: &str| format!("{}, {} keys, {way}: {context}", policy.name(), keys.len());
    let hashes: Vec<L::Hash> = keys.iter().map(|key| policy.layout().hash(key)).collect();
    let bytes = keys.concat();
    let packed = packed(&bytes, keys);
    let max_len = policy.max_filter_len(keys.len()).unwrap();
    let expected = policy
        .create_filter(keys, &mut vec![0xa5; max_len])
        .unwrap()
        .to_vec();
    assert!(expected.len() <= max_len, "{}", at("create_filter"));

    type Build<'a> = &'a dyn Fn(&mut [u8]) -> Result<usize, Error>;
    let vectors: Vec<Vec<u8>> = keys.iter().map(|key| key.to_vec()).collect();
    let of_function = KeyHashes::new(policy.layout().hash_function(), &hashes);
    let ways: [(&str, Build<'_>); 5] = [
        ("create_filter", &|out| Ok(policy.create_filter(keys, out)?.len())),
        ("build_in", &|out| Ok(policy.build_in(keys, out)?.len())),
        ("packed", &|out| Ok(policy.build_in(packed, out)?.len())),
        ("vectors", &|out| Ok(policy.build_in(&vectors, out)?.len())),
        ("create_from_hashes", &|out| {
            Ok(policy.create_from_hashes(of_function, out)?.len())
        }),
    ];
    for (way, build) in ways {
        let mut room = vec![0xa5; max_len + 9];
        let len = build(&mut room).unwrap();
        assert!(room[..len] == expected, "{}", at(way));
        assert!(
            room.ends_with(&[0xa5; 9]),
            "{}: written beyond the filter",
            at(way)
        );
        let needed = expected.len();
        let mut exact = vec![0xa5; needed];
        assert_eq!(build(&mut exact), Ok(needed), "{}", at(way));
        assert!(exact == expected, "{}", at(way));
        for given in [0, needed / 2, needed.saturating_sub(1)] {
            if given < needed {
                let mut short = vec![0xa5; given];
                assert_eq!(
                    build(&mut short),
                    Err(Error::BufferTooShort { needed, given }),
                    "{}",
                    at(way)
                );
                assert!(short.iter().all(|&byte| byte == 0xa5), "{}: changed", at(way));
            }
        }
    }
    type Append<'a> = &'a dyn Fn(&mut Vec<u8>) -> Result<(), Error>;
    let ways: [(&str, Append<'_>); 4] = [
        ("FilterBuilder", &|out| {
            let object: &dyn FilterPolicy = policy;
            let mut builder = FilterBuilder::new(object);
            keys.iter().try_for_each(|key| builder.insert(key))?;
            builder.append_to(out)
        }),
        ("append_filter", &|out| policy.append_filter(keys, out)),
        ("build", &|out| {
            out.extend(policy.build(keys)?);
            Ok(())
        }),
        ("build, uncounted", &|out| {
            out.extend(policy.build(keys.iter().filter(|_| true))?);
            Ok(())
        }),
    ];
    for (way, append) in ways {
        let mut out = b"before".to_vec();
        append(&mut out).unwrap();
        assert!(out.strip_prefix(b"before") == Some(&expected), "{}", at(way));
    }
    expected
}

/// Returns the answers for these keys; checks that all ways to query agree, in dirty words and no further.
pub(crate) fn answers<L: Layout>(
    policy: &Policy<L>,
    filter: &[u8],
    keys: &[&[u8]],
    context: &dyn Display,
) -> Vec<bool> {
    let at = |way: &str| format!("{}, {} bytes, {way}: {context}", policy.name(), filter.len());
    let hashes: Vec<L::Hash> = keys.iter().map(|key| policy.layout().hash(key)).collect();
    let prepared = policy.prepare(filter);
    let object: Box<dyn FilterPolicy + '_> = Box::new(policy);
    let owned = OwnedFilter::new(&*object, filter);
    let expected: Vec<bool> = keys.iter().map(|key| policy.key_may_match(key, filter)).collect();
    for (key, &expected) in keys.iter().zip(&expected) {
        let hashed = HashedKey::new(policy, key);
        for (way, answer) in [
            ("object", object.key_may_match(key, filter)),
            ("prepared", prepared.may_match(key)),
            ("hashed key", hashed.may_match(filter)),
            ("prepared, hashed", prepared.may_match_hashed(&hashed)),
            ("owned", owned.may_match(key)),
            ("owned, hashed", owned.may_match_hashed(&hashed)),
            (
                "hashed through an object",
                HashedKey::new(&*object, key).may_match(filter),
            ),
        ] {
            assert_eq!(answer, expected, "{}", at(way));
        }
    }
    type Ask<'a> = &'a dyn Fn(&mut Answers<'_>) -> Result<(), Error>;
    let bytes = keys.concat();
    let packed = packed(&bytes, keys);
    let vectors: Vec<Vec<u8>> = keys.iter().map(|key| key.to_vec()).collect();
    let ways: [(&str, Ask<'_>); 5] = [
        ("owned", &|out| owned.may_match_many(keys, out)),
        ("through an object", &|out| {
            object.prepare(filter).may_match_many(keys, out)
        }),
        ("may_match_many", &|out| prepared.may_match_many(keys, out)),
        ("packed", &|out| prepared.may_match_many(packed, out)),
        ("vectors", &|out| prepared.may_match_many(&vectors, out)),
    ];
    for (way, ask) in ways {
        check_many(&at(way), &expected, ask);
    }

    // RocksDB's filters identify their kind, which may use another hash: then a hash value always matches.
    let is_narrow = size_of::<L::Hash>() == 4;
    let by_hash = match FilterView::new(Format::FAST_LOCAL_BLOOM, filter).kind() {
        FilterKind::Filter(format)
            if policy.name().starts_with("rocksdb.") && (format == Format::LEGACY_BLOOM) != is_narrow =>
        {
            vec![true; keys.len()]
        }
        _ => expected.clone(),
    };
    let function = policy.layout().hash_function();
    for (&hash, &expected) in hashes.iter().zip(&by_hash) {
        assert_eq!(
            prepared.may_match_hash(KeyHash::new(function, hash)),
            expected,
            "{}",
            at("may_match_hash")
        );
    }
    check_many(&at("may_match_hashes"), &by_hash, &|answers| {
        prepared.may_match_hashes(KeyHashes::new(function, &hashes), answers)
    });
    expected
}

/// Checks the answers for many keys, written as bits over dirty words, and the error for one word too few.
pub(crate) fn check_many(
    at: &dyn Display,
    expected: &[bool],
    ask: &dyn Fn(&mut Answers<'_>) -> Result<(), Error>,
) {
    let needed = expected.len().div_ceil(64);
    let mut room = vec![!0; needed + 1];
    let mut answers = Answers::new(&mut room);
    ask(&mut answers).unwrap();
    assert!(answers.iter().eq(expected.iter().copied()), "{at}: {answers:?}");
    assert!(answers.get(expected.len()), "{at}: no answer");
    let mut answers = answers.words().to_vec();
    assert_eq!(room.pop(), Some(!0), "{at}: written too far");
    let words: Vec<u64> = expected
        .chunks(64)
        .map(|answers| {
            (0..)
                .zip(answers)
                .map(|(i, &answer)| u64::from(answer) << i)
                .sum()
        })
        .collect();
    assert!(answers == words, "{at}: {answers:x?}, {words:x?} expected");
    if let Some(given) = needed.checked_sub(1) {
        answers.truncate(given);
        answers.fill(0);
        let mut answers = Answers::new(&mut answers);
        let error = Err(Error::TooFewAnswers { needed, given });
        assert_eq!(ask(&mut answers), error, "{at}");
        assert!(
            answers.is_empty() && answers.get(0),
            "{at}: answers after an error"
        );
    }
}

/// The answers of the first policy of each name, for stored bytes and a number of keys.
pub(crate) struct Known(BTreeMap<(String, Vec<u8>, usize), Vec<bool>>);

impl Known {
    pub(crate) fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Checks that all ways to query agree, and that the policies of one name do.
    pub(crate) fn check<L: Layout + Debug>(&mut self, policy: &Policy<L>, filter: &[u8], keys: &[&[u8]]) {
        let context = format!("{policy:?}: {filter:x?}");
        let answers = answers(policy, filter, keys, &context);
        let asked = (policy.name().to_owned(), filter.to_vec(), keys.len());
        let of_name = self.0.entry(asked);
        assert_eq!(of_name.or_insert_with(|| answers.clone()), &answers, "{context}");
    }
}
