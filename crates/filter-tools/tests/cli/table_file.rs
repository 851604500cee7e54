//! Writes small tables, valid or damaged.

use filter_tables::{BlockHandle, MAGIC, StoredBlock, block_checksum};

/// A table file under construction.
#[derive(Default)]
pub(crate) struct File(Vec<u8>);

impl File {
    /// Appends a block with its correct checksum.
    pub(crate) fn block(&mut self, contents: &[u8]) -> BlockHandle {
        let handle = BlockHandle {
            offset: self.0.len() as u64,
            size: contents.len() as u64,
        };
        let checksum = block_checksum(contents, StoredBlock::UNCOMPRESSED);
        self.0.extend(contents);
        self.0.push(StoredBlock::UNCOMPRESSED);
        self.0.extend(checksum.to_le_bytes());
        handle
    }

    pub(crate) fn finish(mut self, metaindex: BlockHandle, index: BlockHandle) -> Vec<u8> {
        let mut footer = [encode(metaindex), encode(index)].concat();
        footer.resize(40, 0);
        self.0.extend(footer);
        self.0.extend(MAGIC.to_le_bytes());
        self.0
    }
}

pub(crate) fn encode(handle: BlockHandle) -> Vec<u8> {
    [varint(handle.offset), varint(handle.size)].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut encoded = Vec::new();
    while value > 0x7f {
        encoded.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
        value >>= 7;
    }
    encoded.push(u8::try_from(value).unwrap());
    encoded
}

/// Encodes a block of these keys and values, without shared prefixes.
pub(crate) fn entries(pairs: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut block = Vec::new();
    for (key, value) in pairs {
        let lengths = [0, key.len(), value.len()].map(|length| varint(length as u64));
        block.extend([&lengths.concat(), *key, value].concat());
    }
    // The only restart point is the first entry.
    block.extend([0, 1].map(u32::to_le_bytes).concat());
    block
}
