//! The fixed design: one bitmap, whose published length is not rounded to whole words.

use std::sync::Arc;

use membership_filters::Hashing;
use membership_filters::guava::BloomFilter;

use crate::answer::Answer;
use crate::call::{Call, Line};
use crate::error::Error;
use crate::options::{Expiry, Options};
use crate::plan::bitmap::{Bitmap, hashes};
use crate::rebuild::Rebuild;
use crate::schema::{MARKED_BITS, Schema};
use crate::stats::Stats;

/// A filter in one bitmap: the published fixed design, for example for one filter per topic and day.
///
/// Filter `NAME` is the string `bf:NAME`. The offsets of a key are those of Guava's MURMUR128_MITZ_64 over its
/// bytes, modulo the bitmap's length. They equal those of the published program.
///
/// ```no_run
/// use std::time::Duration;
///
/// use bloom_redis::{Answer, Expiry, FixedFilter, Missing, Options, Schema};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut connection = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
/// // One filter per topic and day, which expires a day after the last insert.
/// let read = FixedFilter::new("topic_read:8839540:20190609", Schema::fixed(3_000, 0.03)?)?
///     .options(Options::default().missing(Missing::Empty))
///     .expiry(Expiry::After(Duration::from_secs(86_400)));
///
/// read.insert("76930242").query(&mut connection)?;
/// assert_eq!(read.contains("76930242").query(&mut connection)?, Answer::Maybe);
/// let tomorrow = read.named("topic_read:8839540:20190610");
/// assert_eq!(tomorrow.contains("76930242").query(&mut connection)?, Answer::Absent);
/// # Ok(())
/// # }
/// ```
///
/// # What it stores and sends
///
/// The string ends with a mark of 24 bytes, which no insert reaches: `BfR1`, the number of bits (8 bytes,
/// little-endian), the probes (1 byte), three zeros, and the number of the rebuild that made the string (8 bytes). Every
/// operation compares it in its own round trip: a string begun anew lacks it, one of another program is
/// [`Malformed`](crate::Error::Malformed), and a client with other parameters gets
/// [`Mismatch`](crate::Error::Mismatch).
///
/// A query sends `BITFIELD_RO` and `GETRANGE`, an insert a short script for each 1,024 bits, `GET` and `GETRANGE`;
/// during a rebuild, a second round trip goes to its bits.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedFilter {
    prefix: Vec<u8>,
    name: Vec<u8>,
    bitmap: Arc<Bitmap>,
}

impl FixedFilter {
    /// The published prefix.
    pub const PREFIX: &'static str = "bf:";

    /// Returns the filter of this name under the published prefix, with default options. The schema is usually
    /// [`Schema::fixed`]; with [`Schema::whole_words`] the bitmap can be exchanged with Guava's filters.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::Error::InvalidArgument) if the schema has more than 2^32 - 192 bits, the limit of
    /// a Redis string less the mark after the bits.
    pub fn new(name: impl AsRef<[u8]>, schema: Schema) -> Result<Self, Error> {
        schema.check(MARKED_BITS)?;
        let filter = Self {
            prefix: Self::PREFIX.into(),
            name: Vec::new(),
            bitmap: Arc::new(Bitmap::new(Vec::new(), schema)),
        };
        Ok(filter.named(name))
    }

    /// Returns the same filter under another name.
    #[must_use]
    pub fn named(&self, name: impl AsRef<[u8]>) -> Self {
        let (mut this, name) = (self.clone(), name.as_ref());
        Arc::make_mut(&mut this.bitmap).key = [&self.prefix[..], name].concat();
        this.name = name.to_vec();
        this
    }

    /// Returns the same filter under another prefix, which may contain any bytes. A prefix with a hash tag
    /// (`{orders}:`) keeps all filters in one slot of a cluster; without a hash tag, filters are spread by their names.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<Vec<u8>>) -> Self {
        self.prefix = prefix.into();
        let name = core::mem::take(&mut self.name);
        self.named(name)
    }

    /// Returns the same filter with this time to live, which each insert sets in one step with the bits;
    /// [`Expiry::Keep`] by default.
    #[must_use]
    pub fn expiry(mut self, expiry: Expiry) -> Self {
        Arc::make_mut(&mut self.bitmap).expiry = expiry;
        self
    }

    /// Returns the filter's key.
    ///
    /// A cluster refuses to [`create`](Self::create) or rebuild a filter whose key has a brace but no hash tag, because
    /// its companion keys lie in other slots.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        &self.bitmap.key
    }

    /// Returns the offsets of a key's bits, in the order in which they are tested.
    #[must_use]
    pub fn offsets(&self, key: impl AsRef<[u8]>) -> Vec<u64> {
        let hash = membership_filters::Hash128::of(key.as_ref());
        self.schema().positions(hash)
    }

    /// Gives the string of a filter that a published program made, or an insert with
    /// [`Missing::Published`](crate::Missing::Published), the mark that [`create`](Self::create) writes. By default a
    /// string without it is an error. The published program goes on with the string as before. Nothing can check that
    /// it used these parameters, and lost nothing.
    ///
    /// The call fails with [`Missing`](crate::Error::Missing) when there is no string, and with
    /// [`Malformed`](crate::Error::Malformed) when it is too long.
    pub fn write_marks(&self) -> Call<'static, ()> {
        self.call(|line, bitmap| async move { bitmap.write_mark(&line).await })
    }

    /// Returns the same filter with other options.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        Arc::make_mut(&mut self.bitmap).options = options;
        self
    }

    /// Returns the size of the filter.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.bitmap.schema
    }

    /// Creates an empty filter with this time to live, unless there is one already; returns whether it was
    /// created. A filter must be created before the first insert unless a missing filter counts as empty
    /// ([`Missing::Empty`](crate::Missing::Empty)). [`Expiry::At`] needs Redis 6.2.
    ///
    /// Its string gets its full length and ends with a mark: 24 bytes that hold the number of bits and of probes. No
    /// insert writes there, so that a string without it is not taken for the filter: the call then fails with
    /// [`Malformed`](crate::Error::Malformed), and with [`Mismatch`](crate::Error::Mismatch) when a filter with
    /// other parameters has this name.
    pub fn create(&self, expiry: Expiry) -> Call<'static, bool> {
        self.call(move |line, bitmap| async move { bitmap.create(&line, expiry).await })
    }

    /// Queries one key, in one round trip.
    pub fn contains(&self, key: impl AsRef<[u8]>) -> Call<'static, Answer> {
        self.contains_many([key]).one()
    }

    /// Queries many keys, in one round trip for each [`bits_per_trip`](Options::bits_per_trip) bits. The answers are in
    /// the order of the keys.
    pub fn contains_many(&self, keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Call<'static, Vec<Answer>> {
        let hashes = hashes(keys);
        self.call(move |line, bitmap| async move { bitmap.contains(&line, &hashes).await })
    }

    /// Inserts a key, in one round trip. Returns true if it was new, in which case it was certainly never
    /// inserted before.
    pub fn insert(&self, key: impl AsRef<[u8]>) -> Call<'static, bool> {
        self.insert_many([key]).one()
    }

    /// Inserts keys, in one round trip for each [`bits_per_trip`](Options::bits_per_trip) bits.
    /// Returns true for each that was new; a repeated key is new once.
    pub fn insert_many(&self, keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Call<'static, Vec<bool>> {
        let hashes = hashes(keys);
        self.call(move |line, bitmap| async move { bitmap.insert(&line, &hashes).await })
    }

    /// Returns the state of the filter. The server counts the bits.
    pub fn stats(&self) -> Call<'static, Stats> {
        self.call(|line, bitmap| async move { bitmap.stats(&line).await })
    }

    /// Begins a rebuild; see [`Rebuild`]. The new generation is deleted if nothing is inserted into it for the
    /// duration of the lease.
    ///
    /// The call fails with [`RebuildUnderWay`](crate::Error::RebuildUnderWay) when there is one already;
    /// [`abandon_rebuild`](Self::abandon_rebuild) ends one whose program has died.
    pub fn rebuild(&self, lease: core::time::Duration) -> Call<'static, Rebuild> {
        Rebuild::begin(self.bitmap.clone(), lease)
    }

    /// Abandons the rebuild under way, of this client or another one. Returns true if there was one. The filter stays
    /// unchanged, and later calls of the rebuild fail with [`Missing`](crate::Error::Missing).
    pub fn abandon_rebuild(&self) -> Call<'static, bool> {
        self.call(|line, bitmap| async move { bitmap.abandon_any(&line).await })
    }

    /// Replaces the filter on the server by one that was filled in memory: uploads it in chunks, then swaps the two in
    /// one step. This is the fastest way to load many keys. [`Schema`](crate::Schema) and
    /// [`Parameters`](membership_filters::guava::Parameters) convert into each other.
    ///
    /// **What was in the filter before is gone**: keys that anybody inserted and that are not in `filter` are
    /// [`Answer::Absent`] afterwards, except those that are inserted during the call. To add the bits instead,
    /// begin a [`rebuild`](Self::rebuild), [`download`](Self::download) the filter, merge the two in memory, and
    /// [`upload`](Rebuild::upload) the result.
    ///
    /// The number of bits must be a multiple of 64, as in Guava ([`Schema::whole_words`](crate::Schema::whole_words)),
    /// and the funnel must hash as the server's queries do: [`Bytes`](membership_filters::Bytes) and
    /// [`Utf8`](membership_filters::Utf8). The call fails with [`Mismatch`](crate::Error::Mismatch) otherwise, and
    /// when bits, probe count or strategy differ.
    ///
    /// ```no_run
    /// use bloom_redis::{Expiry, FixedFilter, Schema, redis};
    /// use membership_filters::Bytes;
    /// use membership_filters::guava::{BloomFilter, Parameters};
    ///
    /// fn load(connection: &mut redis::Connection, users: &[Vec<u8>]) -> Result<(), Box<dyn core::error::Error>> {
    ///     let remote = FixedFilter::new("users", Schema::whole_words(1_000_000, 0.01)?)?;
    ///     let mut local = BloomFilter::new(Bytes, &Parameters::try_from(remote.schema())?)?;
    ///     local.insert_many(users);
    ///     remote.replace_with(&local, Expiry::Never).query(connection)?;
    ///     Ok(())
    /// }
    /// ```
    pub fn replace_with<'a, F: Hashing + Sync>(
        &self,
        filter: &'a BloomFilter<F>,
        expiry: Expiry,
    ) -> Call<'a, ()> {
        Rebuild::replace(self.bitmap.clone(), filter, expiry)
    }

    /// Downloads the filter's bits into memory, in chunks of 1 MiB. Keys inserted meanwhile may or may not be included.
    ///
    /// The call fails with [`Mismatch`](crate::Error::Mismatch) when the number of bits is not a multiple of 64, or
    /// the funnel hashes in another way; see [`replace_with`](Self::replace_with).
    pub fn download<F: Hashing + Send + 'static>(&self, funnel: F) -> Call<'static, BloomFilter<F>> {
        self.call(|line, bitmap| async move { bitmap.download(&line, funnel).await })
    }

    /// Deletes the filter. Returns true if it existed. Its memory is freed in the background.
    pub fn delete(&self) -> Call<'static, bool> {
        self.call(|line, bitmap| async move {
            let mut unlink = redis::cmd("UNLINK");
            Ok(line.run(unlink.arg(&bitmap.key)).await?.count()? > 0)
        })
    }

    /// Returns an operation on this filter.
    fn call<T, F>(&self, work: impl FnOnce(Line, Arc<Bitmap>) -> F) -> Call<'static, T>
    where
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        Call::new(self.key(), |line| work(line, self.bitmap.clone()))
    }
}
