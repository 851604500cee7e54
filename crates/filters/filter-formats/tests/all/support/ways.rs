//! All ways to build a filter and all ways to query one, beside pages without access rights.

use std::collections::BTreeMap;

use filter_formats::EngineFormat;
use filter_formats::view::{FilterKind, FilterView};
use filter_policy::{
    Answers, BitsPerKey, Error, FilterBuilder, FilterPolicy, HashFunctionId, HashedKey, KeyBatch, KeyHashes,
    OwnedFilter, PackedKeys,
};

use super::formats::{AnyPolicy, ROWS, Row};
use super::guarded::Guarded;
use super::random::slices;

/// Memory for filters as they are built and as they are stored, for packed keys, hash values and answers.
pub(crate) struct Pages {
    built: Guarded,
    stored: Guarded,
    packed: Guarded,
    hashes: Guarded,
    answers: Guarded,
    /// Set if all of them lie before a guard page, not after one.
    pub(crate) end: bool,
}

impl Pages {
    /// Makes room for filters and keys of this many bytes. Memory that nobody touches costs nothing.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            built: Guarded::new(bytes),
            stored: Guarded::new(bytes),
            packed: Guarded::new(bytes),
            hashes: Guarded::new(bytes),
            answers: Guarded::new(bytes),
            end: true,
        }
    }
}

/// Returns hash values of a function.
pub(crate) fn key_hashes(
    function: HashFunctionId,
    values: impl ExactSizeIterator<Item = u64>,
    memory: &mut Guarded,
    end: bool,
) -> KeyHashes<'_> {
    if function.bits() == 64 {
        let hashes: &mut [u64] = memory.at(end, values.len());
        hashes
            .iter_mut()
            .zip(values)
            .for_each(|(hash, value)| *hash = value);
        KeyHashes::new(function, hashes)
    } else {
        let hashes: &mut [u32] = memory.at(end, values.len());
        let values = values.map(|value| u32::try_from(value).unwrap());
        hashes
            .iter_mut()
            .zip(values)
            .for_each(|(hash, value)| *hash = value);
        KeyHashes::new(function, hashes)
    }
}

fn hashes<'a>(policy: &dyn AnyPolicy, keys: &[&[u8]], memory: &'a mut Guarded, end: bool) -> KeyHashes<'a> {
    let function = policy.key_hash(b"").unwrap().function();
    let values = keys.iter().map(|key| policy.key_hash(key).unwrap().value());
    key_hashes(function, values, memory, end)
}

/// Returns the keys as packed ones if they have one length.
fn packed<'a>(keys: &'a [&'a [u8]], memory: &'a mut Guarded, end: bool) -> KeyBatch<'a> {
    let len = keys.first().map_or(0, |key| key.len());
    if len == 0 || keys.iter().any(|key| key.len() != len) {
        return keys.into();
    }
    let bytes: &mut [u8] = memory.at(end, len * keys.len());
    bytes
        .chunks_mut(len)
        .zip(keys)
        .for_each(|(place, key)| place.copy_from_slice(key));
    PackedKeys::new(bytes, len).unwrap().into()
}

/// Returns the filter of these keys; checks that all ways to build write the same bytes, in dirty memory and nowhere
/// else.
pub(crate) fn built(policy: &dyn AnyPolicy, keys: &[&[u8]], pages: &mut Pages) -> Vec<u8> {
    let at = |way: &str| format!("{policy:?}, {} keys, {way}", keys.len());
    let end = pages.end;
    let most = policy.max_filter_len(keys.len()).unwrap();
    let expected = policy
        .create_filter(keys, pages.built.at(end, most))
        .unwrap()
        .to_vec();
    let hashes = hashes(policy, keys, &mut pages.hashes, end);
    let packed = packed(keys, &mut pages.packed, end);
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
            Ok(policy.create_from_hashes(hashes, out)?.len())
        }),
    ];
    let needed = expected.len();
    for (way, build) in ways {
        for given in [most, needed] {
            let room: &mut [u8] = pages.built.at(end, given);
            room.fill(0xa5);
            assert_eq!(build(room), Ok(needed), "{}", at(way));
            assert!(room[..needed] == expected, "{}", at(way));
        }
        for given in [0, needed / 2, needed.saturating_sub(1)]
            .into_iter()
            .filter(|&given| given < needed)
        {
            let short: &mut [u8] = pages.built.at(end, given);
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
pub(crate) fn answers(policy: &dyn AnyPolicy, filter: &[u8], keys: &[&[u8]], pages: &mut Pages) -> Vec<bool> {
    let at = |way: &str| format!("{policy:?}, {} bytes, {} keys, {way}", filter.len(), keys.len());
    let end = pages.end;
    let stored: &mut [u8] = pages.stored.at(end, filter.len());
    stored.copy_from_slice(filter);
    let filter = &*stored;
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
    let hashes = hashes(policy, keys, &mut pages.hashes, end);
    let packed = packed(keys, &mut pages.packed, end);
    let vectors: Vec<Vec<u8>> = keys.iter().map(|key| key.to_vec()).collect();
    let words: &mut [u64] = pages.answers.at(end, keys.len().div_ceil(64));
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
    let is_narrow = hashes.values::<u32>().is_some();
    let by_hash = match FilterView::new(EngineFormat::FAST_LOCAL_BLOOM, filter).kind() {
        FilterKind::Filter(format)
            if policy.name().starts_with("rocksdb.")
                && (format == EngineFormat::LEGACY_BLOOM) != is_narrow =>
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
        prepared.may_match_hashes(hashes, answers)
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
    pub(crate) fn check(&self, bits: BitsPerKey, keys: &[&[u8]], others: &[&[u8]], pages: &mut Pages) {
        let mut known: Option<(Vec<u8>, Vec<bool>)> = None;
        for policy in self.on_kernels(bits) {
            let at = || format!("{policy:?}, {} keys", keys.len());
            let filter = built(&*policy, keys, pages);
            let of_keys = answers(&*policy, &filter, keys, pages);
            assert!(!of_keys.contains(&false), "{}: a key is denied", at());
            let of_others = answers(&*policy, &filter, others, pages);
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
            if self.format.shares_layout(EngineFormat::FAST_LOCAL_BLOOM) {
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
pub(crate) fn check_all(bits: BitsPerKey, keys: &[&[u8]], others: &[&[u8]], pages: &mut Pages) {
    ROWS.iter().for_each(|row| row.check(bits, keys, others, pages));
}

/// Queries any bytes in all ways. Policies of one name answer alike, whichever kernel they use.
pub(crate) fn check_bytes(filter: &[u8], keys: &[&[u8]], pages: &mut Pages) {
    let mut known = BTreeMap::new();
    for policy in ROWS.iter().flat_map(|row| row.on_kernels(BitsPerKey::whole(10))) {
        let found = answers(&*policy, filter, keys, pages);
        let expected = known
            .entry(policy.name().to_owned())
            .or_insert_with(|| found.clone());
        assert_eq!(&found, expected, "{policy:?}: {filter:x?}");
    }
}
