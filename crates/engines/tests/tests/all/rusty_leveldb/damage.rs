//! Damaged databases are refused with the reason, or read to the last key, and never cause a panic.

use std::fs;
use std::path::{Path, PathBuf};

use filter_policy_rusty_leveldb::{Error, check, checked_open};
use filter_tables::{BlockHandle, Table, block_checksum};
use rusty_leveldb::{DB, Options};

use super::options;
use crate::engines::tables;
use crate::policies::BLOOM;

const KEYS: u32 = 60;

fn key(number: u32) -> String {
    format!("key{number:03}")
}

/// Creates a database with one small table of several blocks. Returns its folder and the table.
fn small() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let mut db = checked_open(folder.path(), options(), BLOOM).unwrap();
    for number in 0..KEYS {
        db.put(key(number).as_bytes(), &[b'v'; 100]).unwrap();
    }
    db.compact_range(b"a", b"z").unwrap();
    db.close().unwrap();
    drop(db);
    let [table] = &tables(folder.path())[..] else {
        panic!("more than one table");
    };
    let table = table.clone();
    (folder, table)
}

fn verdict(folder: &Path) -> Result<(), Error> {
    check(folder, &options(), &BLOOM)
}

fn filter_handle(bytes: &[u8]) -> BlockHandle {
    Table::open(bytes).unwrap().metaindex()[0].handle().unwrap()
}

/// Changes the filter block and corrects its checksum.
fn rewrite_filters(table: &Path, change: impl FnOnce(&mut [u8], &mut u8)) {
    let mut bytes = fs::read(table).unwrap();
    let handle = filter_handle(&bytes);
    let start = usize::try_from(handle.offset).unwrap();
    let end = start + usize::try_from(handle.size).unwrap();
    let mut compression = bytes[end];
    change(&mut bytes[start..end], &mut compression);
    let checksum = block_checksum(&bytes[start..end], compression);
    bytes[end] = compression;
    bytes[end + 1..end + 5].copy_from_slice(&checksum.to_le_bytes());
    fs::write(table, bytes).unwrap();
}

#[test]
fn every_damaged_byte_behind_the_data_is_found_or_harmless() {
    let (folder, table) = small();
    let whole = fs::read(&table).unwrap();
    let first = usize::try_from(filter_handle(&whole).offset).unwrap();
    let mut refused = 0;
    for position in first..whole.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[position] ^= mask;
            fs::write(&table, bytes).unwrap();
            match verdict(folder.path()) {
                Err(Error::Table { table: named, .. }) => {
                    assert_eq!(named, table);
                    refused += 1;
                }
                Err(error) => panic!("{position}: {error}"),
                Ok(()) => {
                    let mut db = checked_open(folder.path(), options(), BLOOM).unwrap();
                    for number in 0..KEYS {
                        assert!(
                            db.get(key(number).as_bytes()).is_some(),
                            "byte {position} lost {}",
                            key(number)
                        );
                    }
                }
            }
        }
    }
    // Every byte except the padding of the footer.
    assert!(refused > 3 * (whole.len() - first - 40), "{refused}");
}

#[test]
fn tables_that_are_cut_renamed_or_missing_are_refused() {
    let (folder, table) = small();
    let whole = fs::read(&table).unwrap();
    fs::write(&table, &whole[..whole.len() - 1]).unwrap();
    let cut = verdict(folder.path()).unwrap_err();
    assert!(matches!(cut, Error::Table { .. }), "{cut}");
    fs::write(&table, &whole).unwrap();
    verdict(folder.path()).unwrap();

    // The engine would not find the table under this name.
    let old = table.with_extension("sst");
    fs::rename(&table, &old).unwrap();
    assert!(matches!(verdict(folder.path()), Err(Error::OldTableName { table }) if table == old));
    // The engine itself reports a missing table.
    fs::remove_file(&old).unwrap();
    verdict(folder.path()).unwrap();
    assert!(matches!(
        checked_open(folder.path(), options(), BLOOM),
        Err(Error::Engine(_))
    ));
}

#[test]
fn tables_that_an_interrupted_writer_left_do_not_matter() {
    let (folder, _) = small();
    fs::write(folder.path().join("000900.ldb"), b"half a table").unwrap();
    let foreign = tempfile::tempdir().unwrap();
    let mut db = DB::open(foreign.path(), Options::default()).unwrap();
    db.put(b"key", b"value").unwrap();
    db.compact_range(b"a", b"z").unwrap();
    fs::copy(&tables(foreign.path())[0], folder.path().join("000901.ldb")).unwrap();
    let mut db = checked_open(folder.path(), options(), BLOOM).unwrap();
    assert!((0..KEYS).all(|number| db.get(key(number).as_bytes()).is_some()));
}

#[test]
fn filters_that_the_engine_cannot_read_are_refused() {
    let (folder, table) = small();
    let whole = fs::read(&table).unwrap();
    // The first four of the last five bytes give the start of the offsets.
    let tail = |block: &[u8]| block.len() - 5;
    let array = |block: &[u8]| {
        let start = block[tail(block)..].first_chunk().copied().unwrap();
        usize::try_from(u32::from_le_bytes(start)).unwrap()
    };

    let refused = |change: &dyn Fn(&mut [u8], &mut u8), says: &str| {
        rewrite_filters(&table, change);
        let error = verdict(folder.path()).unwrap_err().to_string();
        assert!(error.contains(says), "{says}: {error}");
        fs::write(&table, &whole).unwrap();
    };
    refused(&|_, compression| *compression = 1, "filter block");
    // One Snappy literal: the uncompressed length, the tag for a length of one byte, and that length.
    let literal = |block: &mut [u8], compression: &mut u8| {
        *compression = 1;
        let len = u8::try_from(block.len() - 3).unwrap();
        assert!(len < 128, "the length of it all takes one byte");
        block[..3].copy_from_slice(&[len, 60 << 2, len - 1]);
    };
    refused(&literal, "compression of the filter block must be 0");
    refused(&|block, _| block[block.len() - 1] = 12, "got 12");
    let array_offset = |block: &mut [u8], _: &mut u8| {
        let tail = tail(block);
        block[tail..tail + 4].fill(0xff);
    };
    refused(&array_offset, "start of the offsets");
    // The first filter starts where the second does, so its bytes belong to no filter.
    let unclaimed = |block: &mut [u8], _: &mut u8| {
        let array = array(block);
        block.copy_within(array + 4..array + 8, array);
    };
    refused(&unclaimed, "bytes outside the filters");
    // The second filter starts where the first does, so the first is empty, and the engine panics.
    let empty = |block: &mut [u8], _: &mut u8| {
        let array = array(block);
        block.copy_within(array..array + 4, array + 4);
    };
    refused(&empty, "data block at offset 0 must have a filter");
    verdict(folder.path()).unwrap();
}

#[test]
fn damaged_manifests_are_refused_or_end_early() {
    let (folder, _) = small();
    let current = folder.path().join("CURRENT");
    let name = fs::read_to_string(&current).unwrap();
    let manifest = folder.path().join(name.trim_end());
    let whole = fs::read(&manifest).unwrap();
    let mut bytes = whole.clone();
    bytes[0] ^= 0x10;
    fs::write(&manifest, bytes).unwrap();
    let error = verdict(folder.path()).unwrap_err();
    let is_of_manifest = matches!(&error, Error::Manifest { manifest: named, .. } if *named == manifest);
    assert!(is_of_manifest, "{error}");
    // A last record that is cut looks like an interrupted writer.
    fs::write(&manifest, &whole[..whole.len() - 1]).unwrap();
    verdict(folder.path()).unwrap();
    fs::write(&manifest, &whole).unwrap();

    for line in [
        &b""[..],
        b"\n",
        b"MANIFEST-\n",
        b"MANIFEST-000001",
        b"MANIFEST-1x\n",
        b"../MANIFEST-000001\n",
        b"\xff\n",
        &[b'9'; 99],
    ] {
        fs::write(&current, line).unwrap();
        let error = verdict(folder.path()).unwrap_err();
        let is_of_current = matches!(&error, Error::Manifest { manifest, .. } if *manifest == current);
        assert!(is_of_current, "{line:x?}: {error}");
    }
    fs::write(&current, "MANIFEST-999999\n").unwrap();
    assert!(matches!(verdict(folder.path()), Err(Error::Engine(_))));
    fs::write(&current, &name).unwrap();
    verdict(folder.path()).unwrap();
}

#[test]
fn databases_of_rocksdb_are_refused() {
    const MANIFEST: &[u8] =
        include_bytes!("../../../../../filters/filter-policy/tests/data/databases/rocksdb/MANIFEST-000005");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("CURRENT"), "MANIFEST-000005\n").unwrap();
    fs::write(folder.path().join("MANIFEST-000005"), MANIFEST).unwrap();
    let refused = checked_open(folder.path(), options(), BLOOM).err().unwrap();
    let text = refused.to_string();
    assert!(
        text.ends_with("MANIFEST-000005: record must be one of LevelDB's version edits"),
        "{text}"
    );
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        2,
        "nothing was written"
    );
}
