//! The stored form of a counting filter. `FORMAT.md` describes it.

use crate::bits::MAX_WORD_COUNT;
use crate::envelope::{CHECKSUM_LEN, HEADER_LEN, Reader, Writer};
use crate::error::Error;
use crate::guava::{Parameters, Strategy};
use crate::modulus::Modulus;

use super::{CountingBloomFilter, WIDTH};
use crate::packed::{PackedIntegers, word_count};
use crate::stored::{invalid, zero};

/// The number of bytes between the common header and the counters.
const FIELDS_LEN: u64 = 24;

/// Returns the length of the stored form with this many words.
fn len_with(words: usize) -> u64 {
    HEADER_LEN + FIELDS_LEN + words as u64 * 8 + CHECKSUM_LEN
}

impl CountingBloomFilter<()> {
    /// Returns the length in bytes of the stored form of a filter with these parameters, without creating one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge).
    ///
    /// ```
    /// use membership_filters::{CountingBloomFilter, Utf8, guava::Parameters};
    ///
    /// let parameters = Parameters::new(10_000, 0.001)?;
    /// let filter = CountingBloomFilter::new(Utf8, &parameters)?;
    /// let bytes = CountingBloomFilter::stored_len_of(&parameters)?;
    /// assert_eq!(bytes, filter.to_bytes().len() as u64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stored_len_of(parameters: &Parameters) -> Result<u64, Error> {
        word_count(parameters.bits().into(), WIDTH).map(len_with)
    }
}

impl<F> CountingBloomFilter<F> {
    pub(super) fn form_len(&self) -> u64 {
        len_with(self.counters.words().len())
    }

    pub(super) fn put<E>(&self, writer: &mut Writer<'_, E>) -> Result<(), E> {
        writer.bytes(&[
            self.strategy.ordinal(),
            u8::try_from(self.probe_count).unwrap_or(u8::MAX),
            self.counters.width(),
        ])?;
        writer.bytes(&[0; 5])?;
        writer.u64(self.counters.len())?;
        writer.u64(self.len)?;
        writer.words(self.counters.words())
    }

    pub(super) fn read(reader: &mut Reader<'_>, funnel: F) -> Result<Self, Error> {
        let [ordinal, probe_count, bits, reserved @ ..] = reader.array::<8>()?;
        zero(&reserved)?;
        let strategy =
            Strategy::from_ordinal(ordinal).ok_or_else(|| invalid("strategy", "0 or 1", ordinal))?;
        if probe_count == 0 {
            return Err(invalid("probe count", "between 1 and 255", 0));
        }
        if !(2..=16).contains(&bits) {
            return Err(invalid("the counter bits", "between 2 and 16", bits));
        }
        let counters = reader.u64()?;
        let modulus = Modulus::new(counters)
            .filter(|_| counters % 64 == 0 && counters / 64 <= MAX_WORD_COUNT.into())
            .ok_or_else(|| {
                let allowed = "a multiple of 64 from 64 to 64 * (2^31 - 1)";
                invalid("counters", allowed, counters)
            })?;
        let len = reader.u64()?;
        // 64 counters take as many words as a counter has bits.
        let words = reader.words(counters / 64 * u64::from(bits))?;
        reader.verify()?;
        let counters = PackedIntegers::from_words(words, counters, bits.into())
            .ok_or_else(|| invalid("padding after the last counter", 0, 1))?;
        let largest = counters.max();
        let nonzero = counters.iter().filter(|&counter| counter > 0).count() as u64;
        let stuck = counters.iter().filter(|&counter| counter == largest).count() as u64;
        Ok(Self {
            funnel,
            strategy,
            probe_count: probe_count.into(),
            modulus,
            counters,
            len,
            nonzero,
            stuck,
        })
    }
}
