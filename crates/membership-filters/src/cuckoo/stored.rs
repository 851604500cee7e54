//! The stored form of a cuckoo filter. `FORMAT.md` describes it.

use super::parameters::SLOTS_PER_BUCKET;
use super::{CuckooFilter, CuckooParameters, FREE};
use crate::error::{BuildError, ReadError};
use crate::packed::PackedIntegers;
use crate::serial::{CHECKSUM_LEN, HEADER_LEN, Reader, Source, Writer, field, stored_form, within, zero};

/// How the bytes start.
const MAGIC: [u8; 8] = *b"MFcuckoo";

/// Bytes between the common header and the slots.
const FIELDS_LEN: u64 = 32;

impl CuckooParameters {
    /// Bytes of the stored form of a filter with these parameters.
    ///
    /// ```
    /// use membership_filters::CuckooParameters;
    ///
    /// assert_eq!(CuckooParameters::new(1_000_000, 0.001)?.stored_bytes(), 1_710_624);
    /// # Ok::<(), membership_filters::BuildError>(())
    /// ```
    pub fn stored_bytes(&self) -> u64 {
        HEADER_LEN + FIELDS_LEN + self.memory_bytes() + CHECKSUM_LEN
    }
}

stored_form!(CuckooFilter);

impl<F> CuckooFilter<F> {
    /// Bytes of the stored form.
    pub fn stored_bytes(&self) -> u64 {
        self.parameters.stored_bytes()
    }

    fn write<E>(&self, put: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut writer = Writer::new(put);
        writer.header(MAGIC)?;
        writer.bytes(&[self.parameters.fingerprint_bits(), SLOTS_PER_BUCKET])?;
        writer.bytes(&[0; 6])?;
        writer.u64(self.parameters.seed())?;
        writer.u64(self.parameters.buckets())?;
        writer.u64(self.items)?;
        writer.words(self.slots.words())?;
        writer.finish()
    }

    fn read(source: impl Source, funnel: F) -> Result<Self, ReadError> {
        let mut reader = Reader::new(source);
        reader.header(MAGIC)?;
        let [bits, slots_per_bucket, reserved @ ..] = reader.array::<8>()?;
        zero(&reserved)?;
        if slots_per_bucket != SLOTS_PER_BUCKET {
            return Err(field("slots per bucket", slots_per_bucket.into(), "4"));
        }
        let seed = reader.u64()?;
        let buckets = reader.u64()?;
        let items = reader.u64()?;
        if buckets == 0 || buckets % 2 != 0 {
            return Err(field("buckets", buckets, "an even number, at least 2"));
        }
        let parameters = CuckooParameters::with_buckets(buckets, bits).map_err(|error| match error {
            BuildError::TooLarge { bytes } => ReadError::TooLarge { bytes },
            _ => field("fingerprint bits", bits.into(), "4 to 32"),
        })?;
        let parameters = parameters.with_seed(seed);
        let words = reader.words(parameters.memory_bytes() / 8)?;
        reader.finish()?;
        let slots = PackedIntegers::from_words(words, parameters.slots(), bits.into()).ok_or(field(
            "a bit behind the last slot",
            1,
            "0",
        ))?;
        let taken = slots.iter().filter(|&fingerprint| fingerprint != FREE).count() as u64;
        within("items", items, taken, taken)?;
        Ok(Self {
            funnel,
            parameters,
            slots,
            items,
        })
    }
}
