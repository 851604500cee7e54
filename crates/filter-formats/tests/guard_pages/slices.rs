//! Each slice that a kernel gets lies beside a page without access rights.

use filter_policy::hashers::{LevelDbHash, Murmur2, Murmur2SignedTail};
use filter_policy::kernels::Kernel;
use filter_policy::{
    Answers, BitsPerKey, FilterPolicy, HashedKey, KeyBatch, KeyHash, KeyHashes, Layout as _, PackedKeys,
};

use super::arch::{Guarded, Plain};
use super::layouts::{
    Bloom64, FastLocal, Hash, Layout, LevelDb, SplitBlock, answer, each_layout, number, value,
};

const TEN: BitsPerKey = BitsPerKey::whole(10);
const LONGEST_KEY: usize = 300;
/// Two groups of the widest kernel, and one more key.
const KEYS: usize = 33;

/// Returns bytes without a pattern.
fn noise(i: usize) -> u8 {
    (i.wrapping_mul(0x9e37_79b9) >> 11).to_le_bytes()[0]
}

pub(super) fn fill(bytes: &mut [u8], start: usize) {
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = noise(start + i);
    }
}

/// Returns the answers that report `count` keys as present.
fn all(count: usize) -> Vec<u64> {
    let mut answers = vec![u64::MAX; count.div_ceil(64)];
    if !count.is_multiple_of(64) {
        *answers.last_mut().unwrap() >>= 64 - count % 64;
    }
    answers
}

/// Guarded memory: for a filter as it is built and as it is stored, for answers, and for hash values.
struct Pages {
    built: Guarded,
    stored: Guarded,
    answers: Guarded,
    hashes: Guarded,
}

impl Pages {
    fn new(filter: usize, keys: usize) -> Self {
        Self {
            built: Guarded::new(filter),
            stored: Guarded::new(filter),
            answers: Guarded::new(keys.div_ceil(64) * 8),
            hashes: Guarded::new(keys * 8),
        }
    }
}

/// Builds a filter from keys and from their hash values, and queries it for them, on every kernel.
fn check<L: Layout>(layout: L, keys: KeyBatch<'_>, end: bool, pages: &mut Pages)
where
    Hash<L>: Plain,
{
    let hashes: &mut [Hash<L>] = pages.hashes.at(end, keys.len());
    for kernel in Kernel::available() {
        let policy = layout.policy(TEN, kernel);
        let at = || {
            format!(
                "{policy:?}, {:?}",
                keys.iter().map(<[u8]>::len).collect::<Vec<_>>()
            )
        };
        for (hash, key) in hashes.iter_mut().zip(keys.iter()) {
            *hash = policy.layout().hash(key);
        }
        let room: &mut [u8] = pages.built.at(end, policy.max_filter_len(keys.len()).unwrap());
        let from_hashes = policy
            .create_from_hashes(KeyHashes::new(policy.layout().hash_function(), hashes), room)
            .unwrap()
            .to_vec();
        let built = policy.build_in(keys, room).unwrap();
        assert!(built == from_hashes, "{}", at());
        // A key equal to the previous one is not counted.
        let filter: &mut [u8] = pages.stored.at(end, built.len());
        filter.copy_from_slice(&built);
        let prepared = policy.prepare(filter);
        let answers: &mut [u64] = pages.answers.at(end, keys.len().div_ceil(64));
        prepared.may_match_many(keys, &mut Answers::new(answers)).unwrap();
        assert_eq!(answers, all(keys.len()), "{}", at());
        answers.fill(0);
        prepared
            .may_match_hashes(
                KeyHashes::new(policy.layout().hash_function(), hashes),
                &mut Answers::new(answers),
            )
            .unwrap();
        assert_eq!(answers, all(keys.len()), "{}", at());
        for key in keys.iter() {
            assert!(prepared.may_match(key), "{}", at());
            assert!(policy.key_may_match(key, filter), "{}", at());
            assert!(HashedKey::new(&policy, key).may_match(filter), "{}", at());
        }
    }
}

/// Checks every layout and hash function.
fn check_all(keys: KeyBatch<'_>, end: bool, pages: &mut Pages) {
    each_layout!(|layout| check(layout, keys, end, pages));
    each_layout!(
        |layout| check(layout, keys, end, pages),
        LevelDb(Murmur2::new()),
        LevelDb(Murmur2SignedTail)
    );
}

/// Calls a function with keys of each length, of similar and of other lengths, each beside a page without access rights; and
/// with whether they are at the end.
pub(super) fn each_length(mut check: impl FnMut(&[&[u8]], bool)) {
    let mut pool: Vec<Guarded> = (0..KEYS).map(|_| Guarded::new(LONGEST_KEY)).collect();
    for len in 0..=LONGEST_KEY {
        for end in [true, false] {
            let lens = |of: &dyn Fn(usize) -> usize| (0..KEYS).map(of).collect::<Vec<usize>>();
            let mixed = lens(&|i| len.saturating_sub(i * i % 37));
            // Lengths within a class that is hashed together.
            let near = lens(&|i| (len.max(9) + i % 8).min(LONGEST_KEY));
            let uneven = lens(&|i| (len * (i + 1)) % (LONGEST_KEY + 1));
            for lens in [&[len; KEYS][..], &mixed, &uneven, &near, &mixed[..5], &near[..1]] {
                let keys = pool.iter_mut().zip(lens).enumerate().map(|(i, (place, &len))| {
                    let key: &mut [u8] = place.at(end, len);
                    fill(key, i * LONGEST_KEY);
                    &*key
                });
                check(&keys.collect::<Vec<&[u8]>>(), end);
            }
        }
    }
}

#[test]
fn keys_of_every_length() {
    let mut pages = Pages::new(1000, KEYS);
    each_length(|keys, end| check_all(keys.into(), end, &mut pages));
}

#[test]
fn packed_keys() {
    let mut place = Guarded::new(130 * LONGEST_KEY);
    let mut pages = Pages::new(1000, 130);
    for len in (1..40).chain([63, 64, 65, 128, 129, 240, 241, LONGEST_KEY]) {
        for count in (1..40).chain([63, 64, 65, 70, 127, 128, 130]) {
            for end in [true, false] {
                let bytes: &mut [u8] = place.at(end, len * count);
                fill(bytes, 0);
                check_all(PackedKeys::new(bytes, len).unwrap().into(), end, &mut pages);
            }
        }
    }
}

/// Tests filters around the limits between the ways to build them.
#[test]
fn filters_of_many_lines() {
    const MAX: usize = 6554;
    let mut bytes = vec![0; 16 * MAX];
    fill(&mut bytes, 0);
    let keys: Vec<&[u8]> = bytes.chunks(16).collect();
    let mut pages = Pages::new(10_000, MAX);
    for count in [51, 52, 102, 103, 819, 820, 6553, MAX] {
        for end in [true, false] {
            check_all(keys[..count].into(), end, &mut pages);
        }
    }
}

#[test]
fn filters_of_every_length() {
    const LONGEST: usize = 2100;

    fn run<L: Layout>(layout: L, place: &mut Guarded) {
        let numbers = (0..298_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let hashes = numbers.chain([u64::MAX, 0]).map(value);
        let hashes: Vec<Hash<L>> = hashes.collect();
        let tail = layout.tail(1).len();
        for len in (tail..=400).chain((400..=LONGEST).step_by(11)) {
            for (end, probes) in [true, false]
                .into_iter()
                .flat_map(|end| [0, 1, 6, 7, 8, 9, 30, 31, 127].map(|k| (end, k)))
            {
                let filter: &mut [u8] = place.at(end, len);
                fill(filter, 7);
                for (i, byte) in filter.iter_mut().enumerate() {
                    *byte |= noise(i);
                }
                let bits = len - tail;
                filter[bits..].copy_from_slice(&layout.tail(probes));
                let is_whole = bits.is_multiple_of(L::UNIT) && (1..=30).contains(&probes);
                check_reading(layout, filter, &hashes, is_whole.then_some(probes));
            }
        }
    }

    let mut place = Guarded::new(LONGEST);
    each_layout!(|layout| run(layout, &mut place));
}

/// Checks that all kernels answer as the bits say, or like the portable one if there is a part of a unit or a reserved probe
/// count.
fn check_reading<L: Layout>(layout: L, filter: &[u8], hashes: &[Hash<L>], probes: Option<u8>) {
    let scalar = layout.policy(TEN, Kernel::Scalar);
    let (prepared, function) = (scalar.prepare(filter), scalar.layout().hash_function());
    let expected = |hash| match probes {
        Some(probes) => answer(layout, filter, probes, number(hash)),
        None => prepared.may_match_hash(KeyHash::new(function, hash)),
    };
    let mut of_hashes = [0_u64; 5];
    for (i, &hash) in hashes.iter().enumerate() {
        of_hashes[i / 64] |= u64::from(expected(hash)) << (i % 64);
    }
    for kernel in Kernel::available() {
        let policy = layout.policy(TEN, kernel);
        let at = || format!("{policy:?}, {} bytes", filter.len());
        let prepared = policy.prepare(filter);
        let mut answers = [0; 5];
        prepared
            .may_match_hashes(KeyHashes::new(function, hashes), &mut Answers::new(&mut answers))
            .unwrap();
        assert_eq!(answers, of_hashes, "{}", at());
        for (i, &hash) in hashes.iter().enumerate().step_by(16) {
            let expected = of_hashes[i / 64] >> (i % 64) & 1 == 1;
            assert_eq!(
                prepared.may_match_hash(KeyHash::new(function, hash)),
                expected,
                "{}",
                at()
            );
        }
        for key in [&b"a key of 16 byte"[..], b"a key that is asked for"] {
            let expected = expected(policy.layout().hash(key));
            assert_eq!(policy.key_may_match(key, filter), expected, "{}", at());
            assert_eq!(prepared.may_match(key), expected, "{}", at());
            let hashed = HashedKey::new(&policy, key);
            assert_eq!(hashed.may_match(filter), expected, "{}", at());
        }
    }
}
