//! The split design: one bitmap in several keys, for filters that exceed a Redis string or whose keys should stay
//! small.

use std::sync::Arc;

use crate::answer::Answer;
use crate::call::Call;
use crate::error::{Error, ErrorKind};
use crate::names::tag;
use crate::options::{Expiry, Options};
use crate::plan;
use crate::plan::bitmap::{Bitmap, hashes};
use crate::rebuild::Rebuild;
use crate::schema::{MARKED_BITS, Schema};
use crate::statistics::Statistics;
use crate::stored::{Stored, operations};

/// A filter whose bitmap is divided among several keys: bit b is bit `b % part` of the key with the number `b / part`.
///
/// Filter `NAME` has the keys `bf-split:{NAME}:0`, `bf-split:{NAME}:1` and so on, which share a slot of a cluster.
/// Names are escaped like those of [`GrowingFilter::new`](crate::GrowingFilter::new). Bits and offsets are those of
/// Guava's filter for the same schema, so the two can be exchanged. This design is not published: the published ones
/// end at 2^31 - 1 and 2^32 bits.
///
/// A missing key is a missing part. Create a filter as a whole, or let its first inserts create the parts with
/// [`Missing::Empty`](crate::Missing::Empty). Inserts do not change the time to live, since each touches only some
/// parts.
///
/// ```
/// use bloom_redis::{Schema, SplitFilter};
///
/// // 12 billion bits: three times what a string of Redis holds.
/// let filter = SplitFilter::new("phones", Schema::whole_words(1_000_000_000, 0.003)?)?;
/// assert_eq!(filter.schema().bits(), 12_090_970_048);
/// assert_eq!(filter.part_bits(), 1 << 26);
/// assert_eq!(filter.keys().len(), 181);
/// assert_eq!(filter.keys()[7], b"bf-split:{phones}:7");
/// # Ok::<(), bloom_redis::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct SplitFilter {
    name: Vec<u8>,
    slots: u16,
    stored: Stored,
}

operations!(SplitFilter);

impl SplitFilter {
    /// The prefix of the keys.
    pub const PREFIX: &'static str = "bf-split:";
    /// The default number of bits of a part: 8 MiB, which a server moves, copies and frees in a few ms.
    pub const PART_BITS: u64 = 1 << 26;
    /// The largest number of slots that a filter is spread over.
    pub const MAX_SLOTS: u16 = 1_024;
    /// The largest number of parts.
    pub const MAX_PARTS: u64 = 1 << 16;

    /// Returns the filter of this name in parts of [`PART_BITS`](Self::PART_BITS), with default options. The schema is usually
    /// [`Schema::whole_words`].
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](ErrorKind::InvalidArgument) if there would be too many parts, which no schema causes.
    pub fn new(name: impl AsRef<[u8]>, schema: Schema) -> Result<Self, Error> {
        Self::with_parts(
            name.as_ref().to_vec(),
            1,
            schema,
            Self::PART_BITS,
            Options::default(),
        )
    }

    /// Returns the filter with parts of another size. To the server this is a different filter.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](ErrorKind::InvalidArgument) unless `part_bits` is a multiple of 64 from 64 to 2^32 - 64 and gives
    /// at most 65,536 parts.
    pub fn with_part_bits(self, part_bits: u64) -> Result<Self, Error> {
        let Stored { bitmap, options, .. } = self.stored;
        Self::with_parts(self.name, self.slots, bitmap.schema, part_bits, options)
    }

    /// Returns the same filter spread over this many slots of a cluster, 1 to 1,024. To the server it is another
    /// filter: part `i` has the key `bf-split:SLOTS:{NAME:i % SLOTS}:i`.
    ///
    /// The nodes then share memory and load, and none of them sees the whole filter. An operation sends a batch to each
    /// slot, at the same time with `Call::query_together` and one after another otherwise. Rebuild, upload and merge,
    /// which need one step on all parts, are refused with [`Spread`](ErrorKind::Spread). With 1, the default, all parts
    /// share a slot.
    ///
    /// ```
    /// use bloom_redis::{Schema, SplitFilter};
    ///
    /// let filter = SplitFilter::new("phones", Schema::whole_words(1_000_000_000, 0.003)?)?.spread_over(6)?;
    /// assert_eq!(filter.keys()[7], b"bf-split:6:{phones:1}:7");
    /// # Ok::<(), bloom_redis::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](ErrorKind::InvalidArgument) if the number is out of range.
    pub fn spread_over(self, slots: u16) -> Result<Self, Error> {
        if !(1..=Self::MAX_SLOTS).contains(&slots) {
            let (thing, range) = ("the number of slots", "between 1 and 1024");
            return Err(Error::new(ErrorKind::InvalidArgument, thing, range, slots));
        }
        let Stored { bitmap, options, .. } = self.stored;
        Self::with_parts(self.name, slots, bitmap.schema, bitmap.part_bits, options)
    }

    fn with_parts(
        name: Vec<u8>,
        slots: u16,
        schema: Schema,
        part_bits: u64,
        options: Options,
    ) -> Result<Self, Error> {
        let least = schema.bits().div_ceil(Self::MAX_PARTS).next_multiple_of(64);
        if !part_bits.is_multiple_of(64) || !(least..=MARKED_BITS).contains(&part_bits) {
            let range = format_args!("a multiple of 64 from {least} to {MARKED_BITS}");
            let (kind, thing) = (ErrorKind::InvalidArgument, "the bits of a part");
            return Err(Error::new(kind, thing, range, part_bits));
        }
        let keys = (0..schema.bits().div_ceil(part_bits))
            .map(|number| {
                let slot = (slots > 1).then(|| number % u64::from(slots));
                [prefix(&name, slots, slot), number.to_string().into_bytes()].concat()
            })
            .collect();
        let bitmap = Arc::new(Bitmap {
            keys,
            part_bits,
            schema,
            spread: slots > 1,
            marked: true,
        });
        Ok(Self {
            name,
            slots,
            stored: Stored {
                bitmap,
                options,
                expiry: Expiry::Keep,
            },
        })
    }

    /// Returns the number of bits of each part except the last, which has the rest.
    #[must_use]
    pub fn part_bits(&self) -> u64 {
        self.stored.bitmap.part_bits
    }

    /// Returns the keys of the parts.
    #[must_use]
    pub fn keys(&self) -> &[Vec<u8>] {
        &self.stored.bitmap.keys
    }
}

/// Returns the prefix of a filter's keys. No name can imitate another filter's prefix: the number of slots comes before
/// the brace, and the last colon in the braces is never part of the name.
fn prefix(name: &[u8], slots: u16, slot: Option<u64>) -> Vec<u8> {
    let spread = if slots > 1 {
        format!("{slots}:")
    } else {
        String::new()
    };
    let slot = slot.map_or_else(String::new, |slot| format!(":{slot}"));
    [
        SplitFilter::PREFIX.as_bytes(),
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
                let filter = SplitFilter::new(name, Schema::whole_words(2_000, 0.01).unwrap())
                    .and_then(|filter| filter.with_part_bits(1_024))
                    .and_then(|filter| filter.spread_over(slots))
                    .unwrap();
                let tags: BTreeSet<_> = filter.keys().iter().map(|key| hash_tag(key).unwrap()).collect();
                assert_eq!(tags.len(), usize::from(slots), "{name}");
                count += filter.keys().len();
                keys.extend(filter.keys().iter().cloned());
            }
        }
        assert_eq!(keys.len(), count);
    }
}
