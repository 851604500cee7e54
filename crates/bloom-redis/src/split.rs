//! The split design: one bitmap in several keys, for filters above the longest string of Redis, or whose keys should stay
//! small.

use core::time::Duration;
use std::sync::Arc;

use guava_bloom::BloomFilter;

use crate::answer::Answer;
use crate::call::Call;
use crate::names::tag;
use crate::options::{Expiry, Options};
use crate::plan::bitmap::Bitmap;
use crate::rebuild::Rebuild;
use crate::record::{self, Design, Record};
use crate::schema::{REDIS_BITS, Schema, SchemaError};
use crate::statistics::Statistics;
use crate::stored::Stored;

/// A filter whose bitmap lies in several keys, part after part: bit b is bit `b % part` of the key with the number
/// `b / part`.
///
/// Filter `NAME` has the keys `bf-split:{NAME}:0`, `bf-split:{NAME}:1` and so on, which share a slot of a cluster; names that
/// could not stand in braces are written as [`Growing::named`](crate::Growing::named) says. Bits and
/// offsets are those of Guava's filter for the same insertions and probability, so that it can be exchanged with one. This
/// is a design of this crate's own: the published ones end at 2^31 - 1 and 2^32 bits.
///
/// Keys that are missing count as parts that are: a filter is created as a whole, or by its first inserts where missing is
/// empty.
///
/// ```
/// use bloom_redis::Split;
///
/// // 12 billion bits: three times what a string of Redis holds.
/// let filter = Split::new("phones", 1_000_000_000, 0.003)?;
/// assert_eq!((filter.bits(), filter.probes()), (12_090_970_048, 8));
/// assert_eq!(filter.part_bits(), 1 << 26);
/// assert_eq!(filter.keys().len(), 181);
/// assert_eq!(filter.keys()[7], b"bf-split:{phones}:7");
/// # Ok::<(), bloom_redis::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    name: Vec<u8>,
    slots: u16,
    stored: Stored,
}

impl Split {
    /// The prefix of the keys.
    pub const PREFIX: &'static str = "bf-split:";
    /// Bits of a part unless the caller says otherwise: 8 MiB, which a server moves, copies and frees in a few ms.
    pub const PART_BITS: u64 = 1 << 26;
    /// Most slots that a filter is spread over.
    pub const MOST_SLOTS: u16 = 1_024;
    /// Most parts.
    pub const MOST_PARTS: u64 = 1 << 16;

    /// A filter with parts of [`PART_BITS`](Self::PART_BITS) and default options.
    ///
    /// # Errors
    ///
    /// [`SchemaError`] when the arguments are out of range, or Guava could not hold so many bits (2^31 - 1 words).
    pub fn new(name: impl Into<Vec<u8>>, insertions: u64, fpp: f64) -> Result<Self, SchemaError> {
        let schema = Schema::split(insertions, fpp)?;
        Self::with_parts(name.into(), 1, schema, Self::PART_BITS, Options::default())
    }

    /// The same filter in parts of another size, which is another filter to the server.
    ///
    /// # Errors
    ///
    /// [`SchemaError::PartBits`] unless it is a multiple of 64 from 64 to 2^32, and gives 65,536 parts at most.
    pub fn with_part_bits(self, part_bits: u64) -> Result<Self, SchemaError> {
        Self::with_parts(
            self.name,
            self.slots,
            self.stored.bitmap.schema,
            part_bits,
            self.stored.options,
        )
    }

    /// The same filter spread over so many slots of a cluster, 1 to 1,024, which is another filter to the server: part `i` has
    /// the key `bf-split:SLOTS:{NAME:i % SLOTS}:i`.
    ///
    /// The nodes then share memory and load, and none of them sees the filter as a whole: an operation takes a batch for each
    /// slot, at the same time with [`Call::query_together`], one after another otherwise; and what is one step on all parts
    /// is refused with [`Error::Spread`](crate::Error::Spread): rebuild, upload, merge. With 1, the default, all parts share
    /// a slot.
    ///
    /// ```
    /// use bloom_redis::Split;
    ///
    /// let filter = Split::new("phones", 1_000_000_000, 0.003)?.spread_over(6)?;
    /// assert_eq!(filter.keys()[7], b"bf-split:6:{phones:1}:7");
    /// # Ok::<(), bloom_redis::SchemaError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SchemaError::Slots`] unless the number is in its range.
    pub fn spread_over(self, slots: u16) -> Result<Self, SchemaError> {
        if !(1..=Self::MOST_SLOTS).contains(&slots) {
            return Err(SchemaError::Slots { given: slots });
        }
        let Stored { bitmap, options } = self.stored;
        Self::with_parts(self.name, slots, bitmap.schema, bitmap.part_bits, options)
    }

    fn with_parts(
        name: Vec<u8>,
        slots: u16,
        schema: Schema,
        part_bits: u64,
        options: Options,
    ) -> Result<Self, SchemaError> {
        let least = schema.bits().div_ceil(Self::MOST_PARTS).next_multiple_of(64);
        if !part_bits.is_multiple_of(64) || !(least..=REDIS_BITS).contains(&part_bits) {
            return Err(SchemaError::PartBits {
                given: part_bits,
                least,
            });
        }
        let keys = (0..schema.bits().div_ceil(part_bits))
            .map(|number| {
                let slot = (slots > 1).then(|| number % u64::from(slots));
                [prefix(&name, slots, slot), number.to_string().into_bytes()].concat()
            })
            .collect();
        Ok(Self {
            name,
            slots,
            stored: Stored {
                bitmap: Arc::new(Bitmap {
                    keys,
                    part_bits,
                    schema,
                    spread: slots > 1,
                }),
                options,
            },
        })
    }

    /// The same with other options.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        self.stored.options = options;
        self
    }

    /// Bits of the filter, all parts together; the modulus of all positions.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.stored.bitmap.schema.bits()
    }

    /// Bits of a part. The last has what is left.
    #[must_use]
    pub fn part_bits(&self) -> u64 {
        self.stored.bitmap.part_bits
    }

    /// Bits that an element sets, k.
    #[must_use]
    pub fn probes(&self) -> u8 {
        self.stored.bitmap.schema.probes()
    }

    /// The keys of the parts.
    #[must_use]
    pub fn keys(&self) -> &[Vec<u8>] {
        &self.stored.bitmap.keys
    }

    fn record(&self) -> (Vec<u8>, Record) {
        let prefix = prefix(&self.name, self.slots, None);
        let record = Record::of_parts(Design::Split, self.stored.bitmap.schema, self.part_bits());
        (prefix, record)
    }

    /// Checks the parameter record, as [`Fixed::open`](crate::Fixed::open). The filter has a prefix of its own:
    /// `bf-split:{NAME}:`, or `bf-split:SLOTS:{NAME}:` if it is spread.
    pub fn open(&self) -> Call<'static, ()> {
        let (prefix, record) = self.record();
        record::open(&prefix, record)
    }

    /// Writes the parameter record if there is none, as [`Fixed::adopt`](crate::Fixed::adopt).
    pub fn adopt(&self) -> Call<'static, ()> {
        let (prefix, record) = self.record();
        record::adopt(&prefix, record)
    }

    /// Creates the parts that are not there, all bits zero; whether there was one. The time to live is theirs alone.
    pub fn create(&self, expiry: impl Into<Option<Expiry>>) -> Call<'static, bool> {
        self.stored.clone().create(expiry.into())
    }

    /// Whether an element is in the filter, in one round trip.
    pub fn contains(&self, element: impl AsRef<[u8]>) -> Call<'static, Answer> {
        self.contains_many([element]).one()
    }

    /// Whether elements are in the filter, answer by answer, in one round trip up to the bound of the options.
    pub fn contains_many(
        &self,
        elements: impl IntoIterator<Item: AsRef<[u8]>>,
    ) -> Call<'static, Vec<Answer>> {
        self.stored.clone().contains_many(elements)
    }

    /// Inserts an element, in one round trip; whether it was new.
    pub fn insert(&self, element: impl AsRef<[u8]>) -> Call<'static, bool> {
        self.insert_many([element]).one()
    }

    /// Inserts elements, in one round trip up to the bound of the options; of each, whether it was new. There is no time to
    /// live: an insert touches some of the parts only.
    pub fn insert_many(&self, elements: impl IntoIterator<Item: AsRef<[u8]>>) -> Call<'static, Vec<bool>> {
        self.stored.clone().insert_many(elements, None)
    }

    /// Figures of the filter. The server counts the bits of all parts.
    pub fn statistics(&self) -> Call<'static, Statistics> {
        self.stored.clone().statistics()
    }

    /// Begins to build the filter anew, as [`Fixed::rebuild`](crate::Fixed::rebuild).
    pub fn rebuild(&self, lease: Duration) -> Call<'static, Rebuild> {
        self.stored.clone().rebuild(lease)
    }

    /// Puts a filter that was filled in memory in the place of this one, as [`Fixed::upload`](crate::Fixed::upload).
    pub fn upload<'a, F: Sync>(&self, filter: &'a BloomFilter<F>) -> Call<'a, ()> {
        self.stored.clone().upload(filter, None)
    }

    /// The filter's bits in memory, as [`Fixed::download`](crate::Fixed::download).
    pub fn download<F: Send + 'static>(&self, funnel: F) -> Call<'static, BloomFilter<F>> {
        self.stored.clone().download(funnel)
    }

    /// Sets the bits of other filters in this one, on the server, as [`Fixed::merge`](crate::Fixed::merge).
    ///
    /// The call fails with [`Error::Incompatible`](crate::Error::Incompatible) when they differ in bits, probes or parts.
    pub fn merge<'f>(&self, from: impl IntoIterator<Item = &'f Self>) -> Call<'static, ()> {
        let from = from.into_iter().map(|filter| filter.stored.bitmap.clone());
        self.stored.clone().merge(from.collect())
    }

    /// Removes the filter; whether a part was there. Its memory is freed in the background.
    pub fn delete(&self) -> Call<'static, bool> {
        self.stored.clone().delete()
    }
}

/// What keys of a filter begin with. What a name could hold is no part of what tells one filter from another: the number of
/// slots stands before the brace, and the last colon in the braces is ours.
fn prefix(name: &[u8], slots: u16, slot: Option<u64>) -> Vec<u8> {
    let spread = if slots > 1 {
        format!("{slots}:")
    } else {
        String::new()
    };
    let slot = slot.map_or_else(String::new, |slot| format!(":{slot}"));
    [
        Split::PREFIX.as_bytes(),
        spread.as_bytes(),
        b"{",
        &*tag(name),
        slot.as_bytes(),
        b"}:",
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::names::hash_tag;

    #[test]
    fn no_two_filters_share_a_key() {
        let mut keys = BTreeSet::new();
        let mut count = 0;
        for name in [
            "",
            "phones",
            "phones:6",
            "phones:6:1",
            "phones:1",
            "6",
            "}",
            "a}:b",
            "%",
        ] {
            for slots in [1, 2, 6] {
                let filter = Split::new(name, 2_000, 0.01)
                    .and_then(|filter| filter.with_part_bits(1_024))
                    .and_then(|filter| filter.spread_over(slots))
                    .unwrap();
                let tags: BTreeSet<_> = filter.keys().iter().map(|key| hash_tag(key).unwrap()).collect();
                assert_eq!(tags.len(), usize::from(slots), "{name}");
                count += filter.keys().len() + 1;
                keys.extend(filter.keys().iter().cloned());
                keys.insert(Record::key(&filter.record().0));
            }
        }
        assert_eq!(keys.len(), count);
    }
}
