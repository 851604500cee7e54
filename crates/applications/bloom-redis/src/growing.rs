//! The growing design: bitmaps of equal size behind a cursor; a new one is opened when the current one is half full.

use crate::answer::Answer;
use crate::call::{Call, Line};
use crate::error::Error;
use crate::error::display;
use crate::options::Options;
use crate::plan::bitmap::hashes;
use crate::plan::chain::{self, Chain};
use crate::schema::{REDIS_BITS, Schema};
use crate::stats::Stats;

/// A filter that grows by bitmaps: `bloomfilter-0`, `bloomfilter-1` and so on. `cursor` holds the number of the last.
///
/// A key goes into the current bitmap unless one of the bitmaps has it. When more than half of the bits of the current
/// bitmap are set, the next one is opened. All of this is as published. A query tests all bitmaps, and their
/// false-positive rates add up; [`Schema::growing`] takes the total. A script on the server decides on growth, so two
/// writers never open two bitmaps.
///
/// The published names allow one filter per database; a name or prefix allows more. In a cluster a filter needs a hash
/// tag to stay in one slot, which [`GrowingFilter::new`] adds.
///
/// ```no_run
/// use bloom_redis::{Answer, GrowingFilter, Schema};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut connection = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
/// let filter = GrowingFilter::new("urls", Schema::whole_words(10_000, 0.0005)?)?;
/// filter.create().query(&mut connection)?;
/// filter.insert("https://example.org/").query(&mut connection)?;
/// let answer = filter.contains("https://example.org/").query(&mut connection)?;
/// assert_eq!(answer, Answer::Maybe);
/// # Ok(())
/// # }
/// ```
///
/// # How large a bitmap
///
/// A key is looked up in every bitmap, so give each as many keys as you expect in all ([`Schema::growing`]), and hand
/// over many keys a call. The times of 350,000 keys in µs a key, with Redis 7.0 on the same two busy cores of an AMD
/// EPYC:
///
/// | keys a bitmap | bitmaps | one key a call: insert, absent | many: insert | present | absent |
/// |---|---:|---:|---:|---:|---:|
/// | 400,000, `Schema::growing(400_000, 4, 0.01)` | 1 | 180, 34 | 5.8 | 4.1 | 2.9 |
/// | 100,000, `Schema::growing(100_000, 4, 0.01)` | 4 | 140, 95 | 7.5 | 5.6 | 4.9 |
/// | 40,000, `Schema::growing(40_000, 10, 0.01)` | 9 | 97, 74 | 8.9 | 6.8 | 7.3 |
/// | 10,000, `Schema::whole_words(10_000, 0.0005)`, as published | 35 | 240, 220 | 16 | 14 | 20 |
///
/// A call of one key, in a filter of all keys, includes a round trip, and an insert of a new key the count of the current
/// bitmap's bits, 0.1 ms in the first row. Each call is one `EVALSHA`, whose script reads a bitmap as a whole for a batch
/// if it has at most 32 bytes for each bit of the batch's keys.
#[derive(Debug, Clone, PartialEq)]
pub struct GrowingFilter(Chain);

impl GrowingFilter {
    /// Returns an operation on this filter.
    fn call<T, F>(&self, work: impl FnOnce(Line, Chain) -> F) -> Call<'static, T>
    where
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        Call::new(self.cursor_key(), |line| work(line, self.0.clone()))
    }

    /// The largest number of bitmaps. A query reads all of them, so a rebuilt filter of the right size is better long
    /// before this limit.
    pub const MAX_BITMAPS: u64 = chain::MAX_BITMAPS;

    /// Returns a filter with default options. Its keys begin with `{NAME}:`, which keeps them in one slot of a cluster.
    /// The schema describes one bitmap and is usually [`Schema::growing`], or [`Schema::whole_words`] as published.
    ///
    /// ```
    /// use bloom_redis::{GrowingFilter, Schema};
    ///
    /// let schema = Schema::whole_words(10_000, 0.0005)?;
    /// assert_eq!(GrowingFilter::new("urls", schema)?.cursor_key(), b"{urls}:cursor");
    /// assert_eq!(GrowingFilter::new("urls", schema)?.prefix("").cursor_key(), b"cursor");
    /// # Ok::<(), bloom_redis::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::Error::InvalidArgument) if the schema has more than 2^32 bits, the limit of a
    /// Redis string, or the name is empty or holds a `}`, which would end its hash tag.
    pub fn new(name: impl AsRef<[u8]>, schema: Schema) -> Result<Self, Error> {
        schema.check(REDIS_BITS)?;
        let name = name.as_ref();
        if name.is_empty() || name.contains(&b'}') {
            let range = "not empty and without a brace that closes a hash tag";
            return Err(Error::argument("the name", range, display(name)));
        }
        let prefix = [b"{", name, b"}:"].concat();
        Ok(Self(Chain::new(&prefix, schema, Options::default())))
    }

    /// Returns the same filter with keys that begin with another prefix, which may contain any bytes. The empty prefix
    /// gives the published names, which allow one filter per database.
    #[must_use]
    pub fn prefix(self, prefix: impl Into<Vec<u8>>) -> Self {
        Self(Chain::new(&prefix.into(), self.0.schema, self.0.options))
    }

    /// Returns the same filter with other options. This design has no time to live.
    #[must_use]
    pub fn options(self, options: Options) -> Self {
        Self(Chain { options, ..self.0 })
    }

    /// Returns the size of a bitmap.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.0.schema
    }

    /// Returns the key of a bitmap.
    #[must_use]
    pub fn key(&self, number: u64) -> Vec<u8> {
        self.0.key(number)
    }

    /// Returns the key of the cursor.
    #[must_use]
    pub fn cursor_key(&self) -> &[u8] {
        &self.0.cursor
    }

    /// Creates the filter, unless there is one; returns whether it was created. It writes the first bitmap at its full
    /// length, as the published program does when it starts, then the cursor and the parameter record. A filter that
    /// lacks any of its keys counts as missing, and if others are left, this call fails with
    /// [`Missing`](crate::Error::Missing): [`clear`](Self::clear) it then.
    pub fn create(&self) -> Call<'static, bool> {
        self.call(|line, chain| async move { chain.create(&line).await })
    }

    /// Writes the cursor and the parameter record of a filter that a published program made, or an insert with
    /// [`Missing::Published`](crate::Missing::Published). They mark it as complete: all operations count a filter
    /// without them as missing. The published program goes on with it as before.
    ///
    /// Never call this for a filter that [`create`](Self::create) made. After a loss it would declare what is left to
    /// be the whole.
    ///
    /// The call fails with [`Missing`](crate::Error::Missing) when a bitmap up to the cursor is missing, or when
    /// there is one after it.
    pub fn write_marks(&self) -> Call<'static, ()> {
        self.call(|line, chain| async move { chain.write_marks(&line).await })
    }

    /// Queries one key, in one round trip.
    pub fn contains(&self, key: impl AsRef<[u8]>) -> Call<'static, Answer> {
        self.contains_many([key]).one()
    }

    /// Queries many keys, in one round trip for each [`bits_per_trip`](Options::bits_per_trip) bits. The answers
    /// are in the order of the keys.
    pub fn contains_many(&self, keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Call<'static, Vec<Answer>> {
        let hashes = hashes(keys);
        self.call(|line, chain| async move { chain.contains(&line, &hashes).await })
    }

    /// Inserts a key, in one round trip; returns whether it was new.
    pub fn insert(&self, key: impl AsRef<[u8]>) -> Call<'static, bool> {
        self.insert_many([key]).one()
    }

    /// Inserts keys, in one round trip for each [`bits_per_trip`](Options::bits_per_trip) bits. Returns whether
    /// each was new. The filter grows at the same keys as with single inserts.
    ///
    /// The server counts the current bitmap once in each trip, so a batch costs a tenth of the time of its keys alone or
    /// less: with nine bitmaps of 40,000 keys 9 µs a key, and 97 µs alone.
    pub fn insert_many(&self, keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Call<'static, Vec<bool>> {
        let hashes = hashes(keys);
        self.call(|line, chain| async move { chain.insert(&line, &hashes).await })
    }

    /// Empties the filter, whatever is left of it: deletes all bitmaps, and writes what [`create`](Self::create)
    /// writes.
    pub fn clear(&self) -> Call<'static, ()> {
        self.call(|line, chain| async move { chain.clear(&line).await })
    }

    /// Returns the state of the filter. The server counts the bits of all bitmaps.
    pub fn stats(&self) -> Call<'static, Stats> {
        self.call(|line, chain| async move { chain.stats(&line).await })
    }
}
