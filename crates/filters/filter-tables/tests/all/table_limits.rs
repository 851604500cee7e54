//! The maximum cost of reading a table, whatever the table says.

use std::cell::Cell;

use crate::support::golden::bytes;
use crate::support::tables::{File, encode, entries, entry, varint, with_restarts};
use filter_tables::{
    BlockHandle, BlockRole, Error, MAX_BLOCK_BYTES, MAX_METAINDEX_BYTES, PastEnd, ReadAt, StoredBlock, Table,
};

fn too_large(block: BlockRole, size: u64, allowed: u64) -> Error<PastEnd> {
    Error::TooLarge { block, size, allowed }
}

#[test]
fn keys_that_grow_by_sharing_are_bounded() {
    // Half of the block is one key, the other half are keys that share it: tens of gigabytes together.
    let mut contents = entry(0, &vec![b'k'; 500_000], b"");
    let again = entry(500_000, b"", b"");
    while contents.len() < 900_000 {
        contents.extend(&again);
    }
    let file =
        File::default().finish_with_metaindex(&with_restarts(contents, &[0]), StoredBlock::UNCOMPRESSED);
    assert_eq!(
        Table::open(file).unwrap_err(),
        too_large(BlockRole::Metaindex, 1_500_000, MAX_METAINDEX_BYTES)
    );
}

#[test]
fn compressed_blocks_are_bounded() {
    // The largest expansion of the format is accepted: a literal, then copies of 64 bytes.
    let copy = [0xfe, 1, 0];
    let zeros = 1 + 64 * 999;
    let compressed = [&varint(zeros)[..], &[0, 0], &copy.repeat(999)].concat();
    let file = File::default().finish_with_metaindex(&compressed, StoredBlock::SNAPPY);
    assert!(Table::open(file).unwrap().metaindex().len() > 1000);
    // The claim may be true and the block still too large when decompressed.
    let zeros = 1 + 64 * (MAX_METAINDEX_BYTES / 64);
    let copies = copy.repeat(usize::try_from(zeros / 64).unwrap());
    let compressed = [&varint(zeros)[..], &[0, 0], &copies].concat();
    let file = File::default().finish_with_metaindex(&compressed, StoredBlock::SNAPPY);
    assert_eq!(
        Table::open(file).unwrap_err(),
        too_large(BlockRole::Metaindex, MAX_METAINDEX_BYTES + 1, MAX_METAINDEX_BYTES)
    );
}

/// A file of which only the end can be read. The bytes that are read are counted.
struct End {
    size: u64,
    start: u64,
    bytes: Vec<u8>,
    read: Cell<usize>,
}

impl End {
    fn at(start: u64, bytes: Vec<u8>) -> Self {
        Self {
            size: start + bytes.len() as u64,
            start,
            bytes,
            read: Cell::default(),
        }
    }
}

impl ReadAt for End {
    type Error = PastEnd;

    fn size(&self) -> Result<u64, PastEnd> {
        Ok(self.size)
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), PastEnd> {
        self.read.set(self.read.get() + buffer.len());
        let offset = offset.checked_sub(self.start).unwrap();
        self.bytes.read_exact_at(offset, buffer)
    }
}

#[test]
fn huge_blocks_take_no_memory() {
    let size = MAX_BLOCK_BYTES + 1;
    let huge = BlockHandle { offset: 0, size };
    // Far larger than memory.
    let sparse = End::at(1 << 62, File::default().finish(huge, huge));
    assert_eq!(
        Table::open(&sparse).map(drop),
        Err(too_large(BlockRole::Metaindex, size, MAX_METAINDEX_BYTES))
    );

    let mut file = File::default();
    let contents = entries(&[("filter.A", encode(huge))]);
    let mut metaindex = file.block(&contents, StoredBlock::UNCOMPRESSED);
    metaindex.offset += 1 << 40;
    let sparse = End::at(1 << 40, file.finish(metaindex, huge));
    let table = Table::open(&sparse).unwrap();
    let too_large = |block| too_large(block, size, MAX_BLOCK_BYTES);
    assert_eq!(table.filter_block("A"), Err(too_large(BlockRole::Filter)));
    assert_eq!(table.data_blocks(), Err(too_large(BlockRole::Index)));
}

#[test]
fn the_error_of_the_reader_is_handed_on() {
    let mut shrinking = End::at(0, bytes("article/article_key08_bpk10.ldb"));
    // It becomes shorter while it is read.
    shrinking.size += 1;
    let error = Table::open(shrinking).map(drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read 48 bytes at offset 19514: read must end at byte 19561 or before, got 48 bytes at offset 19514"
    );
    assert!(std::error::Error::source(&error).is_some_and(|source| source.is::<PastEnd>()));
}

#[test]
fn nothing_but_the_way_to_the_filters_is_read() {
    let counting = End::at(0, bytes("leveldb/ldb/db_bpk10_nosnappy_bs1024.ldb"));
    let table = Table::open(&counting).unwrap();
    assert_eq!(counting.read.get(), 48 + 50 + 5);
    let block = table.filter_block("leveldb.BuiltinBloomFilter2").unwrap();
    assert_eq!(block.map(|block| block.len()), Some(2866));
    assert_eq!(counting.read.get(), 48 + 50 + 5 + 2866 + 5);
}
