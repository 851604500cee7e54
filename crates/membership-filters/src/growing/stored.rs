//! The stored form of a growing filter. `FORMAT.md` describes it.

use alloc::vec::Vec;

use guava_bloom::{BloomFilter, Modulus, Strategy};

use super::parameters::LinkShape;
use super::{GrowingBloomFilter, GrowingParameters, GrowthRule, Link};
use crate::error::{BuildError, ReadError};
use crate::serial::{
    CHECKSUM_LEN, HEADER_LEN, Reader, Source, Writer, field, real, stored_form, within, zero,
};

/// How the bytes start.
const MAGIC: [u8; 8] = *b"MFgrowth";

/// Bytes between the common header and the links.
const FIELDS_LEN: u64 = 40;

/// Bytes of a link in front of its bits.
const LINK_FIELDS_LEN: u64 = 32;

/// The rules, as the first field tells them.
const TIGHTENING: u8 = 0;
const SAME_SIZE: u8 = 1;

/// How many words a link can have.
const WORDS: &str = "1 to 2^31 - 1";

/// What stands in the fields of growth and ratio where the rule has neither.
const NO_GROWTH: u32 = 1;
const NO_RATIO: f64 = 1.0;

impl GrowingParameters {
    /// Bytes of the stored form of a filter with these parameters as long as it has not grown.
    ///
    /// # Errors
    ///
    /// None: those of [`with_rule`](Self::with_rule) have been met before.
    ///
    /// ```
    /// use membership_filters::guava_bloom::Utf8;
    /// use membership_filters::{GrowingBloomFilter, GrowingParameters};
    ///
    /// let parameters = GrowingParameters::new(10_000, 0.001)?;
    /// let filter = GrowingBloomFilter::new(Utf8, &parameters)?;
    /// assert_eq!(parameters.stored_bytes()?, filter.to_bytes().len() as u64);
    /// # Ok::<(), membership_filters::BuildError>(())
    /// ```
    pub fn stored_bytes(&self) -> Result<u64, BuildError> {
        let bits = self.first_link()?.bit_size();
        Ok(HEADER_LEN + FIELDS_LEN + LINK_FIELDS_LEN + bits / 8 + CHECKSUM_LEN)
    }
}

stored_form!(GrowingBloomFilter);

impl<F> GrowingBloomFilter<F> {
    /// Bytes of the stored form.
    pub fn stored_bytes(&self) -> u64 {
        let links = self.links().map(|link| LINK_FIELDS_LEN + link.bits / 8);
        HEADER_LEN + FIELDS_LEN + links.sum::<u64>() + CHECKSUM_LEN
    }

    fn write<E>(&self, put: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let (rule, growth, ratio) = match self.parameters.rule() {
            GrowthRule::Tightening { growth, ratio } => (TIGHTENING, growth, ratio),
            GrowthRule::SameSize => (SAME_SIZE, NO_GROWTH, NO_RATIO),
        };
        let mut writer = Writer::new(put);
        writer.header(MAGIC)?;
        writer.bytes(&[rule, 0, 0, 0])?;
        writer.bytes(&growth.to_le_bytes())?;
        writer.u64(self.parameters.capacity())?;
        writer.u64(self.parameters.fpp().to_bits())?;
        writer.u64(ratio.to_bits())?;
        writer.u64(self.full.len() as u64 + 1)?;
        for link in self.chain() {
            writer.bytes(&[link.filter.probes(), 0, 0, 0, 0, 0, 0, 0])?;
            writer.u64(link.filter.words().len() as u64)?;
            writer.u64(link.limit)?;
            writer.u64(link.elements)?;
            writer.words(link.filter.words())?;
        }
        writer.finish()
    }

    fn read(source: impl Source, funnel: F) -> Result<Self, ReadError> {
        let mut reader = Reader::new(source);
        reader.header(MAGIC)?;
        let parameters = read_parameters(&mut reader)?;
        let count = reader.u64()?;
        let mut links = Vec::new();
        for place in 0..count {
            // Amortized, so that a false count takes no memory.
            links.try_reserve(1).map_err(|_| ReadError::AllocationFailed {
                bytes: ((links.len() + 1) * size_of::<Link>()) as u64,
            })?;
            // A link takes bytes, so that there are never more of them than an index can tell.
            let shape = parameters
                .link(links.len())
                .map_err(|_| field("links", count, "what the capacity and the fpp leave room for"))?;
            let link = read_link(&mut reader, &shape)?;
            // A link that is not the last was left when it was full; the last one can become so.
            let is_last = place + 1 == count;
            let (least, most) = if is_last {
                (link.ones, link.filter.bit_size() - 1)
            } else {
                (0, link.ones.saturating_sub(1))
            };
            within("limit", link.limit, least, most)?;
            links.push(link);
        }
        let last = links.pop().ok_or(field("links", count, "at least 1"))?;
        reader.finish()?;
        Ok(Self {
            funnel,
            parameters,
            full: links,
            last,
        })
    }
}

fn read_parameters(reader: &mut Reader<impl Source>) -> Result<GrowingParameters, ReadError> {
    let [rule, reserved @ ..] = reader.array::<4>()?;
    zero(&reserved)?;
    let growth = u32::from_le_bytes(reader.array()?);
    let capacity = reader.u64()?;
    let fpp = f64::from_bits(reader.u64()?);
    let ratio = f64::from_bits(reader.u64()?);
    let rule = match rule {
        TIGHTENING => GrowthRule::Tightening { growth, ratio },
        SAME_SIZE if growth != NO_GROWTH => return Err(field("growth", growth.into(), "1 with rule 1")),
        SAME_SIZE if ratio.to_bits() != NO_RATIO.to_bits() => {
            return Err(real("ratio", ratio, "1 with rule 1"));
        }
        SAME_SIZE => GrowthRule::SameSize,
        _ => return Err(field("rule", rule.into(), "0 or 1")),
    };
    GrowingParameters::with_rule(capacity, fpp, rule).map_err(|error| match error {
        BuildError::FppOutOfRange { .. } => real("fpp", fpp, "a number above 0 and below 1"),
        BuildError::Growth { .. } => field("growth", growth.into(), "1 to 16"),
        BuildError::Tightening { .. } => real("ratio", ratio, "a number from 0.1 to below 1"),
        _ => field(
            "capacity",
            capacity,
            "one that a growing filter can start with at this fpp",
        ),
    })
}

fn read_link(reader: &mut Reader<impl Source>, shape: &LinkShape) -> Result<Link, ReadError> {
    let [probes, reserved @ ..] = reader.array::<8>()?;
    zero(&reserved)?;
    let words = reader.u64()?;
    let limit = reader.u64()?;
    let elements = reader.u64()?;
    if probes == 0 {
        return Err(field("probe count", 0, "1 to 255"));
    }
    // One more or less is what another edition of the logarithm could make of the same parameters.
    let expected = shape.parameters.words() as u64;
    within("words", words, expected.saturating_sub(1), expected + 1)?;
    let modulus = words
        .checked_mul(64)
        .and_then(Modulus::new)
        .ok_or(field("words", words, WORDS))?;
    let words = reader.words(words)?;
    let ones = words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
    // Every element changed one bit or more.
    within("elements", elements, ones.div_ceil(probes.into()), ones)?;
    let filter = BloomFilter::from_parts((), Strategy::Murmur128Mitz64, probes, words)
        .map_err(|_| field("words", modulus.get() / 64, WORDS))?;
    Ok(Link {
        filter,
        modulus,
        elements,
        ones,
        limit,
    })
}
