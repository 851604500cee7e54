//! Filters that the server keeps itself, for its `BF.*` commands.

use std::sync::Arc;

use membership_filters::RedisBloomFilter;

use crate::answer::Answer;
use crate::call::{Call, Line};
use crate::error::Error;
use crate::plan::loaded::Loaded;

/// A filter of Redis 8 and of the module RedisBloom: loaded whole, then queried and added to by `BF.*` commands.
///
/// A server answers `BF.EXISTS` with 0 for a key of a filter that was deleted, evicted or loaded by half, as if the key
/// had never been inserted. Here such an answer is [`Answer::Missing`]: [`load`](Self::load) puts the filter in place
/// in one step with a mark, and each query reads the mark before and after, queries eight keys of its own that `load`
/// put into the filter, and compares the number of its keys. Filters that other programs made have no mark, so all of
/// their answers are `Missing` until [`write_mark`](Self::write_mark). A program that loads a filter under this key by
/// itself deletes the mark first, the string `bloom-redis:loaded:{KEY}`, as the commands of `samebits build --commands`
/// do: a mark that is left would prove the same chain loaded again in part.
///
/// The server needs RedisBloom's filter: Redis 8, Redis Stack, or the module RedisBloom. Valkey's module and Dragonfly
/// have another filter behind `BF.*`.
///
/// ```no_run
/// use bloom_redis::{Answer, RedisBloom, redis};
/// use membership_filters::{RedisBloomFilter, RedisBloomParameters};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut users = RedisBloomFilter::new(&RedisBloomParameters::new(1_000_000, 0.01))?;
/// users.insert(b"ann")?;
///
/// let mut connection = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
/// let remote = RedisBloom::new("users");
/// remote.load(&users).query(&mut connection)?;
/// assert_eq!(remote.contains("ann").query(&mut connection)?, Answer::Maybe);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct RedisBloom(Arc<Loaded>);

impl RedisBloom {
    /// Returns the filter under this key, as `BF.*` commands take it.
    #[must_use]
    pub fn new(key: impl Into<Vec<u8>>) -> Self {
        Self(Arc::new(Loaded::new(key.into())))
    }

    /// Loads a filter in the place of the one under this key, if there is any. Until the last step queries see the old
    /// one.
    ///
    /// Eight further keys go into the filter, which prove it: a chain that scales and is full is proven by keys that it
    /// contains by chance, and one that does not scale needs the room. Without room the call fails with
    /// [`Full`](crate::Error::Full).
    ///
    /// A load that ends early leaves the old filter, and its own parts for ten minutes.
    pub fn load<'a>(&self, filter: &'a RedisBloomFilter) -> Call<'a, ()> {
        self.call(|line, of| async move { of.load(&line, filter).await })
    }

    /// Reads the whole filter, with or without a mark. The call fails with [`Missing`](crate::Error::Missing) if
    /// there is none, and with [`Unavailable`](crate::Error::Unavailable) if it changes meanwhile.
    pub fn dump(&self) -> Call<'static, RedisBloomFilter> {
        self.call(|line, of| async move { of.dump(&line).await })
    }

    /// Gives a filter that another program loaded or filled the mark and the eight keys that [`load`](Self::load)
    /// writes. Reads the whole filter. It cannot be checked that it has all keys, nor in each case that no other client
    /// replaces it during the call.
    ///
    /// The call fails like [`dump`](Self::dump), with [`Unavailable`](crate::Error::Unavailable) if the filter is seen to
    /// be another than the one read, and for a chain without room like [`load`](Self::load).
    pub fn write_mark(&self) -> Call<'static, ()> {
        self.call(|line, of| async move { of.write_mark(&line).await })
    }

    /// Queries one key, in one round trip.
    pub fn contains(&self, key: impl AsRef<[u8]>) -> Call<'static, Answer> {
        self.contains_many([key]).one()
    }

    /// Queries keys, in one round trip for each 16,384; the first query takes one more, and the first after another load
    /// two more. The answers are in the order of the keys.
    pub fn contains_many(&self, keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Call<'static, Vec<Answer>> {
        let keys = owned(keys);
        self.call(|line, of| async move { of.contains(&line, &keys).await })
    }

    /// Inserts a key: see [`insert_many`](Self::insert_many).
    pub fn insert(&self, key: impl AsRef<[u8]>) -> Call<'static, bool> {
        self.insert_many([key]).one()
    }

    /// Inserts keys, and returns for each whether it was certainly absent. A chain that scales opens larger links.
    ///
    /// The call fails with [`Missing`](crate::Error::Missing) if the loaded filter is not there: nothing begins a
    /// new one. If a chain that does not scale is full, the server reports an error.
    pub fn insert_many(&self, keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Call<'static, Vec<bool>> {
        let keys = owned(keys);
        self.call(|line, of| async move { of.insert(&line, &keys).await })
    }

    fn call<'a, T, F>(&self, work: impl FnOnce(Line, Arc<Loaded>) -> F) -> Call<'a, T>
    where
        F: Future<Output = Result<T, Error>> + Send + 'a,
    {
        let of = self.0.clone();
        Call::new(&self.0.key, |line| work(line, of))
    }
}

fn owned(keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Vec<Vec<u8>> {
    keys.into_iter().map(|key| key.as_ref().to_vec()).collect()
}
