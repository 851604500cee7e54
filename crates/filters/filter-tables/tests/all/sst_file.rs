//! Writes small RocksDB tables, valid or damaged.

use crate::support::tables::{encode, entries, varint};
use filter_policy::BitsPerKey;
use filter_policy::rocksdb::FastLocalBloomPolicy;
use filter_tables::{BlockHandle, ROCKSDB_MAGIC, block_checksum};

const CRC32C: u8 = 1;

/// Compresses bytes.
pub(crate) type Codec = fn(&[u8]) -> Vec<u8>;

/// The parameters of a table.
#[derive(Clone, Copy)]
pub(crate) struct Making {
    pub(crate) version: u32,
    pub(crate) checksum: u8,
    pub(crate) base: u32,
    pub(crate) compression: u8,
    /// Compresses the data block, behind the length of its contents.
    pub(crate) codec: Option<Codec>,
    /// Bits to set in the last number of the data block.
    pub(crate) layout: u32,
    pub(crate) index_type: [u8; 4],
}

pub(crate) const VERSION_5: Making = Making {
    version: 5,
    checksum: CRC32C,
    base: 0,
    compression: 0,
    codec: None,
    layout: 0,
    index_type: [0; 4],
};

pub(crate) const VERSION_6: Making = Making {
    version: 6,
    base: 0x1234_5678,
    ..VERSION_5
};

pub(crate) struct File {
    pub(crate) bytes: Vec<u8>,
    pub(crate) making: Making,
}

impl File {
    /// Returns the amount added to the checksum of a block that starts at the end.
    fn place(&self) -> u32 {
        let offset = self.bytes.len() as u64;
        let halves = (offset & 0xffff_ffff) + (offset >> 32);
        match self.making.base {
            0 => 0,
            base => base ^ u32::try_from(halves & 0xffff_ffff).unwrap(),
        }
    }

    pub(crate) fn block(&mut self, contents: &[u8], compression: u8) -> BlockHandle {
        let handle = BlockHandle {
            offset: self.bytes.len() as u64,
            size: contents.len() as u64,
        };
        let checksum = block_checksum(contents, compression).wrapping_add(self.place());
        self.bytes.extend(contents);
        self.bytes.push(compression);
        self.bytes.extend(checksum.to_le_bytes());
        handle
    }

    pub(crate) fn footer(&mut self, metaindex: BlockHandle, index: BlockHandle) {
        let mut footer = vec![self.making.checksum];
        if self.making.version < 6 {
            footer.extend([encode(metaindex), encode(index)].concat());
        } else {
            footer.extend([0x3e, 0, 0x7a, 0, 0, 0, 0, 0]);
            footer.extend(self.making.base.to_le_bytes());
            footer.extend(u32::try_from(metaindex.size).unwrap().to_le_bytes());
        }
        footer.resize(41, 0);
        footer.extend(self.making.version.to_le_bytes());
        footer.extend(ROCKSDB_MAGIC.to_le_bytes());
        if self.making.version >= 6 {
            let (last, rest) = footer.split_last().unwrap();
            let checksum = block_checksum(rest, *last).wrapping_add(self.place());
            footer[5..9].copy_from_slice(&checksum.to_le_bytes());
        }
        self.bytes.extend(footer);
    }
}

pub(crate) const KEYS: [&str; 3] = ["apple", "banana", "cherry"];

/// The property into which RocksDB writes the sequence number of a table that it ingests.
pub(crate) const GLOBAL_SEQNO: &str = "rocksdb.external_sst_file.global_seqno";

/// Writes a table with one data block of three keys and their filter.
pub(crate) fn table(making: Making) -> Vec<u8> {
    let mut file = File {
        bytes: Vec::new(),
        making,
    };
    let internal = KEYS.map(|key| [key.as_bytes(), &[1, 0, 0, 0, 0, 0, 0, 0]].concat());
    let mut data = entries(&internal.map(|key| (key, "v")));
    let last = u32::from_le_bytes(*data.last_chunk().unwrap()) | making.layout;
    data.truncate(data.len() - 4);
    if making.layout & 1 << 31 != 0 {
        // A hash index of five buckets, all empty.
        data.extend([0xff, 0xff, 0xff, 0xff, 0xff, 5, 0]);
    }
    data.extend(last.to_le_bytes());
    if let Some(codec) = making.codec {
        data = [varint(data.len() as u64), codec(&data)].concat();
    }
    let data = file.block(&data, making.compression);
    let policy = FastLocalBloomPolicy::new(BitsPerKey::whole(10));
    let filter = file.block(&policy.build(KEYS).unwrap(), 0);
    let index = file.block(&entries(&[("d", encode(data))]), 0);
    let properties = entries(&[
        ("rocksdb.block.based.table.index.type", &making.index_type[..]),
        (GLOBAL_SEQNO, &[0; 8]),
        ("rocksdb.index.key.is.user.key", &[1]),
        ("rocksdb.index.value.is.delta.encoded", &[0]),
    ]);
    let properties = file.block(&properties, 0);
    let mut metaindex = vec![
        ("fullfilter.rocksdb.BuiltinBloomFilter", encode(filter)),
        ("rocksdb.properties", encode(properties)),
    ];
    if making.version >= 6 {
        metaindex.insert(1, ("rocksdb.index", encode(index)));
    }
    let metaindex = file.block(&entries(&metaindex), 0);
    file.footer(metaindex, index);
    file.bytes
}
