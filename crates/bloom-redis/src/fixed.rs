//! The fixed design: one bitmap a filter, its length from the formula, not rounded.

use core::time::Duration;

use guava_bloom::BloomFilter;

use crate::answer::Answer;
use crate::call::Call;
use crate::options::{Expiry, Options};
use crate::plan::bitmap::Bitmap;
use crate::rebuild::Rebuild;
use crate::record::{self, Design, Record};
use crate::schema::Schema;
use crate::statistics::Statistics;
use crate::stored::Stored;

/// Filters of one size under one prefix, one bitmap each: the published design for a filter per topic and day, say.
///
/// A filter `NAME` is the string `bf:NAME`. An element's offsets are those of Guava's MURMUR128_MITZ_64 over its bytes, modulo
/// the bitmap's length, bit for bit those of the published program.
///
/// ```no_run
/// use core::time::Duration;
///
/// use bloom_redis::{Answer, Expiry, Fixed, Missing, Options, Schema};
///
/// # fn main() -> Result<(), Box<dyn core::error::Error>> {
/// let mut connection = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
/// let filter = Fixed::new(Schema::fixed(3_000, 0.03)?).with_options(Options {
///     missing: Missing::Empty,
///     ..Options::default()
/// });
/// assert_eq!((filter.bits(), filter.probes()), (21_895, 5));
///
/// let day = Expiry::Sliding(Duration::from_secs(86_400));
/// let new = filter.insert("topic_read:8839540:20190609", "76930242", day).query(&mut connection)?;
/// let answer = filter.contains("topic_read:8839540:20190609", "76930242").query(&mut connection)?;
/// assert_eq!(answer, Answer::MayContain);
/// # let _ = new;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Fixed {
    prefix: Vec<u8>,
    schema: Schema,
    options: Options,
}

impl Fixed {
    /// The published prefix.
    pub const PREFIX: &'static str = "bf:";

    /// Filters of this size under the published prefix, with default options. The schema is usually [`Schema::fixed`]; with
    /// [`Schema::words`] the bitmaps can be exchanged with Guava's filters.
    pub fn new(schema: Schema) -> Self {
        Self {
            prefix: Self::PREFIX.into(),
            schema,
            options: Options::default(),
        }
    }

    /// The same under another prefix, any bytes. A prefix with a hash tag (`{orders}:`) keeps all filters in one slot of
    /// a cluster; without one they are spread by their names.
    #[must_use]
    pub fn with_prefix(self, prefix: impl Into<Vec<u8>>) -> Self {
        Self {
            prefix: prefix.into(),
            ..self
        }
    }

    /// The same with other options.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// The size of the filters.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Bits of a filter; the modulus of all offsets.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.schema.bits()
    }

    /// Bits that an element sets, k.
    #[must_use]
    pub const fn probes(&self) -> u8 {
        self.schema.probes()
    }

    /// The key of a filter.
    ///
    /// In a cluster, a key that holds a brace and yet has no hash tag cannot be rebuilt, and asking it or inserting into it
    /// needs [`follow_rebuilds`](Options::follow_rebuilds) off: its companions would lie in another slot.
    #[must_use]
    pub fn key(&self, name: impl AsRef<[u8]>) -> Vec<u8> {
        [&self.prefix, name.as_ref()].concat()
    }

    /// Where the bits of an element are, in the order in which they are tested.
    pub fn offsets(&self, element: impl AsRef<[u8]>) -> Vec<u64> {
        let hash = guava_bloom::Hash128::of(element.as_ref());
        self.schema.positions(hash).collect()
    }

    fn stored(&self, name: impl AsRef<[u8]>) -> Stored {
        Stored {
            bitmap: Bitmap::whole(self.key(name), self.schema).into(),
            options: self.options,
        }
    }

    /// Checks the prefix's parameter record.
    ///
    /// The call fails with [`Error::Unrecorded`](crate::Error::Unrecorded) when there is none, and with [`Error::Mismatch`](crate::Error::Mismatch) when it is of other
    /// parameters.
    pub fn open(&self) -> Call<'static, ()> {
        record::open(&self.prefix, Record::new(Design::Fixed, self.schema))
    }

    /// Writes the prefix's parameter record if there is none, and checks it.
    ///
    /// The call fails with [`Error::Mismatch`](crate::Error::Mismatch) when there is one of other parameters.
    pub fn adopt(&self) -> Call<'static, ()> {
        record::adopt(&self.prefix, Record::new(Design::Fixed, self.schema))
    }

    /// Creates an empty filter, unless it is there; whether it was not. Needed where a missing filter is reported
    /// ([`Missing::Reported`](crate::Missing::Reported)).
    pub fn create(&self, name: impl AsRef<[u8]>, expiry: impl Into<Option<Expiry>>) -> Call<'static, bool> {
        self.stored(name).create(expiry.into())
    }

    /// Whether an element is in a filter, in one round trip.
    pub fn contains(&self, name: impl AsRef<[u8]>, element: impl AsRef<[u8]>) -> Call<'static, Answer> {
        self.contains_many(name, [element]).one()
    }

    /// Whether elements are in a filter, answer by answer, in one round trip up to the bound of the options.
    pub fn contains_many(
        &self,
        name: impl AsRef<[u8]>,
        elements: impl IntoIterator<Item: AsRef<[u8]>>,
    ) -> Call<'static, Vec<Answer>> {
        self.stored(name).contains_many(elements)
    }

    /// Inserts an element, in one round trip; whether it was new: if so, it was certainly never inserted before.
    ///
    /// A time to live is set in one step with the bits. `None` leaves the key's own alone.
    pub fn insert(
        &self,
        name: impl AsRef<[u8]>,
        element: impl AsRef<[u8]>,
        expiry: impl Into<Option<Expiry>>,
    ) -> Call<'static, bool> {
        self.insert_many(name, [element], expiry).one()
    }

    /// Inserts elements, in one round trip up to the bound of the options; of each, whether it was new. An element that
    /// comes twice is new once.
    pub fn insert_many(
        &self,
        name: impl AsRef<[u8]>,
        elements: impl IntoIterator<Item: AsRef<[u8]>>,
        expiry: impl Into<Option<Expiry>>,
    ) -> Call<'static, Vec<bool>> {
        self.stored(name).insert_many(elements, expiry.into())
    }

    /// Figures of a filter. The server counts its bits.
    pub fn statistics(&self, name: impl AsRef<[u8]>) -> Call<'static, Statistics> {
        self.stored(name).statistics()
    }

    /// Begins to build a filter anew; see [`Rebuild`]. The lease is how long the new generation stays when nobody inserts
    /// into it.
    ///
    /// The call fails with [`Error::RebuildUnderWay`](crate::Error::RebuildUnderWay) when there is one already.
    pub fn rebuild(&self, name: impl AsRef<[u8]>, lease: Duration) -> Call<'static, Rebuild> {
        self.stored(name).rebuild(lease)
    }

    /// Puts a filter that was filled in memory in the place of the one on the server, in chunks, then in one step. It has the
    /// time to live that is given here, or none.
    ///
    /// Guava rounds its bits up to whole words, the fixed design does not: only a schema whose bits are a multiple of 64
    /// ([`Schema::words`]) can be exchanged. The call fails with [`Error::Incompatible`](crate::Error::Incompatible) otherwise, and when bits, probes or
    /// strategy differ.
    pub fn upload<'a, F: Sync>(
        &self,
        name: impl AsRef<[u8]>,
        filter: &'a BloomFilter<F>,
        expiry: impl Into<Option<Expiry>>,
    ) -> Call<'a, ()> {
        self.stored(name).upload(filter, expiry.into())
    }

    /// A filter's bits in memory, fetched in chunks of 1 MiB. Elements that are inserted meanwhile may be in it or not.
    ///
    /// The call fails with [`Error::Incompatible`](crate::Error::Incompatible) when the number of bits is no multiple of 64, see
    /// [`upload`](Self::upload).
    pub fn download<F: Send + 'static>(
        &self,
        name: impl AsRef<[u8]>,
        funnel: F,
    ) -> Call<'static, BloomFilter<F>> {
        self.stored(name).download(funnel)
    }

    /// Sets the bits of filters in another, on the server, which does nothing else meanwhile. In a cluster, their keys
    /// must be in one slot.
    pub fn merge(
        &self,
        into: impl AsRef<[u8]>,
        from: impl IntoIterator<Item: AsRef<[u8]>>,
    ) -> Call<'static, ()> {
        let from = from.into_iter().map(|name| self.stored(name).bitmap);
        self.stored(into).merge(from.collect())
    }

    /// Removes a filter; whether it was there. Its memory is freed in the background.
    pub fn delete(&self, name: impl AsRef<[u8]>) -> Call<'static, bool> {
        self.stored(name).delete()
    }
}
