//! Tables that no engine wrote: several policies, odd names, and damage in every place.

use filter_tables::testing::golden::bytes;
use filter_tables::testing::tables::{File, encode, entries, entry, no_entries, varint, with_restarts};
use filter_tables::{BlockHandle, BlockRole, Damage, Error, MAGIC, StoredBlock, Table};

use super::support::sst_file::Codec;

fn damage_of(file: Vec<u8>) -> Damage {
    match Table::open(file) {
        Err(Error::Damaged(damage)) => damage,
        other => panic!("not damaged: {other:?}"),
    }
}

#[test]
fn each_of_several_policies_gets_its_own_filters() {
    let names: [&[u8]; 5] = [
        b"A",
        b"BloomFilter2",
        b"BloomFilter2.SignedTail",
        b"\xff\xfe",
        b"zzz",
    ];
    let mut file = File::default();
    let mut pairs: Vec<(Vec<u8>, Vec<u8>)> = names
        .iter()
        .map(|name| {
            let handle = file.block(name, StoredBlock::UNCOMPRESSED);
            ([b"filter.", *name].concat(), encode(handle))
        })
        .collect();
    pairs.insert(0, (b"filter".to_vec(), b"no policy, and no handle".to_vec()));
    pairs.insert(0, (Vec::new(), Vec::new()));
    let file = file.finish_with_metaindex(&entries(&pairs), StoredBlock::UNCOMPRESSED);

    let table = Table::open(file).unwrap();
    assert_eq!(table.metaindex().len(), 7);
    assert!(table.policy_names().eq(names));
    for name in ["A", "BloomFilter2", "BloomFilter2.SignedTail", "zzz"] {
        assert_eq!(
            table.filter_block(name),
            Ok(Some(name.as_bytes().to_vec())),
            "{name}"
        );
    }
    for name in ["", "AA", "BloomFilter", "BloomFilter2.", "z", "zzzz"] {
        assert_eq!(table.filter_block(name), Ok(None), "{name:?}");
    }
    assert_eq!(table.data_blocks(), Ok(Vec::new()));
}

#[test]
fn every_prefix_of_a_table_is_refused() {
    let whole = bytes("article/article_key08_bpk10.ldb");
    for len in 0..whole.len() {
        let error = Table::open(&whole[..len]).unwrap_err();
        match error {
            Error::TooShort { size } => assert!(size < 48 && size == len as u64),
            Error::UnknownMagic { .. } => assert!(len >= 48),
            other => panic!("{len} bytes: {other}"),
        }
    }
    assert_eq!(
        Table::open(&whole[..47]).unwrap_err().to_string(),
        "table must be at least 48 bytes, got 47"
    );
}

#[test]
fn every_flipped_bit_on_the_way_to_the_filters_is_noticed() {
    let whole = bytes("leveldb/ldb/tablebuilder_one_bpk10.ldb");
    let name = "leveldb.BuiltinBloomFilter2";
    let table = Table::open(&whole[..]).unwrap();
    let filters = table.filter_block(name).unwrap().unwrap();
    let footer = whole.len() - 48;
    let handles = table.footer();
    // Reading a filter touches neither the data blocks, nor their index, nor the padding of the footer.
    let (filter_start, metaindex) = (30, 53..105);
    for bit in filter_start * 8..whole.len() * 8 {
        let mut file = whole.clone();
        file[bit / 8] ^= 1 << (bit % 8);
        let result = Table::open(&file[..]).and_then(|table| table.filter_block(name));
        let at = bit / 8;
        if at < metaindex.start || metaindex.contains(&at) {
            assert!(
                matches!(result, Err(Error::Damaged(Damage::Checksum { .. }))),
                "bit {bit}: {result:?}"
            );
        } else if at < footer || (footer + 2..footer + 40).contains(&at) {
            assert_eq!(result, Ok(Some(filters.clone())), "bit {bit}");
        } else {
            assert!(result.is_err(), "bit {bit}");
        }
    }
    assert_eq!(handles.metaindex, Some(BlockHandle { offset: 53, size: 47 }));
}

#[test]
fn checksums_are_reported_with_both_values() {
    let mut file = bytes("leveldb/ldb/tablebuilder_one_bpk10.ldb");
    file[30] ^= 1;
    let error = Table::open(&file[..])
        .unwrap()
        .filter_block("leveldb.BuiltinBloomFilter2")
        .unwrap_err();
    let Error::Damaged(Damage::Checksum { stored, computed, .. }) = error else {
        panic!("{error}")
    };
    assert_eq!(
        error.to_string(),
        format!("checksum of the filter block at offset 30 must be {stored:#010x}, got {computed:#010x}")
    );
    // The stored block can still be examined.
    let table = Table::open(&file[..]).unwrap();
    let handle = table.metaindex()[0].handle().unwrap();
    let stored_bytes = table.stored_block(BlockRole::Filter, handle).unwrap();
    let block = StoredBlock::new(&stored_bytes).unwrap();
    assert_eq!(
        (block.contents(), block.compression()),
        (&file[30..48], StoredBlock::UNCOMPRESSED)
    );
    assert_eq!(block.computed_checksum(), computed);
}

#[test]
fn blocks_outside_the_file_take_no_memory() {
    for (offset, size) in [
        (0, u64::MAX),
        (u64::MAX, u64::MAX),
        (u64::MAX, 0),
        (0, 1 << 40),
        (0, 4),
        (1, 3),
    ] {
        // Eight bytes before the footer: no room for a block of more than three.
        let handle = BlockHandle { offset, size };
        let file = File(vec![0; 8]).finish(handle, handle);
        assert_eq!(
            damage_of(file),
            Damage::Outside {
                block: BlockRole::Metaindex,
                handle,
                end: 8
            }
        );
    }
    let handle = BlockHandle { offset: 0, size: 3 };
    assert!(matches!(
        damage_of(File(vec![0; 8]).finish(handle, handle)),
        Damage::Checksum { .. }
    ));
}

#[test]
fn handles_that_are_none_are_damage() {
    let mut footer = vec![0xff; 40];
    footer.extend(MAGIC.to_le_bytes());
    assert_eq!(
        damage_of(footer).to_string(),
        "handle of the metaindex must be two numbers of at most 64 bits"
    );

    let metaindex = entries(&[("filter.A", [0xff])]);
    let file = File::default().finish_with_metaindex(&metaindex, StoredBlock::UNCOMPRESSED);
    let table = Table::open(file).unwrap();
    assert_eq!(table.metaindex()[0].handle(), None);
    let of = |block| Error::Damaged(Damage::Handle { block });
    assert_eq!(table.filter_block("A"), Err(of(BlockRole::Filter)));

    let mut file = File::default();
    let metaindex = file.block(&no_entries(), StoredBlock::UNCOMPRESSED);
    let index = file.block(&entries(&[("key", "")]), StoredBlock::UNCOMPRESSED);
    let table = Table::open(file.finish(metaindex, index)).unwrap();
    assert_eq!(table.data_blocks(), Err(of(BlockRole::Data)));
}

#[test]
fn entries_and_restarts_are_checked() {
    let metaindex =
        |contents: Vec<u8>| File::default().finish_with_metaindex(&contents, StoredBlock::UNCOMPRESSED);
    let block = BlockRole::Metaindex;
    for bytes in [&[0; 3][..], &[1, 0, 0, 0], &[0, 0, 0, 0x40], &[0xff; 4]] {
        let size = bytes.len();
        assert_eq!(
            damage_of(metaindex(bytes.to_vec())),
            Damage::Restarts { block, size }
        );
    }
    // LevelDB accepts a block without entries and without restart points.
    assert!(Table::open(metaindex(vec![0; 4])).unwrap().metaindex().is_empty());

    let good = entry(0, b"filter.A", b"value");
    for bad in [
        entry(9, b"", b""),
        varint(u64::from(u32::MAX) + 1),
        vec![0x80],
        vec![0],
        vec![0, 2, 0, b'k'],
        vec![0, 1, 1, b'k'],
        [
            varint(0),
            varint(u64::from(u32::MAX)),
            varint(u64::from(u32::MAX)),
        ]
        .concat(),
    ] {
        let contents = with_restarts([&good[..], &bad].concat(), &[0]);
        let position = good.len();
        assert_eq!(
            damage_of(metaindex(contents)),
            Damage::Entry { block, position },
            "{bad:?}"
        );
    }
    assert_eq!(
        Damage::Entry { block, position: 16 }.to_string(),
        "entry at byte 16 of the metaindex must lie within the block and share at most the length of the previous key"
    );
}

#[test]
fn compressions_that_are_not_read_are_named() {
    let contents = no_entries();
    for (compression, text) in [
        (1, "the metaindex must be a stream of its compression 1 (Snappy)"),
        (
            2,
            "the metaindex must be a stream of its compression 2 (Zstandard, zlib or LZ4)",
        ),
        (
            3,
            "the metaindex has the compression 3 (unknown), which is not supported",
        ),
        (4, "the metaindex must be a stream of its compression 4 (deflate)"),
    ] {
        let error = Table::open(File::default().finish_with_metaindex(&contents, compression)).unwrap_err();
        let reason = text.to_owned();
        assert_eq!(error, Error::Unsupported { reason });
    }
}

/// Blocks as LevelDB, Minecraft and Basho's LevelDB compress them: the second kind is that which its first bytes are
/// of.
#[test]
fn each_compression_is_read_up_to_the_limit() {
    use miniz_oxide::deflate::{compress_to_vec, compress_to_vec_zlib};

    let lz4: Codec = |bytes| {
        let len = u32::try_from(bytes.len()).unwrap().to_le_bytes();
        [&len, &lz4_flex::block::compress(bytes)[..]].concat()
    };
    let zstd: Codec =
        |bytes| ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest);
    let ways: [(u8, Codec); 5] = [
        (1, |bytes| snap::raw::Encoder::new().compress_vec(bytes).unwrap()),
        (2, zstd),
        (2, |bytes| compress_to_vec_zlib(bytes, 6)),
        (2, lz4),
        (4, |bytes| compress_to_vec(bytes, 6)),
    ];
    let key = "filter.repetition".repeat(20);
    let contents = entries(&[(&key, "value")]);
    for (way, (kind, compress)) in ways.into_iter().enumerate() {
        let table = |contents: &[u8]| Table::open(File::default().finish_with_metaindex(contents, kind));
        let compressed = compress(&contents);
        assert_eq!(table(&compressed).unwrap().metaindex()[0].key(), key.as_bytes());
        // Zeros that would take more memory than a metaindex may.
        let error = table(&compress(&vec![0; 3 << 20])).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{way}: {error}");
        for end in 0..compressed.len() {
            let read = table(&compressed[..end]);
            assert!(read.is_err(), "{way}: {end} bytes of {}", compressed.len());
        }
    }
}
