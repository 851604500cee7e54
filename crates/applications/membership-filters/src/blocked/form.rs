//! The stored form of the filter. `FORMAT.md` describes it.

use super::bits::Blocks;
use super::{BloomFilter, Parameters};
use crate::envelope::{CHECKSUM_LEN, HEADER_LEN, Reader};
use crate::error::Error;
use crate::stored::{of_field, zero};

/// The number of bytes between the common header and the blocks.
const FIELDS_LEN: u64 = 8;

impl Parameters {
    /// Returns the length in bytes of the stored form of a filter with these parameters.
    pub const fn stored_len(&self) -> u64 {
        HEADER_LEN + FIELDS_LEN + self.memory_bytes() + CHECKSUM_LEN
    }
}

impl<F> BloomFilter<F> {
    pub(super) fn read(reader: &mut Reader<'_>, funnel: F) -> Result<Self, Error> {
        let blocks = u32::from_le_bytes(reader.array()?);
        zero(&reader.array::<4>()?)?;
        let parameters = Parameters::with_blocks(blocks).map_err(of_field)?;
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
