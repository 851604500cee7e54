//! All ways to build a filter and all ways to query one.

use std::collections::BTreeMap;

use filter_policy::formats;
use filter_policy::view::{FilterKind, FilterView};
use filter_policy::{
    Answers, BitsPerKey, Error, FilterBuilder, FilterPolicy, HashFunctionId, HashedKey, KeyBatch, KeyHashes,
    OwnedFilter, PackedKeys,
};

use super::formats::{AnyPolicy, ROWS, Row};
use super::random::slices;

/// Hash values of a function, of which those of its width are used.
pub(crate) struct Hashes {
    function: HashFunctionId,
    narrow: Vec<u32>,
    wide: Vec<u64>,
}

impl Hashes {
    pub(crate) fn new(function: HashFunctionId, values: impl Iterator<Item = u64>) -> Self {
        let wide: Vec<u64> = values.collect();
        let narrow = wide.iter().map(|&value| value as u32).collect();
        Self {
            function,
            narrow,
            wide,
        }
    }

    fn of(policy: &dyn AnyPolicy, keys: &[&[u8]]) -> Self {
        let values = keys.iter().map(|key| policy.key_hash(key).unwrap().value());
        Self::new(policy.key_hash(b"").unwrap().function(), values)
    }

    pub(crate) fn get(&self) -> KeyHashes<'_> {
        if self.function.bits() == 64 {
            KeyHashes::new(self.function, &self.wide)
        } else {
            KeyHashes::new(self.function, &self.narrow)
        }
    }
}

/// Returns the keys as packed ones if they have one length, with their bytes side by side.
fn packed<'a>(keys: &'a [&'a [u8]], bytes: &'a [u8]) -> KeyBatch<'a> {
    let len = keys.first().map_or(0, |key| key.len());
    if len == 0 || keys.iter().any(|key| key.len() != len) {
        return keys.into();
    }
    PackedKeys::new(bytes, len).unwrap().into()
}

/// Returns the filter of these keys; checks that all ways to build write the same bytes, in dirty memory and nowhere
/// else.
fn built(policy: &dyn AnyPolicy, keys: &[&[u8]]) -> Vec<u8> {
    let at = |way: &str| format!("{policy:?}, {} keys, {way}", keys.len());
    let most = policy.max_filter_len(keys.len()).unwrap();
    let mut memory = vec![0; most];
    let expected = policy.create_filter(keys, &mut memory).unwrap().to_vec();
    let (hashes, bytes) = (Hashes::of(policy, keys), keys.concat());
    let packed = packed(keys, &bytes);
    let vectors: Vec<Vec<u8>> = keys.iter().map(|key| key.to_vec()).collect();

    type Build<'a> = &'a dyn Fn(&mut [u8]) -> Result<usize, Error>;
    let ways: [(&str, Build<'_>); 5] = [
        ("create_filter", &|out| Ok(policy.create_filter(keys, out)?.len())),
        ("build_in", &|out| Ok(policy.build_in(keys.into(), out)?.len())),
        ("packed", &|out| Ok(policy.build_in(packed, out)?.len())),
        ("vectors", &|out| {
            Ok(policy.build_in((&vectors).into(), out)?.len())
        }),
        ("create_from_hashes", &|out| {
            Ok(policy.create_from_hashes(hashes.get(), out)?.len())
        }),
    ];
    let needed = expected.len();
    for (way, build) in ways {
        for given in [most, needed] {
            let room = &mut memory[..given];
            room.fill(0xa5);
            assert_eq!(build(room), Ok(needed), "{}", at(way));
            assert!(room[..needed] == expected, "{}", at(way));
        }
        for given in [0, needed / 2, needed.saturating_sub(1)]
            .into_iter()
            .filter(|&given| given < needed)
        {
            let short = &mut memory[..given];
            short.fill(0xa5);
            assert_eq!(
                build(short),
                Err(Error::BufferTooShort { needed, given }),
                "{}",
                at(way)
            );
            assert!(short.iter().all(|&byte| byte == 0xa5), "{}: changed", at(way));
        }
    }
    type Append<'a> = &'a dyn Fn(&mut Vec<u8>) -> Result<(), Error>;
    let ways: [(&str, Append<'_>); 4] = [
        ("FilterBuilder", &|out| {
            let mut builder = FilterBuilder::new(policy);
            keys.iter().try_for_each(|key| builder.insert(key))?;
            builder.append_to(out)
        }),
        ("append_filter", &|out| policy.append_filter(keys, out)),
        ("build", &|out| {
            out.extend(policy.build(&mut vectors.iter().cloned())?);
            Ok(())
        }),
        ("build, uncounted", &|out| {
            out.extend(policy.build(&mut vectors.iter().filter(|_| true).cloned())?);
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
fn answers(policy: &dyn AnyPolicy, filter: &[u8], keys: &[&[u8]]) -> Vec<bool> {
    let at = |way: &str| format!("{policy:?}, {} bytes, {} keys, {way}", filter.len(), keys.len());
    let prepared = policy.prepare(filter);
    let owned = OwnedFilter::new(policy, filter);
    let expected: Vec<bool> = keys.iter().map(|key| policy.key_may_match(key, filter)).collect();
    // The first of a batch and some others, one by one.
    let some = |i: &usize| *i < 8 || i.is_multiple_of(16);
    for i in (0..keys.len()).filter(some) {
        let (key, expected) = (keys[i], expected[i]);
        let hashed = HashedKey::new(policy, key);
        for (way, answer) in [
            ("prepared", prepared.may_match(key)),
            ("hashed key", hashed.may_match(filter)),
            ("prepared, hashed", prepared.may_match_hashed(&hashed)),
            ("owned", owned.may_match(key)),
        ] {
            assert_eq!(answer, expected, "{}: {key:x?}", at(way));
        }
    }
    let (hashes, bytes) = (Hashes::of(policy, keys), keys.concat());
    let packed = packed(keys, &bytes);
    let vectors: Vec<Vec<u8>> = keys.iter().map(|key| key.to_vec()).collect();
    let words = &mut vec![0; keys.len().div_ceil(64)];
    type Ask<'a> = &'a dyn Fn(&mut Answers<'_>) -> Result<(), Error>;
    let ways: [(&str, Ask<'_>); 4] = [
        ("slices", &|answers| prepared.may_match_slices(keys, answers)),
        ("slices as a batch", &|answers| {
            prepared.may_match_many(keys, answers)
        }),
        ("packed", &|answers| prepared.may_match_many(packed, answers)),
        ("vectors", &|answers| prepared.may_match_many(&vectors, answers)),
    ];
    for (way, query) in ways {
        check_many(words, &expected, &|| at(way), query);
    }
    // RocksDB's filters identify their kind, which may use a hash of another width: then a hash value always matches.
    let is_narrow = hashes.get().values::<u32>().is_some();
    let by_hash = match FilterView::new(formats::FAST_LOCAL_BLOOM, filter).kind() {
        FilterKind::Filter(kind)
            if policy.name().starts_with("rocksdb.")
                && (kind == formats::LEGACY_BLOOM.kind()) != is_narrow =>
        {
            vec![true; keys.len()]
        }
        _ => expected.clone(),
    };
    for i in (0..keys.len()).filter(some) {
        let hash = policy.key_hash(keys[i]).unwrap();
        assert_eq!(
            prepared.may_match_hash(hash),
            by_hash[i],
            "{}: {:x?}",
            at("a hash value"),
            keys[i]
        );
    }
    check_many(words, &by_hash, &|| at("hash values"), &|answers| {
        prepared.may_match_hashes(hashes.get(), answers)
    });
    expected
}

/// Checks the answers for many keys, written as bits over dirty words, and the error for one word too few.
pub(crate) fn check_many(
    words: &mut [u64],
    expected: &[bool],
    at: &dyn Fn() -> String,
    query: &dyn Fn(&mut Answers<'_>) -> Result<(), Error>,
) {
    words.fill(!0);
    let needed = words.len();
    let mut answers = Answers::new(words);
    query(&mut answers).unwrap();
    assert!(
        answers.iter().eq(expected.iter().copied()),
        "{}: {answers:?}",
        at()
    );
    assert!(answers.get(expected.len()), "{}: no answer", at());
    let ones = answers
        .words()
        .iter()
        .map(|word| word.count_ones() as usize)
        .sum::<usize>();
    assert_eq!(
        ones,
        expected.iter().filter(|&&answer| answer).count(),
        "{}: further bits",
        at()
    );
    if let Some(given) = needed.checked_sub(1) {
        let mut answers = Answers::new(&mut words[..given]);
        assert_eq!(
            query(&mut answers),
            Err(Error::TooFewAnswers { needed, given }),
            "{}",
            at()
        );
        assert!(
            answers.is_empty() && answers.get(0),
            "{}: answers after an error",
            at()
        );
    }
}

/// Returns the filter of these keys, built in one way.
pub(crate) fn filter_of(policy: &dyn FilterPolicy, keys: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let mut filter = Vec::new();
    policy.append_filter(&slices(keys), &mut filter).unwrap();
    filter
}

impl Row {
    /// Builds and queries in all ways on every kernel; filters and answers are those of portable code and of the rule.
    fn check(&self, bits: BitsPerKey, keys: &[&[u8]], others: &[&[u8]]) {
        let mut known: Option<(Vec<u8>, Vec<bool>)> = None;
        for policy in self.on_kernels(bits) {
            let at = || format!("{policy:?}, {} keys", keys.len());
            let filter = built(&*policy, keys);
            let of_keys = answers(&*policy, &filter, keys);
            assert!(!of_keys.contains(&false), "{}: a key is denied", at());
            let of_others = answers(&*policy, &filter, others);
            if let Some(known) = &known {
                assert!(
                    filter == known.0 && of_others == known.1,
                    "{}: not what portable code does",
                    at()
                );
                continue;
            }
            if let Some(rule) = &self.rule {
                let hash = |key: &&[u8]| policy.key_hash(key).unwrap().value();
                let (expected, probes) = rule.filter(self.format, &*policy, keys.iter().map(hash).collect());
                assert!(filter == expected, "{}: not what the rule says", at());
                let answers = others.iter().map(|key| rule.answer(&filter, probes, hash(key)));
                assert!(
                    answers.eq(of_others.iter().copied()),
                    "{}: answers of the rule",
                    at()
                );
            }
            if self.format.shares_layout(formats::FAST_LOCAL_BLOOM) {
                let mut once = keys.to_vec();
                once.dedup();
                assert!(
                    filter == filter_of(&*policy, &once),
                    "{}: repeats leave no trace",
                    at()
                );
            }
            known = Some((filter, of_others));
        }
    }
}

/// Checks every format.
pub(crate) fn check_all(bits: BitsPerKey, keys: &[&[u8]], others: &[&[u8]]) {
    ROWS.iter().for_each(|row| row.check(bits, keys, others));
}

/// Queries any bytes in all ways. Policies of one name answer alike, whichever kernel they use.
pub(crate) fn check_bytes(filter: &[u8], keys: &[&[u8]]) {
    let mut known = BTreeMap::new();
    for policy in ROWS.iter().flat_map(|row| row.on_kernels(BitsPerKey::whole(10))) {
        let found = answers(&*policy, filter, keys);
        let expected = known
            .entry(policy.name().to_owned())
            .or_insert_with(|| found.clone());
        assert_eq!(&found, expected, "{policy:?}: {filter:x?}");
    }
}
