//! Sets of shards, built as files by `filter-sets` and kept in the strings of one server or of a cluster.

use core::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::answer::Answer;
use crate::call::{Call, Line};
use crate::error::{Error, display};
use crate::options::Options;
use crate::plan::bits::ATTEMPTS;
use crate::plan::shards::current::Current;
use crate::plan::shards::load;
use crate::plan::shards::record::record_key;

pub use crate::plan::shards::load::{Loaded, Loading};
pub use crate::plan::shards::record::SetGeneration;

/// A set of keys in shards, loaded from a folder of [`filter_sets`], each shard a string of the server: for billions of
/// keys that change as a whole. Needs the feature `sets`.
///
/// The small key `bf-set:NAME` names the current generation; `SETS.md` describes it and the shards' keys, which a
/// cluster spreads over its slots. Every query reads that name along with the bits, so that its answers are those of
/// the generation that is current meanwhile, whichever client loaded it. Clones share what they know of it.
///
/// ```no_run
/// use std::path::Path;
///
/// use bloom_redis::{Answer, Loading, ShardedSet, redis};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let client = redis::Client::open("redis://127.0.0.1/")?;
/// let mut connection = client.get_connection()?;
/// let users = ShardedSet::new("users");
/// users.load(Path::new("users.set"), Loading::default()).query(&mut connection)?;
/// let answers = users.contains_many(["ann", "eve"]).query(&mut connection)?;
/// assert_eq!(answers[0], Answer::Maybe);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ShardedSet {
    current: Arc<Current>,
    options: Options,
}

impl ShardedSet {
    /// Returns the set of this name, with default options. Nothing is read yet.
    #[must_use]
    pub fn new(name: impl AsRef<[u8]>) -> Self {
        Self {
            current: Arc::new(Current::new(name.as_ref())),
            options: Options::default(),
        }
    }

    /// Returns the same set with other options: those about commands, failures and round trips apply. A set that is not
    /// there is always reported.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Returns the name of the small key.
    #[must_use]
    pub fn key(&self) -> Vec<u8> {
        record_key(self.current.name())
    }

    /// Loads the set of a folder, and makes it the current generation once every shard is there. Memory is bounded by a
    /// few MiB, whatever the size of the shards.
    ///
    /// A load that ends early leaves the old generation as it is; another one goes on with the shards that are not
    /// there yet. What is never finished expires after a day. Two loads at the same time do no harm: each loads its own
    /// generation, or both the same, and the last one to finish names its own.
    ///
    /// **The folder replaces the set.** Build it from all keys: those of the old generation that are not in it are then
    /// [`Answer::Absent`].
    ///
    /// The call fails with [`InvalidArgument`](crate::Error::InvalidArgument) when there is no set in the folder, a
    /// shard is larger than a string of Redis, or the format cannot be queried a few bytes at a time (Ribbon, and the
    /// filters of `membership-filters`); with [`Mismatch`](crate::Error::Mismatch) when the current set has keys of
    /// another kind, because clients that query in the old form would get wrong denials; with
    /// [`Malformed`](crate::Error::Malformed) when the folder is damaged, or a key of the set holds something else; and
    /// with [`Missing`](crate::Error::Missing) when a shard is lost while it is loaded.
    pub fn load<'a>(&self, folder: impl AsRef<Path>, loading: Loading<'a>) -> Call<'a, Loaded> {
        let (current, folder) = (self.current.clone(), folder.as_ref().to_path_buf());
        Call::new(&self.key(), move |line| async move {
            let loaded = load::load(&line, current.name(), &folder, loading).await?;
            current.renew(&line).await?;
            Ok(loaded)
        })
    }

    /// Queries one key, in one round trip once the generation is known. Over a blocking connection to a cluster, a
    /// second one reads the small key where another node has it.
    pub fn contains(&self, key: impl AsRef<[u8]>) -> Call<'static, Answer> {
        self.contains_many([key]).one()
    }

    /// Queries many keys: one round trip to each node of a cluster for each
    /// [`bits_per_trip`](crate::Options::bits_per_trip) bits over a blocking connection, one for each shard over an
    /// asynchronous one. The bytes of a key are those that the set was built with: eight, the lowest first, of a set
    /// whose manifest says `long`, where a key of another length is [`Answer::Maybe`]. The answers are in the order of
    /// the keys. A key of a shard that is not there, although the small key still names it, is [`Answer::Missing`].
    pub fn contains_many(&self, keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Call<'static, Vec<Answer>> {
        let keys: Vec<Vec<u8>> = keys.into_iter().map(|key| key.as_ref().to_vec()).collect();
        let this = self.clone();
        Call::new(
            &self.key(),
            |line| async move { this.answers(&line, &keys).await },
        )
    }

    /// Reads the small key, and queries the generation that it names from then on. Returns it; `None` if there is no
    /// set.
    ///
    /// Queries do so by themselves. Call this to learn which generation is the current one, or before the first query.
    pub fn refresh(&self) -> Call<'static, Option<Arc<SetGeneration>>> {
        let current = self.current.clone();
        Call::new(&self.key(), move |line| async move {
            let opened = current.renew(&line).await?;
            Ok(opened.map(|opened| opened.generation.clone()))
        })
    }

    async fn answers(&self, line: &Line, keys: &[Vec<u8>]) -> Result<Vec<Answer>, Error> {
        let mut answers = Vec::with_capacity(keys.len());
        while answers.len() < keys.len() {
            answers.extend(self.answers_settled(line, &keys[answers.len()..]).await?);
        }
        Ok(answers)
    }

    /// Queries the first keys, as many as fit into a round trip. Begins again if another generation is the current one.
    async fn answers_settled(&self, line: &Line, keys: &[Vec<u8>]) -> Result<Vec<Answer>, Error> {
        let mut opened = self.current.get(line).await?;
        for _ in 0..ATTEMPTS {
            let Some(set) = opened else {
                // There is no set.
                return Ok(vec![Answer::Missing; keys.len()]);
            };
            let record = record_key(self.current.name());
            let (generation, answers) = set.answers(line, &record, keys, self.options).await?;
            if generation == set.generation.id().as_bytes() {
                return Ok(answers);
            }
            opened = self.current.renew(line).await?;
        }
        // There is a set, but it was replaced again and again.
        Ok(vec![Answer::Maybe; keys.len()])
    }
}

/// Shows the name and the options.
impl fmt::Debug for ShardedSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardedSet")
            .field("key", &display(&self.key()))
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
