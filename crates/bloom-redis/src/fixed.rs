//! The fixed design: one bitmap a filter, its length from the formula, not rounded.

use core::time::Duration;

use guava_bloom::{BloomFilter, Strategy};
use redis::{Value, cmd};

use crate::answer::Answer;
use crate::call::Call;
use crate::error::Error;
use crate::names::slots;
use crate::options::{Expiry, Options};
use crate::plan::bits::{self, Bitmap};
use crate::plan::{Batch, insert, tally, transfer};
use crate::rebuild::{Rebuild, hashes};
use crate::record::{self, Design, Record};
use crate::schema::Schema;
use crate::statistics::Statistics;

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

    fn bitmap(&self, name: impl AsRef<[u8]>) -> Bitmap {
        Bitmap::whole(self.key(name), self.schema)
    }

    /// Checks the prefix's parameter record.
    ///
    /// The call fails with [`Error::Unrecorded`] when there is none, and with [`Error::Mismatch`] when it is of other
    /// parameters.
    pub fn open(&self) -> Call<'static, ()> {
        record::open(&self.prefix, Record::new(Design::Fixed, self.schema))
    }

    /// Writes the prefix's parameter record if there is none, and checks it.
    ///
    /// The call fails with [`Error::Mismatch`] when there is one of other parameters.
    pub fn adopt(&self) -> Call<'static, ()> {
        record::adopt(&self.prefix, Record::new(Design::Fixed, self.schema))
    }

    /// Creates an empty filter, unless it is there; whether it was not. Needed where a missing filter is reported
    /// ([`Missing::Reported`](crate::Missing::Reported)).
    pub fn create(&self, name: impl AsRef<[u8]>, expiry: impl Into<Option<Expiry>>) -> Call<'static, bool> {
        create(&self.bitmap(name), expiry.into())
    }

    /// Whether an element is in a filter, in one round trip.
    pub fn contains(&self, name: impl AsRef<[u8]>, element: impl AsRef<[u8]>) -> Call<'static, Answer> {
        one(self.contains_many(name, [element]))
    }

    /// Whether elements are in a filter, answer by answer, in one round trip up to the bound of the options.
    pub fn contains_many(
        &self,
        name: impl AsRef<[u8]>,
        elements: impl IntoIterator<Item: AsRef<[u8]>>,
    ) -> Call<'static, Vec<Answer>> {
        let (bitmap, hashes, options) = (self.bitmap(name), hashes(elements), self.options);
        Call::new(move |line| async move { bits::contains(&line, &bitmap, &hashes, &options).await })
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
        one(self.insert_many(name, [element], expiry))
    }

    /// Inserts elements, in one round trip up to the bound of the options; of each, whether it was new. An element that
    /// comes twice is new once.
    pub fn insert_many(
        &self,
        name: impl AsRef<[u8]>,
        elements: impl IntoIterator<Item: AsRef<[u8]>>,
        expiry: impl Into<Option<Expiry>>,
    ) -> Call<'static, Vec<bool>> {
        let (bitmap, hashes, options) = (self.bitmap(name), hashes(elements), self.options);
        let expiry = expiry.into();
        Call::new(move |line| async move { insert::insert(&line, &bitmap, &hashes, expiry, &options).await })
    }

    /// Figures of a filter. The server counts its bits.
    pub fn statistics(&self, name: impl AsRef<[u8]>) -> Call<'static, Statistics> {
        let (bitmap, options) = (self.bitmap(name), self.options);
        Call::new(move |line| async move {
            tally::statistics(&line, bitmap.anchor(), core::slice::from_ref(&bitmap), &options).await
        })
    }

    /// Begins to build a filter anew; see [`Rebuild`]. The lease is how long the new generation stays when nobody inserts
    /// into it.
    ///
    /// The call fails with [`Error::RebuildUnderWay`] when there is one already.
    pub fn rebuild(&self, name: impl AsRef<[u8]>, lease: Duration) -> Call<'static, Rebuild> {
        Rebuild::begin(self.bitmap(name), lease, self.options)
    }

    /// Puts a filter that was filled in memory in the place of the one on the server, in chunks, then in one step. It has the
    /// time to live that is given here, or none.
    ///
    /// Guava rounds its bits up to whole words, the fixed design does not: only a schema whose bits are a multiple of 64
    /// ([`Schema::words`]) can be exchanged. The call fails with [`Error::Incompatible`] otherwise, and when bits, probes or
    /// strategy differ.
    pub fn upload<'a, F: Sync>(
        &self,
        name: impl AsRef<[u8]>,
        filter: &'a BloomFilter<F>,
        expiry: impl Into<Option<Expiry>>,
    ) -> Call<'a, ()> {
        Rebuild::replace(self.bitmap(name), filter, expiry.into(), self.options)
    }

    /// A filter's bits in memory, fetched in chunks of 1 MiB. Elements that are inserted meanwhile may be in it or not.
    ///
    /// The call fails with [`Error::Incompatible`] when the number of bits is no multiple of 64, see
    /// [`upload`](Self::upload).
    pub fn download<F: Send + 'static>(
        &self,
        name: impl AsRef<[u8]>,
        funnel: F,
    ) -> Call<'static, BloomFilter<F>> {
        download(self.bitmap(name), funnel, self.options)
    }

    /// Sets the bits of filters in another, on the server, which does nothing else meanwhile. In a cluster, their keys
    /// must be in one slot.
    pub fn merge(
        &self,
        into: impl AsRef<[u8]>,
        from: impl IntoIterator<Item: AsRef<[u8]>>,
    ) -> Call<'static, ()> {
        let (into, options) = (self.bitmap(into), self.options);
        let from: Vec<Bitmap> = from.into_iter().map(|name| self.bitmap(name)).collect();
        Call::new(move |line| async move { transfer::merge(&line, &into, &from, &options).await })
    }

    /// Removes a filter; whether it was there. Its memory is freed in the background.
    pub fn delete(&self, name: impl AsRef<[u8]>) -> Call<'static, bool> {
        unlink(vec![self.key(name)])
    }
}

/// The first of the answers to one element.
pub(crate) fn one<T: Send + 'static>(many: Call<'static, Vec<T>>) -> Call<'static, T> {
    many.map(|answers| {
        answers.into_iter().next().ok_or_else(|| Error::Reply {
            expected: "an answer",
            found: String::from("nothing"),
        })
    })
}

/// Creates strings of zeroes where there is nothing; whether there was nothing at one of the keys.
pub(crate) fn create(bitmap: &Bitmap, expiry: Option<Expiry>) -> Call<'static, bool> {
    let (keys, spread) = (bitmap.keys.clone(), bitmap.spread);
    Call::new(move |line| async move {
        let millis = expiry.map(Expiry::millis).transpose()?;
        let batches = slots(&keys, spread).into_iter().map(|keys| {
            let mut batch = Batch::new();
            for key in keys {
                let mut set = cmd("SET");
                set.arg(key).arg(&[0_u8][..]).arg("NX");
                if let Some(millis) = millis {
                    set.arg("PX").arg(millis);
                }
                batch.push(set);
            }
            batch
        });
        let mut replies = line.send_all(batches.collect()).await?;
        let mut created = false;
        for _ in &keys {
            created |= replies.value()? != Value::Nil;
        }
        Ok(created)
    })
}

/// Removes keys; whether one was there.
pub(crate) fn unlink(keys: Vec<Vec<u8>>) -> Call<'static, bool> {
    Call::new(move |line| async move {
        let mut command = cmd("UNLINK");
        for key in &keys {
            command.arg(key.as_slice());
        }
        Ok(line.send(Batch::of(command)).await?.count()? > 0)
    })
}

/// A filter in memory with the bits of one on the server.
pub(crate) fn download<F: Send + 'static>(
    bitmap: Bitmap,
    funnel: F,
    options: Options,
) -> Call<'static, BloomFilter<F>> {
    Call::new(move |line| async move {
        let words = transfer::read(&line, &bitmap, &options).await?;
        BloomFilter::from_parts(funnel, Strategy::Murmur128Mitz64, bitmap.schema.probes(), words).map_err(
            |error| Error::Incompatible {
                what: "the filter",
                here: error.to_string(),
                there: String::from("a filter of Guava's"),
            },
        )
    })
}
