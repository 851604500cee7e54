//! Compares answers on damaged and random bytes with RocksDB's own.
//!
//! Excluded are `00 ff`, which adapters store if a filter cannot be built, and RocksDB reads as a filter of no keys;
//! and the bytes beyond which RocksDB would read, which its binding refuses. On all of them ours answer "may match", on
//! purpose.

use engine_tests::rocksdb::{Policy, slices};
use filter_policy::formats;
use filter_policy::rocksdb::FastLocalBloomPolicy;
use filter_policy::view::{FilterKind, FilterView};
use filter_policy::{BitsPerKey, FilterPolicy, MATCHES_EVERYTHING};

use crate::may_match;
use crate::source::Source;

/// The policy of ours; it reads every kind of filter.
const OURS: FastLocalBloomPolicy = FastLocalBloomPolicy::new(BitsPerKey::whole(10));

/// Counts of equal answers.
#[derive(Default)]
struct Answers {
    yes: u32,
    no: u32,
}

impl Answers {
    /// Queries both readers for the keys, except on excluded bytes.
    fn compare(&mut self, theirs: &Policy, filter: &[u8], keys: &[Vec<u8>]) {
        if filter == MATCHES_EVERYTHING {
            return;
        }
        let reader = theirs.reader(filter);
        for key in keys {
            let Ok(reader) = &reader else {
                assert!(OURS.key_may_match(key, filter), "{filter:x?}, {key:x?}");
                continue;
            };
            let answer = may_match(reader, key);
            assert_eq!(OURS.key_may_match(key, filter), answer, "{filter:x?}, {key:x?}");
            *(if answer { &mut self.yes } else { &mut self.no }) += 1;
        }
    }
}

#[test]
fn answers_on_damaged_filters_are_rocksdbs_own() {
    let mut source = Source::new(2);
    let mut answers = Answers::default();
    for round in 0..6_000_u32 {
        let bits_per_key = 1.0 + source.below(300) as f64 / 10.0;
        let theirs = match round % 3 {
            0 => Policy::bloom(bits_per_key, 5),
            1 => Policy::bloom(bits_per_key, 4),
            _ => Policy::ribbon(bits_per_key),
        };
        // Ribbon filters of few keys are Bloom filters.
        let count = 1 + source.below(if round % 3 == 2 { 1500 } else { 150 });
        let keys = source.keys(count);
        let mut filter = theirs.create_filter(&slices(&keys));
        match source.below(8) {
            0 => filter.truncate(source.index(filter.len())),
            1 => {
                let at = source.index(filter.len());
                filter[at] ^= 1 << source.below(8);
            }
            2 => {
                let more = source.below(200);
                filter.extend(source.bytes(more));
            }
            3 => filter.reverse(),
            4 => {
                let cut = source.index(filter.len());
                filter.drain(..cut);
            }
            // The tail determines the kind.
            _ => {
                let at = filter.len() - 1 - source.index(5);
                filter[at] = source.bytes(1)[0];
            }
        }
        let queried: Vec<Vec<u8>> = (keys.into_iter().take(30))
            .chain((0..30).map(|_| source.key()))
            .collect();
        answers.compare(&theirs, &filter, &queried);
    }
    let Answers { yes, no } = answers;
    assert!(yes > 100_000 && no > 20_000, "{yes} times yes, {no} times no");
}

/// Every first byte of the tail, with every kind of remaining tail, after random bits.
#[test]
fn answers_on_any_bytes_are_rocksdbs_own() {
    let mut source = Source::new(3);
    let theirs = Policy::bloom(10.0, 5);
    let mut answers = Answers::default();
    for len in (0..=24).chain([64, 65, 127, 128, 192, 448]) {
        for marker in 0..=u8::MAX {
            let mut filter = source.bytes(len);
            let lines = source.below(1 + len / 4) as u32;
            let [a, b, c, d] = lines.to_le_bytes();
            let tail = match source.below(4) {
                0 => [marker, a, b, c, d],
                1 => [marker, 0, a, 0, 0],
                2 => [marker, source.bytes(1)[0], a, b, c],
                _ => [marker, d, c, b, a],
            };
            filter.extend(tail);
            let keys: Vec<Vec<u8>> = (0..8).map(|_| source.key()).collect();
            answers.compare(&theirs, &filter, &keys);
        }
    }
    let Answers { yes, no } = answers;
    assert!(yes > 10_000 && no > 2_000, "{yes} times yes, {no} times no");
}

/// RocksDB denies every key here, and so would hide all keys of a table whose filter could not be built.
#[test]
fn two_bytes_that_adapters_store_deny_nothing() {
    let reader = Policy::bloom(10.0, 5).reader(&MATCHES_EVERYTHING).unwrap();
    assert!(!may_match(&reader, b"key"));
    assert!(OURS.key_may_match(b"key", &MATCHES_EVERYTHING));
}

/// Less than a line, and 320 bytes that RocksDB would take for 603,979,781 lines of 64 bytes.
#[test]
fn filters_beyond_which_rocksdb_reads_deny_nothing() {
    let theirs = Policy::bloom(10.0, 5);
    let line = [&[0; 63][..], &[0xff, 0, 6, 0, 0]].concat();
    let lines = [&[0; 320][..], &[17], &0x2400_0005_u32.to_le_bytes()].concat();
    for filter in [line, lines] {
        assert!(theirs.reader(&filter).is_err());
        let view = FilterView::new(formats::FAST_LOCAL_BLOOM, &filter);
        assert_eq!(view.kind(), FilterKind::Reserved);
        assert!(OURS.key_may_match(b"key", &filter));
    }
}
