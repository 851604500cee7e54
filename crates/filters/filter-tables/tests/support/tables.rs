//! Writes small tables of LevelDB, valid or damaged, and the entries of their blocks and of RocksDB's.

use filter_tables::{BlockHandle, MAGIC, StoredBlock, block_checksum};

/// Encodes a number in groups of seven bits, the lowest first.
pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut encoded = Vec::new();
    while value > 0x7f {
        encoded.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
        value >>= 7;
    }
    encoded.push(u8::try_from(value).unwrap());
    encoded
}

/// Encodes a handle.
pub(crate) fn encode(handle: BlockHandle) -> Vec<u8> {
    [varint(handle.offset), varint(handle.size)].concat()
}

/// Encodes an entry: the number of bytes shared with the key before, the rest of the key, the value.
pub(crate) fn entry(shared: usize, suffix: &[u8], value: &[u8]) -> Vec<u8> {
    let lengths = [shared, suffix.len(), value.len()].map(|length| varint(length as u64));
    [&lengths.concat(), suffix, value].concat()
}

/// Encodes a block of these entries, with keys shortened by the bytes shared with the key before.
pub(crate) fn entries<K: AsRef<[u8]>, V: AsRef<[u8]>>(pairs: &[(K, V)]) -> Vec<u8> {
    let mut block = Vec::new();
    let mut last: &[u8] = &[];
    for (key, value) in pairs {
        let key = key.as_ref();
        let shared = key.iter().zip(last).take_while(|(a, b)| a == b).count();
        block.extend(entry(shared, &key[shared..], value.as_ref()));
        last = key;
    }
    with_restarts(block, &[0])
}

/// Encodes a block without entries.
pub(crate) fn no_entries() -> Vec<u8> {
    with_restarts(Vec::new(), &[0])
}

/// Appends the restart points to the entries of a block.
pub(crate) fn with_restarts(mut block: Vec<u8>, restarts: &[u32]) -> Vec<u8> {
    block.extend(restarts.iter().flat_map(|restart| restart.to_le_bytes()));
    block.extend(u32::try_from(restarts.len()).unwrap().to_le_bytes());
    block
}

/// A table of LevelDB under construction.
#[derive(Debug, Default)]
pub(crate) struct File(pub(crate) Vec<u8>);

impl File {
    /// Appends a block with a valid checksum.
    pub(crate) fn block(&mut self, contents: &[u8], compression: u8) -> BlockHandle {
        let handle = BlockHandle {
            offset: self.0.len() as u64,
            size: contents.len() as u64,
        };
        self.0.extend(contents);
        self.0.push(compression);
        self.0.extend(block_checksum(contents, compression).to_le_bytes());
        handle
    }

    /// Finishes the table with a footer.
    pub(crate) fn finish(mut self, metaindex: BlockHandle, index: BlockHandle) -> Vec<u8> {
        let mut footer = [encode(metaindex), encode(index)].concat();
        footer.resize(40, 0);
        self.0.extend(footer);
        self.0.extend(MAGIC.to_le_bytes());
        self.0
    }

    /// Finishes the table with an index of no data blocks.
    pub(crate) fn finish_with_metaindex(mut self, contents: &[u8], compression: u8) -> Vec<u8> {
        let metaindex = self.block(contents, compression);
        let index = self.block(&no_entries(), StoredBlock::UNCOMPRESSED);
        self.finish(metaindex, index)
    }
}
