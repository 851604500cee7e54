//! Compares answers on damaged and random bytes with RocksDB's own.
//!
//! Three kinds of bytes are excluded, on which ours answer "may match" and RocksDB does not, on purpose. Each has its
//! own test.
//!
//! * `00 ff`, which adapters store if a filter cannot be built. RocksDB reads it as a filter of no keys.
//! * FastLocalBloom filters shorter than a line. RocksDB reads beyond their end.
//! * Legacy filters whose number of lines times 64 equals their length only modulo 2^32. RocksDB reads far beyond their
//!   end.

use bench_kit::source::Source;
use bench_rocksdb::{Policy, slices};
use filter_formats::rocksdb::FastLocalBloomPolicy;
use filter_formats::view::{FilterKind, FilterLayout, FilterView};
use filter_policy::{BitsPerKey, FilterPolicy, MATCHES_EVERYTHING};

/// Returns true for a non-empty FastLocalBloom filter that is shorter than a line.
fn is_less_than_a_line(filter: &[u8]) -> bool {
    matches!(filter, [bits @ .., 0xff, 0, 1..=30, 0, 0] if (1..64).contains(&bits.len()))
}

/// Returns true for a legacy filter whose lines have its length only modulo 2^32 bytes.
fn claims_too_many_lines(filter: &[u8]) -> bool {
    let Some((bits, &[probes, a, b, c, d])) = filter.split_last_chunk() else {
        return false;
    };
    let claimed = u64::from(u32::from_le_bytes([a, b, c, d])) * 64;
    (1..0x80).contains(&probes) && claimed >> 32 != 0 && claimed & 0xffff_ffff == bits.len() as u64
}

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
        if filter == MATCHES_EVERYTHING || is_less_than_a_line(filter) || claims_too_many_lines(filter) {
            return;
        }
        let reader = theirs.reader(filter);
        for key in keys {
            let answer = reader.may_match(key);
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
        let asked: Vec<Vec<u8>> = (keys.into_iter().take(30))
            .chain((0..30).map(|_| source.key()))
            .collect();
        answers.compare(&theirs, &filter, &asked);
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
    let reader = Policy::bloom(10.0, 5).reader(&MATCHES_EVERYTHING);
    assert!(!reader.may_match(b"key"));
    assert!(OURS.key_may_match(b"key", &MATCHES_EVERYTHING));
}

/// RocksDB reads a line beyond the filter.
#[test]
fn less_than_a_line_denies_nothing() {
    let filter = [&[0; 63][..], &[0xff, 0, 6, 0, 0]].concat();
    assert!(is_less_than_a_line(&filter));
    let view = FilterView::new(FilterLayout::ROCKS_DB, &filter);
    assert_eq!(view.kind(), FilterKind::Reserved);
    assert!(OURS.key_may_match(b"key", &filter));
}

/// RocksDB reads 320 bytes as 603,979,781 lines of 64 bytes.
#[test]
fn more_lines_than_there_are_deny_nothing() {
    let filter = [&[0; 320][..], &[17], &0x2400_0005_u32.to_le_bytes()].concat();
    assert!(claims_too_many_lines(&filter));
    let view = FilterView::new(FilterLayout::ROCKS_DB, &filter);
    assert_eq!(view.kind(), FilterKind::Reserved);
    assert!(OURS.key_may_match(b"key", &filter));
}
