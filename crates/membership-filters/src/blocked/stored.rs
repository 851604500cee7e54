//! The stored form of a blocked filter. `FORMAT.md` describes it.

use crate::envelope::{CHECKSUM_LEN, HEADER_LEN, Reader, Stored, Writer};
use crate::error::Error;
use crate::funnel::Hashing;

use super::bits::Blocks;
use super::{BlockedBloomFilter, BlockedParameters};
use crate::stored::{common, of_field, zero};

/// The number of bytes between the common header and the blocks.
const FIELDS_LEN: u64 = 8;

impl BlockedParameters {
    /// Returns the length in bytes of the stored form of a filter with these parameters.
    pub const fn stored_len(&self) -> u64 {
        HEADER_LEN + FIELDS_LEN + self.memory_bytes() + CHECKSUM_LEN
    }
}

common!(BlockedBloomFilter, |filter, hash| -> () {
    filter.insert_raw(hash);
    Ok(())
});

impl<F: Hashing> Stored for BlockedBloomFilter<F> {
    type Funnel = F;

    const MAGIC: [u8; 8] = *b"MFblocks";

    fn funnel(&self) -> &F {
        &self.funnel
    }

    fn stored_len(&self) -> u64 {
        self.parameters.stored_len()
    }

    fn write_contents<E>(&self, writer: &mut Writer<'_, E>) -> Result<(), E> {
        writer.bytes(&self.parameters.blocks().to_le_bytes())?;
        writer.bytes(&[0; 4])?;
        writer.bytes(self.blocks.as_slice())
    }

    fn read_contents(reader: &mut Reader<'_>, funnel: F) -> Result<Self, Error> {
        let blocks = u32::from_le_bytes(reader.array()?);
        zero(&reader.array::<4>()?)?;
        let parameters = BlockedParameters::with_blocks(blocks).map_err(of_field)?;
        let words = reader.words(parameters.memory_bytes() / 8)?;
        reader.verify()?;
        let mut blocks = Blocks::zeroed(words.len() * 8)?;
        for (place, word) in blocks.as_mut_slice().as_chunks_mut().0.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
        Ok(Self {
            funnel,
            parameters,
            blocks,
        })
    }
}
