//! RocksDB tables that are made here: versions without golden tables, and all kinds of damage.

use crate::support::golden;
use crate::support::tables::{encode, entries, entry, with_restarts};
use filter_policy::rocksdb::FastLocalBloomPolicy;
use filter_policy::{BitsPerKey, FilterPolicy};
use filter_tables::{
    BlockHandle, BlockRole, ChecksumKind, Damage, Error, FilterHandles, RocksDbForm, RocksDbTable, Table,
};

use super::sst_file::{Codec, File, GLOBAL_SEQNO, KEYS, Making, VERSION_5, VERSION_6, table};

/// Opens a table, queries its filter, and reads its keys.
fn read(bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error<filter_tables::PastEnd>> {
    let table = RocksDbTable::open(bytes)?;
    let filters = table.filters()?;
    let mut keys = Vec::new();
    for handle in table.data_blocks()? {
        let block = table.block(BlockRole::Data, handle)?;
        let mut entries = block.entries()?;
        while let Some(entry) = entries.next_entry()? {
            let key = entry.key.split_last_chunk::<8>().unwrap().0;
            let query = |part: &[u8], handle| -> Result<bool, Error<_>> {
                let filter = table.filter(handle)?;
                Ok(FastLocalBloomPolicy::new(BitsPerKey::whole(10)).key_may_match(part, &filter))
            };
            let may_match = filters.may_match(key, query)?;
            assert!(may_match, "{key:x?} is denied");
            keys.push(key.to_vec());
        }
    }
    Ok(keys)
}

/// Checks that reading a table finds a checksum that is not that of the bytes, and returns whose.
fn block_of_wrong_checksum(bytes: &[u8]) -> BlockRole {
    match read(bytes).unwrap_err() {
        Error::Damaged(Damage::Checksum { block, .. }) => block,
        error => panic!("{error}"),
    }
}

/// Writes a table of version 5 with this change.
fn changed(change: impl FnOnce(&mut Making)) -> Vec<u8> {
    let mut making = VERSION_5;
    change(&mut making);
    table(making)
}

#[test]
fn versions_1_to_7() {
    for version in 1..=7 {
        let base = if version < 6 { 0 } else { 0x8000_0001 };
        let bytes = changed(|making| (making.version, making.base) = (version, base));
        let opened = RocksDbTable::open(bytes.as_slice()).unwrap();
        assert_eq!(opened.footer().format_version, version);
        assert_eq!(opened.footer().base_checksum, base);
        assert_eq!(
            read(&bytes).unwrap(),
            KEYS.map(|key| key.as_bytes().to_vec()),
            "version {version}"
        );
    }
}

/// Tables that are valid and not read, or damaged, and the starts of the messages.
#[test]
fn refusals_are_named() {
    let unread = "the data block has the compression";
    type Change = fn(&mut Making);
    let refused: [(Change, &str); 17] = [
        (
            |making| (making.version, making.base) = (8, 1),
            "format version of the table must be between 0 and 7, got 8",
        ),
        (
            |making| making.checksum = 5,
            "checksum kind in the footer must be between 0 and 4, got 0x5",
        ),
        // That of another kind.
        (|making| making.checksum = 2, "checksum of the "),
        (
            |making| making.layout = 1 << 28,
            "the data block is laid out in a way that is not",
        ),
        (
            |making| making.layout = 1 << 30,
            "the data block is laid out in a way that is not",
        ),
        (
            |making| making.compression = 3,
            "3 (BZip2), which is not supported",
        ),
        (
            |making| making.compression = 6,
            "6 (Xpress), which is not supported",
        ),
        (
            |making| making.compression = 0x80,
            "128 (the writer's own), which is not supported",
        ),
        (
            |making| making.compression = 9,
            "9 (unknown), which is not supported",
        ),
        (
            |making| (making.version, making.compression) = (1, 2),
            "2 (zlib, of an early format version), which is not supported",
        ),
        (
            |making| making.compression = 2,
            "the data block must be a stream of its compression 2 (zlib)",
        ),
        (
            |making| making.compression = 4,
            "the data block must be a stream of its compression 4 (LZ4)",
        ),
        (
            |making| making.compression = 5,
            "the data block must be a stream of its compression 5 (LZ4HC)",
        ),
        (
            |making| making.compression = 7,
            "the data block must be a stream of its compression 7 (Zstandard)",
        ),
        (
            |making| making.index_type = [4, 0, 0, 0],
            "property rocksdb.block.based.table.index.type must have a known",
        ),
        (
            |making| making.index_type = [0, 1, 0, 0],
            "property rocksdb.block.based.table.index.type must have a known",
        ),
        // In a partitioned index, the data block would have to be a partition.
        (|making| making.index_type = [2, 0, 0, 0], "entry at byte"),
    ];
    for (change, message) in refused {
        let error = read(&changed(change)).unwrap_err().to_string();
        let message = if message.starts_with(|first: char| first.is_ascii_digit()) {
            format!("{unread} {message}")
        } else {
            message.into()
        };
        assert!(error.starts_with(&message), "{error}");
    }
}

/// RocksDB writes a sequence number into the properties of a table that it ingests, and leaves their checksum.
#[test]
fn ingested_tables_of_every_version() {
    for version in 1..=7 {
        let base = if version < 6 { 0 } else { 0x8000_0001 };
        let mut bytes = changed(|making| (making.version, making.base) = (version, base));
        let suffix = GLOBAL_SEQNO.strip_prefix("rocksdb.").unwrap().as_bytes();
        let value = bytes
            .windows(suffix.len())
            .position(|window| window == suffix)
            .unwrap()
            + suffix.len();
        bytes[value..value + 8].copy_from_slice(&0x1234_5678_9abc_u64.to_le_bytes());
        assert_eq!(read(&bytes).unwrap().len(), 3, "version {version}");
        let table = RocksDbTable::open(bytes.as_slice()).unwrap();
        assert_eq!(table.properties().get(GLOBAL_SEQNO).unwrap()[0], 0xbc);
        // No other byte may differ.
        bytes[value - 1] ^= 1;
        assert_eq!(block_of_wrong_checksum(&bytes), BlockRole::Properties);
    }
    let table = RocksDbTable::open(golden::bytes("databases/ingested/000010.sst")).unwrap();
    assert_eq!(
        table.properties().get(GLOBAL_SEQNO),
        Some(&2_u64.to_le_bytes()[..])
    );
}

#[test]
fn every_bit_of_the_newer_footer_counts() {
    let bytes = table(VERSION_6);
    let start = bytes.len() - 53;
    // The checksum covers everything.
    for at in start..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            assert!(read(&damaged).is_err(), "byte {}, bit {bit}", at - start);
        }
    }
    let mut damaged = bytes.clone();
    damaged[start + 20] ^= 1;
    assert_eq!(block_of_wrong_checksum(&damaged), BlockRole::Footer);
    let mut damaged = bytes;
    damaged[start + 1] = 0;
    assert_eq!(
        read(&damaged).unwrap_err().to_string(),
        "mark in the footer must be 0x7a003e, got 0x7a0000"
    );
}

#[test]
fn newer_checksums_depend_on_the_place() {
    let bytes = table(VERSION_6);
    let moved = [&[0; 16][..], &bytes].concat();
    assert_eq!(block_of_wrong_checksum(&moved), BlockRole::Footer);
    // Blocks of another file, under this file's footer.
    let mut other = changed(|making| (making.version, making.base) = (6, 0x1234_5679));
    let footer = bytes.len() - 53;
    other[footer..].copy_from_slice(&bytes[footer..]);
    block_of_wrong_checksum(&other);
}

#[test]
fn kinds_of_checksums() {
    // Without checksums nothing is verified.
    let mut bytes = changed(|making| making.checksum = 0);
    assert_eq!(
        RocksDbTable::open(bytes.as_slice()).unwrap().footer().checksum,
        ChecksumKind::None
    );
    // The value after the first key.
    bytes[16] ^= 1;
    assert!(read(&bytes).is_ok());
    let mut bytes = table(VERSION_5);
    bytes[16] ^= 1;
    assert_eq!(block_of_wrong_checksum(&bytes), BlockRole::Data);
}

#[test]
fn layouts_of_data_blocks() {
    for bit in [31, 29] {
        let keys = read(&changed(|making| making.layout = 1 << bit));
        assert_eq!(keys.unwrap().len(), 3, "{bit}");
    }
}

#[test]
fn compressions() {
    // Behind the length of the contents.
    let [deflate, lz4, zstd]: [Codec; 3] = [
        |bytes| miniz_oxide::deflate::compress_to_vec(bytes, 6),
        |bytes| lz4_flex::block::compress(bytes),
        |bytes| ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest),
    ];
    for (compression, name, codec) in [
        (2, "zlib", deflate),
        (4, "LZ4", lz4),
        (5, "LZ4HC", lz4),
        (7, "Zstandard", zstd),
    ] {
        let keys = read(&changed(|making| {
            (making.compression, making.codec) = (compression, Some(codec))
        }));
        assert_eq!(keys.unwrap().len(), 3, "{name}");
    }
}

/// Tables of Pebble have the form of RocksDB's, up to a version. Their filters hold what the comparer says, which is
/// whole keys for its own.
#[test]
fn tables_of_pebble() {
    const MAGIC: [u8; 8] = [0xf0, 0x9f, 0xaa, 0xb3, 0xf0, 0x9f, 0xaa, 0xb3];

    for version in 1..=5 {
        let mut bytes = changed(|making| making.version = version);
        let start = bytes.len() - 8;
        bytes[start..].copy_from_slice(&MAGIC);
        let error = Table::open(bytes.as_slice()).unwrap_err();
        assert_eq!(error, Error::RocksDb(RocksDbForm::Pebble));
        if version == 5 {
            let error = RocksDbTable::open(bytes.as_slice()).unwrap_err().to_string();
            assert!(
                error.contains("columnar") && error.ends_with("between 0 and 4, got 5"),
                "{error}"
            );
            continue;
        }
        assert_eq!(read(&bytes).unwrap().len(), 3);
        let table = RocksDbTable::open(bytes.as_slice()).unwrap();
        // This table does not name its comparer.
        let denied = table
            .filters()
            .unwrap()
            .may_match(b"key", |_, _| Ok::<_, ()>(false));
        assert!(!table.has_whole_keys() && denied == Ok(true));
    }
}

#[test]
fn files_that_are_no_tables() {
    for len in [0, 47, 48, 52] {
        let bytes = table(VERSION_5);
        let end = &bytes[bytes.len() - len..];
        assert!(
            matches!(RocksDbTable::open(end).unwrap_err(), Error::TooShort { .. }),
            "{len}"
        );
    }
    let error = RocksDbTable::open(&[0; 100][..]).unwrap_err();
    assert_eq!(error, Error::UnknownMagic { found: 0 });
}

/// Keys with a shared start take more memory than in the file.
#[test]
fn separators_have_a_bound() {
    let mut file = File {
        bytes: Vec::new(),
        making: VERSION_5,
    };
    let nowhere = encode(BlockHandle { offset: 0, size: 0 });
    let long = vec![b'a'; 1 << 16];
    let mut filters = entry(0, &long, &nowhere);
    for _ in 0..5_000 {
        filters.extend(entry(long.len(), b"", &nowhere));
    }
    let filters = file.block(&with_restarts(filters, &[0]), 0);
    let metaindex = entries(&[("partitionedfilter.rocksdb.BuiltinBloomFilter", encode(filters))]);
    let metaindex = file.block(&metaindex, 0);
    file.footer(metaindex, metaindex);
    let table = RocksDbTable::open(file.bytes.as_slice()).unwrap();
    assert!(matches!(
        table.filters().unwrap_err(),
        Error::TooLarge {
            block: BlockRole::FilterIndex,
            ..
        }
    ));
}

/// Only keys of a database that orders them by bytes have one partition each. A table that does not state its order has
/// none.
#[test]
fn partitions_are_chosen_where_the_order_is_shown() {
    let file = "rocksdb/sst/fv5_bloom10_partitioned.sst";
    let bytes = golden::bytes(file);
    let queried = |bytes: &[u8], key: &[u8]| {
        let filters = RocksDbTable::open(bytes).unwrap().filters().unwrap();
        let mut handles = Vec::new();
        let answer = filters.may_match(key, |_, handle| {
            handles.push(handle);
            Ok::<_, ()>(false)
        });
        assert_eq!(answer, Ok(false));
        assert_eq!(filters.has_one_for_each_key(), handles.len() == 1);
        let FilterHandles::Partitioned(partitions) = filters.handles() else {
            panic!("{file} has partitions");
        };
        (handles, partitions.clone())
    };
    let (_, partitions) = queried(&bytes, b"");
    assert!(partitions.len() > 2);
    for (at, partition) in partitions.iter().enumerate() {
        let last = &partition.separator;
        let next = partitions.get(at + 1).unwrap_or(partition);
        assert_eq!(queried(&bytes, last).0, [partition.handle]);
        assert_eq!(queried(&bytes, &[last, &b"\0"[..]].concat()).0, [next.handle]);
    }
    let reverse = golden::bytes("reports/rocksdb_reverse_partitioned.sst");
    let table = RocksDbTable::open(reverse.as_slice()).unwrap();
    let comparator = table.properties().get("rocksdb.comparator");
    assert_eq!(comparator, Some(&b"rocksdb.ReverseBytewiseComparator"[..]));
    let (handles, partitions) = queried(&reverse, b"key-1");
    assert!(
        handles
            .iter()
            .eq(partitions.iter().map(|partition| &partition.handle))
    );
}
