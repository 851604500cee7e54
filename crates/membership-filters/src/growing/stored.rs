//! The stored form of a growing filter. `FORMAT.md` describes it.

use alloc::vec::Vec;

use crate::envelope::{CHECKSUM_LEN, HEADER_LEN, Reader, Stored, Writer};
use crate::error::Error;
use crate::funnel::Hashing;
use crate::guava::{BloomFilter, Strategy, StreamHeader};

use super::parameters::LinkShape;
use super::{GrowingBloomFilter, GrowingParameters, GrowthRule, Link};
use crate::stored::{common, invalid, of_field, within, zero};

/// The number of bytes between the common header and the links.
const FIELDS_LEN: u64 = 40;

/// The number of bytes of a link before its bits.
const LINK_FIELDS_LEN: u64 = 32;

/// The values of the rule field.
const TIGHTENING: u8 = 0;
const SAME_SIZE: u8 = 1;

/// The values of the growth and ratio fields if the rule has neither.
const NO_GROWTH: u32 = 1;
const NO_RATIO: f64 = 1.0;

impl GrowingParameters {
    /// Returns the length in bytes of the stored form of a filter with these parameters as long as it has not grown.
    ///
    /// ```
    /// use membership_filters::Utf8;
    /// use membership_filters::{GrowingBloomFilter, GrowingParameters};
    ///
    /// let parameters = GrowingParameters::new(10_000, 0.001)?;
    /// let filter = GrowingBloomFilter::new(Utf8, &parameters)?;
    /// assert_eq!(parameters.stored_len(), filter.to_bytes().len() as u64);
    /// # Ok::<(), membership_filters::Error>(())
    /// ```
    pub fn stored_len(&self) -> u64 {
        HEADER_LEN + FIELDS_LEN + LINK_FIELDS_LEN + self.first_link().bits() / 8 + CHECKSUM_LEN
    }
}

common!(GrowingBloomFilter, |filter, hash| -> bool {
    filter.insert_raw(hash)
});

impl<F: Hashing> Stored for GrowingBloomFilter<F> {
    type Funnel = F;

    const MAGIC: [u8; 8] = *b"MFgrowth";

    fn funnel(&self) -> &F {
        &self.funnel
    }

    fn stored_len(&self) -> u64 {
        let links = self.links().map(|link| LINK_FIELDS_LEN + link.memory_bytes);
        HEADER_LEN + FIELDS_LEN + links.sum::<u64>() + CHECKSUM_LEN
    }

    fn write_contents<E>(&self, writer: &mut Writer<'_, E>) -> Result<(), E> {
        let (rule, growth, ratio) = match self.parameters.rule() {
            GrowthRule::Tightening { growth, ratio } => (TIGHTENING, growth, ratio),
            GrowthRule::SameSize => (SAME_SIZE, NO_GROWTH, NO_RATIO),
        };
        writer.bytes(&[rule, 0, 0, 0])?;
        writer.bytes(&growth.to_le_bytes())?;
        writer.u64(self.parameters.capacity())?;
        writer.u64(self.parameters.false_positive_rate().to_bits())?;
        writer.u64(ratio.to_bits())?;
        writer.u64(self.full.len() as u64 + 1)?;
        for link in self.chain() {
            writer.bytes(&[link.filter.probe_count(), 0, 0, 0, 0, 0, 0, 0])?;
            writer.u64(link.filter.words().len() as u64)?;
            writer.u64(link.limit)?;
            writer.u64(link.len)?;
            writer.words(link.filter.words())?;
        }
        Ok(())
    }

    fn read_contents(reader: &mut Reader<'_>, funnel: F) -> Result<Self, Error> {
        let parameters = read_parameters(reader)?;
        let count = reader.u64()?;
        let mut links = Vec::new();
        for place in 0..count {
            // Amortized, so that a false count takes no memory.
            links
                .try_reserve(1)
                .map_err(|_| Error::out_of_memory((links.len() + 1) * size_of::<Link>()))?;
            // Every link takes bytes, so the number of links fits into an index.
            let shape = parameters.link(links.len()).map_err(|_| {
                let allowed = "as many as the capacity and the false-positive rate leave room for";
                invalid("links", allowed, count)
            })?;
            let link = read_link(reader, &shape)?;
            // A link that is not the last was left when full; the last link can still become full.
            let is_last = place + 1 == count;
            let (least, most) = if is_last {
                (link.ones, link.filter.bits() - 1)
            } else {
                (0, link.ones.saturating_sub(1))
            };
            within("limit", link.limit, least, most)?;
            links.push(link);
        }
        let last = links.pop().ok_or_else(|| invalid("links", "at least 1", count))?;
        Ok(Self {
            funnel,
            parameters,
            full: links,
            last,
        })
    }
}

fn read_parameters(reader: &mut Reader<'_>) -> Result<GrowingParameters, Error> {
    let [rule, reserved @ ..] = reader.array::<4>()?;
    zero(&reserved)?;
    let growth = u32::from_le_bytes(reader.array()?);
    let capacity = reader.u64()?;
    let rate = f64::from_bits(reader.u64()?);
    let ratio = f64::from_bits(reader.u64()?);
    let rule = match rule {
        TIGHTENING => GrowthRule::Tightening { growth, ratio },
        SAME_SIZE if growth != NO_GROWTH => return Err(invalid("growth", "1 with rule 1", growth)),
        SAME_SIZE if ratio.to_bits() != NO_RATIO.to_bits() => {
            return Err(invalid("ratio", "1 with rule 1", ratio));
        }
        SAME_SIZE => GrowthRule::SameSize,
        _ => return Err(invalid("rule", "0 or 1", rule)),
    };
    GrowingParameters::with_rule(capacity, rate, rule).map_err(of_field)
}

fn read_link(reader: &mut Reader<'_>, shape: &LinkShape) -> Result<Link, Error> {
    let [probe_count, reserved @ ..] = reader.array::<8>()?;
    zero(&reserved)?;
    let words = reader.u64()?;
    let limit = reader.u64()?;
    let len = reader.u64()?;
    if probe_count == 0 {
        return Err(invalid("probe count", "between 1 and 255", 0));
    }
    // Another version of the logarithm could give one more or one less for the same parameters.
    let expected = shape.parameters.word_count() as u64;
    within("words", words, expected.saturating_sub(1), expected + 1)?;
    let bits = reader.words(words)?;
    let ones = bits.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
    // Every element changed at least one bit.
    within("elements", len, ones.div_ceil(probe_count.into()), ones)?;
    let header = StreamHeader::new(Strategy::Murmur128Mitz64, probe_count, &bits);
    let filter = BloomFilter::from_parts((), header, bits)
        .map_err(|_| invalid("words", "between 1 and 2147483647", words))?;
    Ok(Link {
        filter,
        len,
        ones,
        limit,
    })
}
