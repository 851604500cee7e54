//! Reading manifests of LevelDB.

use std::collections::BTreeSet;

use crate::support::golden::bytes as golden;
use crate::support::tables::varint;
use filter_tables::{DatabaseManifest, block_checksum};
use proptest::collection::vec;
use proptest::prelude::*;

const BLOCK_LEN: usize = 32 * 1024;

/// The parts of an edit that every manifest begins with: comparator, first log, next file and last entry.
const FIRST: &[u8] = b"\x01\x1aleveldb.BytewiseComparator\x02\x03\x03\x09\x04\x00";

/// Encodes the part that adds a table without keys to a level.
fn added(level: u8, table: u64) -> Vec<u8> {
    [&[7, level], &varint(table)[..], &[16, 0, 0]].concat()
}

/// Writes records to a log as LevelDB does, split at the ends of blocks.
fn log(records: &[Vec<u8>]) -> Vec<u8> {
    let mut log = Vec::new();
    for record in records {
        let (mut rest, mut is_first) = (record.as_slice(), true);
        while is_first || !rest.is_empty() {
            let room = BLOCK_LEN - log.len() % BLOCK_LEN;
            if room < 7 {
                log.resize(log.len() + room, 0);
                continue;
            }
            let (piece, after) = rest.split_at(rest.len().min(room - 7));
            let kind = match (is_first, after.is_empty()) {
                (true, true) => 1,
                (true, false) => 2,
                (false, false) => 3,
                (false, true) => 4,
            };
            let len = u16::try_from(piece.len()).unwrap();
            let summed = [&[kind], piece].concat();
            let (last, before) = summed.split_last().unwrap();
            log.extend(block_checksum(before, *last).to_le_bytes());
            log.extend(len.to_le_bytes());
            log.extend(summed);
            (rest, is_first) = (after, false);
        }
    }
    log
}

fn tables(manifest: &[u8]) -> Vec<u64> {
    let manifest = DatabaseManifest::parse(manifest).unwrap();
    manifest.tables().into_iter().collect()
}

/// Returns bytes after their length.
fn sized(len: usize) -> Vec<u8> {
    [varint(len as u64), vec![b'x'; len]].concat()
}

fn edits() -> Vec<Vec<u8>> {
    // Every kind of part; table 5 is added to level 0.
    let first = b"\x01\x04name\x02\x05\x03\x09\x04\x80\x01\x09\x00\x05\x02\x03key\x07\x00\x05\x10\x01a\x01z";
    // Table 300, in a record that is larger than two blocks.
    let second = [&b"\x07\x00\xac\x02\x10"[..], &sized(40_000), &sized(40_000)].concat();
    // Table 5 is moved to the next level, in the unusual order, table 300 is removed, and the last number added.
    let third = b"\x07\x01\x05\x10\x00\x00\x06\x00\x05\x06\x00\xac\x02\
                  \x07\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x00\x00";
    vec![first.to_vec(), second, third.to_vec()]
}

#[test]
fn tables_come_and_go() {
    let edits = edits();
    let expected: [&[u64]; 4] = [&[], &[5], &[5, 300], &[5, u64::MAX]];
    for (count, expected) in expected.iter().enumerate() {
        assert_eq!(tables(&log(&edits[..count])), *expected, "{count}");
    }
}

#[test]
fn records_may_end_anywhere_in_a_block() {
    for len in (BLOCK_LEN - 40..BLOCK_LEN + 10).chain([2 * BLOCK_LEN]) {
        let manifest = log(&[FIRST.to_vec(), [vec![1], sized(len)].concat(), added(0, 7)]);
        assert_eq!(tables(&manifest), [7], "{len}");
    }
}

#[test]
fn a_cut_manifest_is_one_that_ends_earlier() {
    let whole = log(&edits());
    let ends: Vec<usize> = (1..=3).map(|count| log(&edits()[..count]).len()).collect();
    let is_near = |len: usize, place: &usize| len.abs_diff(*place) < 20;
    let places = [&ends[..], &[0, BLOCK_LEN, 2 * BLOCK_LEN]].concat();
    for len in
        (0..=whole.len()).filter(|len| len % 211 == 0 || places.iter().any(|place| is_near(*len, place)))
    {
        let count = ends.iter().filter(|end| **end <= len).count();
        assert_eq!(tables(&whole[..len]), tables(&log(&edits()[..count])), "{len}");
    }
}

#[test]
fn damage_is_found() {
    let mut flipped = log(&edits());
    flipped[20] ^= 1;
    let refused = |manifest: &[u8]| DatabaseManifest::parse(manifest).unwrap_err().rule();
    assert!(refused(&flipped).contains("checksum"));
    for edit in [
        &b"\x08"[..],
        b"\x07",
        b"\x01\x05name",
        b"\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
        b"\x02\x80",
        // RocksDB's: a table in another form, the family of the edit, a part that may be skipped.
        b"\x67\x00\x07\x10\x00\x00\x00\x00\x01",
        b"\xc8\x01\x00",
        b"\x87\x40\x01\x09",
    ] {
        assert!(refused(&log(&[edit.to_vec()])).contains("edit"), "{edit:x?}");
    }
    // Without its first block, a record starts in the middle.
    let long = log(&[edits()[1].clone()]);
    assert!(refused(&long[BLOCK_LEN..]).contains("sequence"));
    // A length beyond the end of a whole block.
    let mut block = vec![0; BLOCK_LEN];
    block[..7].copy_from_slice(&[0, 0, 0, 0, 0xff, 0xff, 1]);
    assert!(refused(&block).contains("within its block"));
    // Preallocated space is skipped.
    let padded = [vec![0; BLOCK_LEN], log(&[edits()[0].clone()])].concat();
    assert_eq!(tables(&padded), [5]);
}

/// An edit can be cut before each of its seven parts and nowhere else.
#[test]
fn a_cut_edit_is_refused() {
    let edit = &edits()[0];
    let whole = |end: &usize| DatabaseManifest::parse(&log(&[edit[..*end].to_vec()])).is_ok();
    assert_eq!((0..edit.len()).filter(whole).count(), 7);
}

/// Manifests of LevelDB 1.23 and RocksDB 7.8.
#[test]
fn manifests_of_the_engines() {
    assert_eq!(tables(&golden("databases/leveldb/MANIFEST-000010")), [5, 8, 11]);
    let refused = DatabaseManifest::parse(&golden("databases/rocksdb/MANIFEST-000005")).unwrap_err();
    assert_eq!(refused.rule(), "record must be one of LevelDB's version edits");
}

proptest! {
    /// Reading any bytes ends with a manifest or an error.
    #[test]
    fn no_bytes_cause_a_panic(
        parts in vec((prop::sample::select(vec![1_u64, 2, 3, 4, 5, 6, 7, 8, 9, 103]),
            vec(any::<u8>(), 0..12)), 0..20),
        position: prop::sample::Index,
        byte: u8,
    ) {
        let parts = parts.into_iter().map(|(part, bytes)| [varint(part), bytes].concat());
        let mut manifest = log(&parts.collect::<Vec<_>>());
        let _answer = DatabaseManifest::parse(&manifest);
        if !manifest.is_empty() {
            let position = position.index(manifest.len());
            manifest[position] = byte;
            let _answer = DatabaseManifest::parse(&manifest);
        }
    }

    /// Tables that edits add and remove are those of a set.
    #[test]
    fn tables_are_a_set(changes in vec((any::<bool>(), 0..4_u8, 0..9_u64), 0..60), padding in 0..BLOCK_LEN) {
        let mut expected = BTreeSet::new();
        let mut edits = vec![[FIRST, &[1], &sized(padding), b"\x01\x00"].concat()];
        for (adds, level, table) in changes {
            edits.push(if adds { added(level, table) } else { [&[6, level], &varint(table)[..]].concat() });
            let table = (level, table);
            if adds { expected.insert(table) } else { expected.remove(&table) };
        }
        let expected: BTreeSet<_> = expected.into_iter().map(|(_, table)| table).collect();
        prop_assert!(expected.into_iter().eq(tables(&log(&edits))));
    }
}
