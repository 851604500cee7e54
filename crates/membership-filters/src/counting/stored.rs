//! The stored form of a counting filter. `FORMAT.md` describes it.

use guava_bloom::{MAX_WORDS, Modulus, Parameters, Strategy};

use super::{CounterWidth, CountingBloomFilter};
use crate::error::{BuildError, ReadError};
use crate::packed::{PackedIntegers, word_count};
use crate::serial::{CHECKSUM_LEN, HEADER_LEN, Reader, Source, Writer, field, stored_form, zero};

/// How the bytes start.
const MAGIC: [u8; 8] = *b"MFcounts";

/// Bytes between the common header and the counters.
const FIELDS_LEN: u64 = 24;

/// Bytes around so many words, and theirs.
fn stored_bytes(words: usize) -> u64 {
    HEADER_LEN + FIELDS_LEN + words as u64 * 8 + CHECKSUM_LEN
}

impl CountingBloomFilter<()> {
    /// Bytes of the stored form of a filter with these parameters, without making one.
    ///
    /// # Errors
    ///
    /// [`BuildError::TooLarge`].
    ///
    /// ```
    /// use membership_filters::guava_bloom::{Parameters, Utf8};
    /// use membership_filters::{CounterWidth, CountingBloomFilter};
    ///
    /// let parameters = Parameters::new(10_000, 0.001)?;
    /// let filter = CountingBloomFilter::new(Utf8, &parameters, CounterWidth::FOUR)?;
    /// let bytes = CountingBloomFilter::stored_bytes_of(&parameters, CounterWidth::FOUR)?;
    /// assert_eq!(bytes, filter.to_bytes().len() as u64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stored_bytes_of(parameters: &Parameters, width: CounterWidth) -> Result<u64, BuildError> {
        word_count(parameters.bit_size(), width.bits().into())
            .map(stored_bytes)
            .map_err(|bytes| BuildError::TooLarge { bytes })
    }
}

stored_form!(CountingBloomFilter);

impl<F> CountingBloomFilter<F> {
    /// Bytes of the stored form.
    pub fn stored_bytes(&self) -> u64 {
        stored_bytes(self.counters.words().len())
    }

    fn write<E>(&self, put: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut writer = Writer::new(put);
        writer.header(MAGIC)?;
        writer.bytes(&[self.strategy.ordinal(), self.probes, self.width.bits()])?;
        writer.bytes(&[0; 5])?;
        writer.u64(self.counters.len())?;
        writer.u64(self.items)?;
        writer.words(self.counters.words())?;
        writer.finish()
    }

    fn read(source: impl Source, funnel: F) -> Result<Self, ReadError> {
        let mut reader = Reader::new(source);
        reader.header(MAGIC)?;
        let [ordinal, probes, bits, reserved @ ..] = reader.array::<8>()?;
        zero(&reserved)?;
        let strategy = Strategy::from_ordinal(ordinal).ok_or(field("strategy", ordinal.into(), "0 or 1"))?;
        if probes == 0 {
            return Err(field("probe count", 0, "1 to 255"));
        }
        let width = CounterWidth::new(bits).map_err(|_| field("counter bits", bits.into(), "2 to 16"))?;
        let counters = reader.u64()?;
        let modulus = Modulus::new(counters)
            .filter(|_| counters % 64 == 0 && counters / 64 <= MAX_WORDS.into())
            .ok_or(field(
                "counters",
                counters,
                "a multiple of 64 from 64 to 64 * (2^31 - 1)",
            ))?;
        let items = reader.u64()?;
        // 64 counters take as many words as a counter has bits.
        let words = reader.words(counters / 64 * u64::from(bits))?;
        reader.finish()?;
        let counters = PackedIntegers::from_words(words, counters, bits.into()).ok_or(field(
            "a bit behind the last counter",
            1,
            "0",
        ))?;
        let largest = counters.max();
        let nonzero = counters.iter().filter(|&counter| counter > 0).count() as u64;
        let stuck = counters.iter().filter(|&counter| counter == largest).count() as u64;
        Ok(Self {
            funnel,
            strategy,
            probes,
            modulus,
            width,
            counters,
            items,
            nonzero,
            stuck,
        })
    }
}
