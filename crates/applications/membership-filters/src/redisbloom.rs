//! RedisBloom's Bloom filter, which grows: the chain behind `BF.RESERVE`, `BF.ADD` and `BF.EXISTS`, byte for byte.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;

use crate::backend::{Backend, Counted, Exclusive, StoredSize, ToCommands};
use crate::contents::{Reader, Writer};
use crate::error::Error;
use crate::filter::Filter;
use crate::funnel::{Funnel, hashing};
use crate::hash::{Encoding, Function, Hash128, HashFunction, HashId, Hashing};
use crate::kinds::kind::{Kind, Stream};
use crate::stats::Stats;
use crate::steps::Rule;

mod chain;
mod chunks;
mod keys;
mod layer;
mod parameters;

use layer::Layer;

pub use chain::Chain;
pub use keys::{companion_key, hash_tag};
pub use parameters::{Link, Parameters};

/// The funnel of RedisBloom's filters: the bytes of a key as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RedisBytes;

hashing!(RedisBytes, RedisBytes, BYTES);

impl HashFunction for RedisBytes {
    const FUNCTION: Function = Function::RedisBloom;
}

#[diagnostic::do_not_recommend]
impl<T: AsRef<[u8]> + ?Sized> Funnel<T> for RedisBytes {
    #[inline]
    fn with_bytes<R>(&self, key: &T, then: impl FnOnce(&[u8]) -> R) -> R {
        then(key.as_ref())
    }
}

/// The filter of Redis 8 and of the module RedisBloom: a chain of Bloom filters for any number of keys, which a server loads.
///
/// Take it where nobody knows how many keys there will be, or where Redis holds the filter.
///
/// The filter starts with one link, and opens another, larger and of half its rate, when the last one has as many keys as it
/// is for. A key is contained if any link contains it. *No false negatives*: an inserted key is contained. A chain that does
/// not scale has one link and refuses further keys instead.
///
/// Equal calls in equal order give the chain of a server, bit for bit. [`chunks`](Filter::chunks) are what `BF.SCANDUMP` returns
/// and `BF.LOADCHUNK` takes; loading them takes a thousandth of the time of inserting the keys there.
///
/// A query may read every link, so many small links make it slow. Start with the capacity that you expect.
///
/// ```
/// use membership_filters::redisbloom::BloomFilter;
///
/// // BF.RESERVE seen 0.01 1000
/// let mut seen = BloomFilter::with_capacity(1_000, 0.01)?;
/// for id in 0..5_000 {
///     seen.insert(format!("user-{id}").as_bytes())?; // BF.ADD
/// }
/// assert!(seen.contains(b"user-7")); // BF.EXISTS
/// assert_eq!(seen.info().links, 3); // BF.INFO
///
/// // BF.LOADCHUNK seen ITERATOR BYTES
/// let chunks: Vec<(i64, Vec<u8>)> = seen.chunks().collect();
/// assert_eq!((chunks.len(), chunks[0].0), (4, 1));
/// // What BF.SCANDUMP returned.
/// let read = BloomFilter::from_chunks(chunks.iter().map(|(iterator, bytes)| (*iterator, &bytes[..])))?;
/// assert_eq!(read, seen);
/// # Ok::<(), membership_filters::Error>(())
/// ```
pub type BloomFilter = Filter<Chain, RedisBytes>;

/// What `BF.INFO` says of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// The number of keys that all links are for.
    pub capacity: u64,
    /// The bytes that the filter takes on a server of 64 bits.
    pub size: u64,
    /// The number of links.
    pub links: u64,
    /// The number of insertions that changed bits.
    pub len: u64,
    /// The factor between the capacities of links; `None` if the chain does not scale.
    pub expansion: Option<u32>,
}

impl BloomFilter {
    /// Creates an empty filter of one link.
    ///
    /// # Errors
    ///
    /// The errors of [`Parameters::first_link`], and [`Error::OutOfMemory`].
    pub fn new(parameters: &Parameters) -> Result<Self, Error> {
        Chain::new(parameters).map(|chain| Self::of(chain, RedisBytes))
    }

    /// Creates an empty filter whose first link is for this many keys, at this false-positive rate: [`new`](Self::new) with
    /// [`Parameters::new`].
    pub fn with_capacity(capacity: u64, rate: f64) -> Result<Self, Error> {
        Self::new(&Parameters::new(capacity, rate))
    }

    /// Returns the links, from the first on.
    pub fn links(&self) -> impl Iterator<Item = Link> {
        self.backend.layers().map(|layer| layer.shape)
    }

    /// Returns what `BF.INFO` says of the filter.
    pub fn info(&self) -> Info {
        let chain = &self.backend;
        Info {
            capacity: chain.sum(|layer| layer.shape.capacity),
            // The server counts 32 bytes for the chain, and 64 for each link.
            size: chain.sum(|layer| 64 + layer.shape.bits / 8) + 32,
            links: chain.sum(|_| 1),
            len: self.len(),
            expansion: chain.is_scaling.then_some(chain.expansion),
        }
    }

    /// Returns the chunks of the filter, as repeated calls of `BF.SCANDUMP` do: the iterator to pass to `BF.LOADCHUNK` with the
    /// bytes. The first is a header, and the others have at most 16 MiB.
    pub fn chunks(&self) -> impl Iterator<Item = (i64, Vec<u8>)> {
        self.backend.chunks()
    }

    /// Returns the commands that load the filter under a key, each as its arguments: scripts, of which the server runs each in one
    /// step. The chunks go to another key, which takes the place of this one in the last step, if the server has taken every chunk;
    /// otherwise that step fails, and the server keeps the filter that is there. The other key is named after the bytes of the filter, so
    /// that loads of two filters at once do not meet. Its chunks wait ten minutes for the next.
    ///
    /// The server needs memory for both filters until then. The longest step is that of a chunk, 16 MiB.
    pub fn commands(&self, key: &[u8]) -> impl Iterator<Item = Vec<Vec<u8>>> {
        self.backend.commands(key)
    }
}

/// All chunks, one after the other.
pub(crate) const STREAM: Kind<Chain> = Kind {
    stream: Some(Stream {
        text: "RedisBloom's chunks, which `redisbloom::BloomFilter::from_redisbloom` reads",
        may_begin: |head, len| len.is_some_and(|len| chunks::begins(head, len)),
        recognise: |head, len, is_envelope| (is_envelope || chunks::begins(head, len)).then_some((0, true)),
    }),
    ..Kind::enveloped(&["redisbloom"])
};

impl Backend for Chain {
    const NAME: &'static str = "redisbloom::BloomFilter";

    const MAGIC: [u8; 8] = *b"MFredisb";

    const HASH: Option<HashId> = Some(HashId::new(Function::RedisBloom, Encoding::BYTES));

    const IS_STREAM: bool = true;

    const MERGE: Result<fn(&mut Self, &Self), &'static str> =
        Err("RedisBloom's filters, which count their keys");

    const COMMANDS: Option<ToCommands<Self>> = Some(|chain, key| Box::new(chain.commands(key)));

    type Hash = Hash128;

    type Funnel = RedisBytes;

    type Parameters = Parameters;

    fn sized(capacity: u64, rate: f64) -> Result<Parameters, Error> {
        Ok(Parameters::new(capacity, rate))
    }

    /// That of the first link.
    fn size(parameters: &Parameters) -> Result<StoredSize, Error> {
        let link = parameters.first_link()?;
        Ok(StoredSize {
            contents_len: chunks::chunks_len(1, link.bits),
            memory_bytes: link.bits / 8,
            probe_count: Some(link.probe_count),
        })
    }

    fn rate(parameters: &Parameters, keys: u64) -> f64 {
        parameters.first_link().map_or(1.0, |link| link.rate_at(keys))
    }

    fn new(parameters: &Parameters) -> Result<Self, Error> {
        Ok(Self {
            expansion: parameters.expansion,
            is_scaling: parameters.is_scaling,
            is_rounded: false,
            full: Vec::new(),
            last: Layer::new(parameters.first_link()?)?,
        })
    }

    #[inline]
    fn contains(&self, hash: Hash128) -> bool {
        // Most keys are in the newest links, which are the largest.
        self.last.contains(hash) || self.full.iter().rev().any(|link| link.contains(hash))
    }

    fn contains_batch(&self, hashes: &[Hash128], answers: &mut Vec<bool>) {
        let (first, mut found) = (answers.len(), Vec::with_capacity(hashes.len()));
        answers.resize(first + hashes.len(), false);
        for layer in self.layers() {
            found.clear();
            layer.bloom.find_batch(Rule::RedisBloom, hashes, &mut found);
            for (answer, found) in answers.iter_mut().skip(first).zip(&found) {
                *answer |= found;
            }
        }
    }

    fn bits(&self) -> u64 {
        self.sum(|layer| layer.shape.bits)
    }

    fn stats(&self) -> Stats {
        let (mut taken, mut none) = (0, 0.0);
        for link in self.layers().map(|layer| &layer.bloom) {
            let ones = link.bits.ones();
            taken += ones;
            none += libm::log1p(-link.rate_of(Rule::RedisBloom, ones));
        }
        Stats {
            len: Some(self.count()),
            is_estimate: false,
            places: self.bits(),
            taken,
            memory_bytes: self.bits() / 8,
            probe_count: self.full.is_empty().then_some(self.last.shape.probe_count),
            is_probe_count_chosen: false,
            // Otherwise an empty filter has a negative zero.
            expected_rate: -libm::expm1(none) + 0.0,
        }
    }

    fn contents_len(&self) -> u64 {
        chunks::chunks_len(self.sum(|_| 1), self.bits())
    }

    fn write<E>(&self, writer: &mut Writer<'_, E>) -> Result<(), E> {
        self.chunks().try_for_each(|(_, bytes)| writer.bytes(&bytes))
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        Self::read_chunks(reader)
    }
}

impl Exclusive for Chain {
    type New = Result<bool, Error>;

    type Done = Result<(), Error>;

    fn insert(&mut self, hash: Hash128) -> Result<bool, Error> {
        if self.full.iter().rev().any(|link| link.contains(hash)) {
            return Ok(false);
        }
        if self.last.len == self.last.shape.capacity {
            if self.last.contains(hash) {
                return Ok(false);
            }
            // If it cannot be opened, nothing has changed.
            let next = self.next_link()?;
            Error::reserve(&mut self.full, 1)?;
            self.full.push(mem::replace(&mut self.last, next));
        }
        Ok(self.last.insert(hash))
    }

    fn insert_batch(&mut self, hashes: &[Hash128]) -> Result<(), Error> {
        let Layer { bloom, shape, len } = &mut self.last;
        if self.full.is_empty() && hashes.len() as u64 <= shape.capacity - *len {
            *len += bloom.put_batch(Rule::RedisBloom, hashes);
            return Ok(());
        }
        hashes.iter().try_for_each(|&hash| self.insert(hash).map(drop))
    }

    #[inline]
    fn new_result(new: Result<bool, Error>) -> Result<bool, Error> {
        new
    }

    fn done(result: Result<(), Error>) -> Result<(), Error> {
        result
    }

    fn clear(&mut self) {
        self.full.truncate(1);
        if let Some(first) = self.full.pop() {
            self.last = first;
        }
        self.last.bloom.bits.clear();
        self.last.len = 0;
    }
}

impl Counted for Chain {
    fn count(&self) -> u64 {
        self.sum(|layer| layer.len)
    }
}
