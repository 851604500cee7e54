//! Reading manifests.

use std::collections::BTreeSet;

use crate::support::golden::{bytes as golden, path};
use crate::support::manifests::{FIRST, added, log};
use crate::support::tables::varint;
use filter_tables::DatabaseManifest;
use proptest::collection::vec;
use proptest::prelude::*;

const BLOCK_LEN: usize = 32 * 1024;

fn parse(manifest: &[u8]) -> DatabaseManifest {
    DatabaseManifest::parse(manifest).unwrap()
}

fn tables(manifest: &[u8]) -> Vec<u64> {
    parse(manifest).tables().into_iter().collect()
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
        let manifest = log(&[FIRST.to_vec(), [vec![1], sized(len)].concat(), added(7)]);
        assert_eq!(
            (tables(&manifest), parse(&manifest).gap()),
            (vec![7], None),
            "{len}"
        );
    }
}

#[test]
fn a_cut_manifest_is_one_that_ends_earlier_and_has_a_gap() {
    let whole = log(&edits());
    let ends: Vec<usize> = (1..=3).map(|count| log(&edits()[..count]).len()).collect();
    let is_near = |len: usize, place: &usize| len.abs_diff(*place) < 20;
    let places = [&ends[..], &[0, BLOCK_LEN, 2 * BLOCK_LEN]].concat();
    for len in
        (0..=whole.len()).filter(|len| len % 211 == 0 || places.iter().any(|place| is_near(*len, place)))
    {
        let manifest = parse(&whole[..len]);
        let count = ends.iter().filter(|end| **end <= len).count();
        assert_eq!(manifest.gap().is_none(), ends.contains(&len), "{len}");
        assert_eq!(
            manifest.tables(),
            parse(&log(&edits()[..count])).tables(),
            "{len}"
        );
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
        // Tables with field 66, cut at the field, and without an end of the fields.
        b"\x67\x00\x07\x10\x00\x00\x00\x00\x42\x00\x01",
        b"\x67\x00\x07\x10\x00\x00\x00\x00\x41\x01",
        b"\x67\x00\x07\x10\x00\x00\x00\x00",
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
    assert!(parse(&padded).gap().is_some());
}

/// An edit can be cut before each of its seven parts and nowhere else.
#[test]
fn a_cut_edit_is_refused() {
    let edit = &edits()[0];
    let whole = |end: &usize| DatabaseManifest::parse(&log(&[edit[..*end].to_vec()])).is_ok();
    assert_eq!((0..edit.len()).filter(whole).count(), 7);
}

/// Manifests of LevelDB 1.23 and RocksDB 7.8. RocksDB's has two column families and a third that was dropped.
#[test]
fn manifests_of_the_engines() {
    for (file, expected, logs, is_rocksdb) in [
        ("leveldb/MANIFEST-000010", &[5_u64, 8, 11][..], [11, 12], false),
        ("rocksdb/MANIFEST-000005", &[13, 15, 17, 22], [15, 16], true),
        ("rocksdb_values.manifest", &[13, 16, 19, 26], [17, 18], true),
    ] {
        let bytes = golden(&format!("databases/{file}"));
        let manifest = parse(&bytes);
        assert_eq!(
            manifest.tables(),
            BTreeSet::from_iter(expected.to_vec()),
            "{file}"
        );
        assert_eq!(logs.map(|log| manifest.needs_log(log)), [false, true], "{file}");
        assert!(manifest.is_bytewise() && manifest.is_rocksdb() == is_rocksdb && manifest.gap().is_none());
    }
}

/// Families have names and tables with sizes; the last manifest also has a family that was dropped.
#[test]
fn families_of_the_engines() {
    for (file, expected) in [
        ("leveldb/MANIFEST-000010", &[("default", &[5_u64, 8, 11][..])][..]),
        (
            "rocksdb/MANIFEST-000005",
            &[("default", &[13, 15, 22]), ("second", &[17])],
        ),
        (
            "two_families/MANIFEST-000005",
            &[("default", &[11]), ("log", &[12])],
        ),
        ("dropped_family/MANIFEST-000005", &[("default", &[11])]),
    ] {
        let manifest = parse(&golden(&format!("databases/{file}")));
        let families = manifest.families().zip(expected).map(|(family, (name, tables))| {
            assert_eq!(family.name(), name.as_bytes(), "{file}");
            let own = family.tables();
            assert!(own.keys().eq(*tables) && !family.is_hidden(), "{file}: {own:?}");
            for (table, size) in own {
                let folder = file.split_once('/').unwrap().0;
                let bytes =
                    ["sst", "ldb"].map(|ending| path(&format!("databases/{folder}/{table:06}.{ending}")));
                let len = bytes.iter().find_map(|path| Some(path.metadata().ok()?.len()));
                assert_eq!(len, Some(size), "{file}: {table}");
            }
        });
        assert_eq!(
            (families.count(), manifest.families().count()),
            (expected.len(), expected.len()),
            "{file}"
        );
    }
}

/// A manifest gives out numbers, and names the oldest log; it may track logs.
#[test]
fn numbers_that_a_manifest_has_given_out() {
    let edits = |edits: &[&[u8]]| parse(&log(&edits.iter().map(|edit| edit.to_vec()).collect::<Vec<_>>()));
    let begun: &[u8] = b"\xac\x02\x01";
    // The next file is 9, then 12; a group lacks its last edit.
    for (all, table, is_given) in [
        (&[FIRST][..], 8, true),
        (&[FIRST], 9, false),
        (&[FIRST, b"\x03\x0c"], 11, true),
        (&[FIRST, begun], 8, false),
    ] {
        assert_eq!(edits(all).has_given_out(table), is_given, "{all:?}, {table}");
    }
    // The log of the family, of another, the one that RocksDB keeps, the one before.
    let family: &[u8] = b"\x02\x02\xc8\x01\x01\xc9\x01\x03two";
    for (all, oldest) in [
        (&[FIRST][..], 3),
        (&[FIRST, family], 2),
        (&[FIRST, family, b"\x0a\x05"], 5),
        (&[FIRST, b"\x0a\x05", b"\x09\x04"], 4),
    ] {
        assert_eq!(edits(all).oldest_log(), oldest, "{all:?}");
    }
    // Logs 8 (with its size) and 10 are tracked, then those from 9 on, of which none can be below.
    let tracked: [&[u8]; 3] = [
        b"\x87\x40\x05\x08\x02\xc8\x1a\x01\x87\x40\x02\x0a\x01",
        b"\x88\x40\x01\x09",
        b"\x87\x40\x02\x08\x01",
    ];
    for (count, expected) in [&[8, 10][..], &[10], &[10]].into_iter().enumerate() {
        assert!(
            edits(&tracked[..=count]).tracked_logs().iter().eq(expected),
            "{count}"
        );
    }
    assert!(DatabaseManifest::parse(&log(&[b"\x87\x40\x00".to_vec()])).is_err());
}

#[test]
fn what_a_manifest_must_state() {
    let with = |edits: &[&[u8]]| parse(&log(&edits.iter().map(|edit| edit.to_vec()).collect::<Vec<_>>()));
    // RocksDB states the oldest log with prepared transactions.
    let (begun, ended) = (b"\x0a\x63\xac\x02\x01", b"\xac\x02\x00");
    assert!(!with(&[FIRST]).needs_log(2) && with(&[FIRST, ended]).needs_log(2));
    // No log, no next file, nothing; an atomic group without its last edit.
    let lacking: [&[&[u8]]; 4] = [&[b"\x03\x09"], &[b"\x02\x03"], &[], &[FIRST, begun]];
    for edits in lacking {
        assert!(with(edits).gap().is_some(), "{edits:x?}");
    }
    // The log before; a family in another order that needs older logs; without the family; transactions in older logs.
    let edits: [&[u8]; 6] = [
        FIRST,
        begun,
        &[b"\x02\x09\x09\x04", &ended[..]].concat(),
        b"\x01\x02up\x02\x05\xc8\x01\x01\xc9\x01\x03old",
        b"\xca\x01\xc8\x01\x01",
        b"\x0a\x07",
    ];
    for (count, logs, is_bytewise) in [
        (3, [4, 9, 10], true),
        (4, [4, 5, 8], false),
        (5, [4, 9, 99], true),
        (6, [4, 7, 8], true),
    ] {
        let manifest = with(&edits[..count]);
        // The log before, and all from the second number on.
        let needed = (1..100).filter(|log| manifest.needs_log(*log));
        assert!(logs.iter().all(|log| manifest.needs_log(*log)), "{count}");
        assert_eq!(needed.count(), 101 - usize::try_from(logs[1]).unwrap(), "{count}");
        assert_eq!(
            (manifest.gap(), manifest.is_bytewise()),
            (None, is_bytewise),
            "{count}"
        );
    }
}

proptest! {
    /// Reading any bytes ends with a manifest or an error.
    #[test]
    fn no_bytes_cause_a_panic(
        parts in vec((prop::sample::select(vec![1_u64, 2, 6, 7, 100, 102, 103, 200, 201, 202, 300, 8194, 8195, 8199, 8200]),
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
    fn tables_are_a_set(changes in vec((any::<bool>(), 0..4_u64, 0..9_u64), 0..60), padding in 0..BLOCK_LEN) {
        let mut expected = BTreeSet::new();
        let mut edits = vec![[FIRST, &[1], &sized(padding), b"\x01\x00"].concat()];
        for (adds, family, table) in changes {
            let change = match adds {
                true => [&added(table)[..], b"\xc8\x01"].concat(),
                false => [&[6, 0], &varint(table)[..], b"\xc8\x01"].concat(),
            };
            edits.push([&change[..], &varint(family)].concat());
            let table = (family, table);
            if adds { expected.insert(table) } else { expected.remove(&table) };
        }
        let manifest = parse(&log(&edits));
        prop_assert_eq!(manifest.tables(), expected.into_iter().map(|(_, table)| table).collect());
        prop_assert_eq!(manifest.gap(), None);
    }
}
