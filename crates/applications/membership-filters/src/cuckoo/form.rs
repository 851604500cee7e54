//! The stored form of a cuckoo filter. `FORMAT.md` describes it.

use crate::envelope::{CHECKSUM_LEN, HEADER_LEN, Reader, Writer};
use crate::error::Error;

use super::parameters::SLOTS_PER_BUCKET;
use super::{CuckooFilter, CuckooParameters, FREE};
use crate::packed::PackedIntegers;
use crate::stored::{invalid, of_field, within, zero};

/// The number of bytes between the common header and the slots.
const FIELDS_LEN: u64 = 32;

impl CuckooParameters {
    /// Returns the length in bytes of the stored form of a filter with these parameters.
    ///
    /// ```
    /// use membership_filters::CuckooParameters;
    ///
    /// assert_eq!(CuckooParameters::new(1_000_000, 0.001)?.stored_len(), 1_710_624);
    /// # Ok::<(), membership_filters::Error>(())
    /// ```
    pub fn stored_len(&self) -> u64 {
        HEADER_LEN + FIELDS_LEN + self.memory_bytes() + CHECKSUM_LEN
    }
}

impl<F> CuckooFilter<F> {
    pub(super) fn form_len(&self) -> u64 {
        self.parameters.stored_len()
    }

    pub(super) fn put<E>(&self, writer: &mut Writer<'_, E>) -> Result<(), E> {
        writer.bytes(&[self.parameters.fingerprint_bits(), SLOTS_PER_BUCKET])?;
        writer.bytes(&[0; 6])?;
        writer.u64(self.parameters.seed)?;
        writer.u64(self.parameters.buckets())?;
        writer.u64(self.len)?;
        writer.words(self.slots.words())
    }

    pub(super) fn read(reader: &mut Reader<'_>, funnel: F) -> Result<Self, Error> {
        let [bits, slots_per_bucket, reserved @ ..] = reader.array::<8>()?;
        zero(&reserved)?;
        if slots_per_bucket != SLOTS_PER_BUCKET {
            return Err(invalid("slots per bucket", SLOTS_PER_BUCKET, slots_per_bucket));
        }
        let seed = reader.u64()?;
        let buckets = reader.u64()?;
        let items = reader.u64()?;
        if buckets == 0 || buckets % 2 != 0 {
            return Err(invalid("buckets", "an even number, at least 2", buckets));
        }
        let parameters = CuckooParameters::with_buckets(buckets, bits)
            .map_err(of_field)?
            .seed(seed);
        let words = reader.words(parameters.memory_bytes() / 8)?;
        reader.verify()?;
        let slots = PackedIntegers::from_words(words, parameters.slots(), bits.into())
            .ok_or_else(|| invalid("padding after the last slot", 0, 1))?;
        let taken = slots.iter().filter(|&fingerprint| fingerprint != FREE).count() as u64;
        within("items", items, taken, taken)?;
        Ok(Self {
            funnel,
            parameters,
            slots,
            len: items,
        })
    }
}
