//! Tables that no engine wrote: several policies, odd names, and damage in every place.

use crate::support::golden::bytes;
use crate::support::tables::{File, encode, entries, entry, no_entries, varint, with_restarts};
use filter_tables::{BlockHandle, BlockRole, Damage, Error, MAGIC, StoredBlock, Table};

use super::sst_file::Codec;

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

/// Tables that are refused, and the messages: damaged handles, entries and restart points, compressions that are not read,
/// claims that are not believed.
#[test]
fn damage_is_named() {
    let with = |contents: &[u8], compression| File::default().finish_with_metaindex(contents, compression);
    let plain = |contents: &[u8]| with(contents, StoredBlock::UNCOMPRESSED);
    let mut refused: Vec<(Vec<u8>, String)> = Vec::new();
    // Eight bytes before the footer: no room for a block of more than three.
    for (offset, size) in [
        (0, u64::MAX),
        (u64::MAX, u64::MAX),
        (u64::MAX, 0),
        (0, 1 << 40),
        (0, 4),
        (1, 3),
    ] {
        let handle = BlockHandle { offset, size };
        let text = format!("got {size} bytes at offset {offset}");
        let text = format!("metaindex and its trailer must end before the footer at offset 8, {text}");
        refused.push((File(vec![0; 8]).finish(handle, handle), text));
    }
    let text = "handle of the metaindex must be two numbers of at most 64 bits";
    refused.push(([&[0xff; 40][..], &MAGIC.to_le_bytes()].concat(), text.into()));
    for bytes in [&[0; 3][..], &[1, 0, 0, 0], &[0, 0, 0, 0x40], &[0xff; 4]] {
        let text = format!(
            "restart points of the metaindex must fit into its {} bytes",
            bytes.len()
        );
        refused.push((plain(bytes), text));
    }
    let good = entry(0, b"filter.A", b"value");
    let huge = varint(u64::from(u32::MAX));
    for bad in [
        entry(9, b"", b""),
        varint(u64::from(u32::MAX) + 1),
        // As many bytes as a number of 64 bits may take.
        vec![0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
        vec![0x80],
        vec![0],
        vec![0, 2, 0, b'k'],
        vec![0, 1, 1, b'k'],
        [varint(0), huge.clone(), huge].concat(),
    ] {
        let text = "entry at byte 16 of the metaindex must lie within the block and share at most the length of the \
                    previous key";
        refused.push((
            plain(&with_restarts([&good[..], &bad].concat(), &[0])),
            text.into(),
        ));
    }
    for (compression, name) in [(1, "Snappy"), (2, "Zstandard, zlib or LZ4"), (4, "deflate")] {
        let text = format!("the metaindex must be a stream of its compression {compression} ({name})");
        refused.push((with(&no_entries(), compression), text));
    }
    let text = "the metaindex has the compression 3 (unknown), which is not supported";
    refused.push((with(&no_entries(), 3), text.into()));
    for claimed in [
        varint(u64::from(u32::MAX)),
        varint(1 << 40),
        Vec::new(),
        varint(3),
    ] {
        let text = "the metaindex must be a stream of its compression 1 (Snappy)";
        refused.push((with(&claimed, StoredBlock::SNAPPY), text.into()));
    }
    refused.push((
        plain(&vec![0; (1 << 20) + 1]),
        "metaindex must be at most 1048576 bytes, got 1048577".into(),
    ));
    for (file, message) in refused {
        assert_eq!(Table::open(file).unwrap_err().to_string(), message);
    }

    let handle = BlockHandle { offset: 0, size: 3 };
    let within = Table::open(File(vec![0; 8]).finish(handle, handle));
    assert!(matches!(within, Err(Error::Damaged(Damage::Checksum { .. }))));
    // LevelDB accepts a block without entries and without restart points.
    assert!(Table::open(plain(&[0; 4])).unwrap().metaindex().is_empty());
    // What is not needed to open the table is refused when it is read.
    let table = Table::open(plain(&entries(&[("filter.A", [0xff])]))).unwrap();
    assert_eq!(table.metaindex()[0].handle(), None);
    let of = |block| Error::Damaged(Damage::Handle { block });
    assert_eq!(table.filter_block("A"), Err(of(BlockRole::Filter)));
    let mut file = File::default();
    let metaindex = file.block(&no_entries(), StoredBlock::UNCOMPRESSED);
    let index = file.block(&entries(&[("key", "")]), StoredBlock::UNCOMPRESSED);
    let table = Table::open(file.finish(metaindex, index)).unwrap();
    assert_eq!(table.data_blocks(), Err(of(BlockRole::Data)));
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
