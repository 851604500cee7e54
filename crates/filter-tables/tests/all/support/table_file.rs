//! Writes small LevelDB tables, valid or damaged.

use filter_tables::{BlockHandle, MAGIC, StoredBlock, block_checksum};

pub(crate) use super::entries::*;

/// A table file under construction.
#[derive(Default)]
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
        let index = self.block(&entries(&[]), StoredBlock::UNCOMPRESSED);
        self.finish(metaindex, index)
    }
}
