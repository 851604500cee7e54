//! A stored format: its properties and operations.

use std::any::Any;
use std::fmt;
use std::io::{self, Write};

use filter_policy::MATCHES_EVERYTHING;
use membership_filters::Encoding;
pub use membership_filters::kinds::Size;
use serde::Serialize;

use crate::bytes::FilterData;
use crate::error::Error;

/// The result of a format's operation. A caller that knows the file makes another variant of it.
pub(crate) type Result<T, E = Error> = core::result::Result<T, E>;

/// Lists, builds, recognises, sizes, queries and merges the filters of a stored format, of which
/// [`formats`](crate::formats::formats) returns all.
pub(crate) trait FormatOperations: Sync {
    /// The name that headers and manifests state: a policy's is the one under which engines store its filters.
    fn name(&self) -> &'static str;

    /// Returns the short names of the format, which users may type. Messages show the first.
    fn short_names(&self) -> &'static [&'static str];

    /// Returns the format of a filter of this length with these first bytes, if it is this one. 32 bytes suffice.
    /// Only formats that are [known by bytes](Self::is_known_by_bytes) recognise filters.
    fn recognise(&'static self, _head: &[u8], _len: u64) -> Option<StoredFormat> {
        None
    }

    /// Returns true if the bytes of filters identify the format, so that reading refuses others.
    fn is_known_by_bytes(&self) -> bool {
        true
    }

    /// Returns true if filters take keys at any time.
    fn takes_keys(&self) -> bool;

    /// Returns true if the bytes of filters state the encoding of their keys.
    fn states_encoding(&self) -> bool {
        false
    }

    /// Returns true if the hash of the format has a seed that can be chosen.
    fn has_seed(&self) -> bool {
        false
    }

    /// Returns true if commands of Redis load the format.
    fn has_commands(&self) -> bool {
        false
    }

    /// Returns true if no filter of another format has these bytes.
    fn owns(&'static self, bytes: &[u8]) -> bool {
        self.recognise(bytes, bytes.len() as u64).is_some()
    }

    /// Returns an error for bytes without a header that are no filter of the format. Other formats read their own
    /// headers.
    fn check_bare(&self, _bytes: &[u8]) -> Result<()> {
        Ok(())
    }

    /// Returns the function that hashes keys for filters of the format.
    fn hasher(&self, format: &StoredFormat) -> Result<Hasher>;

    /// Plans a filter of this many different keys and of the size for `capacity` keys if that is given.
    fn plan(&self, format: &StoredFormat, keys: u64, capacity: Option<u64>, size: Size) -> Result<Plan>;

    /// Calculates the filter that [`plan`](Self::plan) plans. Its rate takes longer than all the rest.
    fn sizing(&self, format: &StoredFormat, keys: u64, capacity: Option<u64>, size: Size) -> Result<Sizing>;

    /// Opens a stored filter.
    fn open(&'static self, format: &StoredFormat, bytes: FilterData) -> Result<AnyOpened>;
}

/// A filter whose size is known and which is ready to be made.
pub(crate) struct Plan {
    /// The most memory in bytes that building uses, hash values included.
    pub(crate) memory: u64,
    /// The most memory in bytes that [`Filling::fill`] uses besides the hash values.
    pub(crate) memory_at_once: u64,
    pub(crate) make: Box<dyn Fn() -> Result<AnyFilling> + Send>,
    /// Returns the expected rate where it follows from the plan, not from the bits. It takes longer than all the rest.
    pub(crate) rate: Option<Rate>,
}

/// Computes a rate.
pub(crate) type Rate = Box<dyn Fn() -> Result<f64> + Send + Sync>;

const BUILT_AT_ONCE: &str = "takes and loses no keys: filters of engines are built from all keys at once";

pub(crate) const NO_BITS: &str = "give bits per key, not bits";

/// The size of a filter that is not built yet.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sizing {
    /// The length of the stored filter in bytes, exact except that a Ribbon filter may be 16 bytes shorter.
    pub bytes: u64,
    /// The bits per key with which a policy writes it; none for the formats that are no policies.
    pub bits_per_key: Option<f64>,
    /// The fewest bits per key that give a larger filter, if this one has far fewer bits than requested: less than nine
    /// tenths of them, and more than one and a half times the rate of a Bloom filter of the requested bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_bits_per_key: Option<f64>,
    /// The probe count k, if there are probes.
    pub probe_count: Option<u32>,
    /// The expected false-positive rate. Small filters of Guava, Spark and RedisBloom, and small counting filters, have a
    /// higher one than they are sized for, because the probes of a key are not independent.
    pub rate: f64,
}

/// States how full a filter is: its bits, its counters if it counts, or its slots if it is a cuckoo filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Fill {
    /// The number of bits, counters or slots.
    pub bits: u64,
    /// The number of them that are set, not 0 or taken.
    pub ones: u64,
    /// The probe count k; none without probes, and of a chain whose links differ in it.
    pub probe_count: Option<u32>,
    /// The number of different keys that the ones suggest; none if all bits are set.
    pub estimated_len: Option<u64>,
    /// Is true if k was chosen for a number of keys, so that it may not fit the keys that are there.
    #[serde(skip)]
    pub has_chosen_probes: bool,
}

/// A function that makes hash values of keys.
pub(crate) struct Hasher {
    /// Set if 64 bits identify a key: its hash value, or one of 32 bits with 32 bits of another.
    pub(crate) is_narrow: bool,
    /// Returns none for a key that has no hash value.
    pub(crate) hash: Box<Hash>,
}

pub(crate) type AnyFilling = Box<dyn Filling>;

pub(crate) type AnyOpened = Box<dyn Opened>;

type Hash = dyn Fn(&[u8]) -> Option<u128> + Send + Sync;

/// The number of hash values in a batch.
pub(crate) const BATCH: usize = 4096;

/// A callback that gets a number of keys, and returns an error if the user wishes a stop.
pub(crate) type GoOn<'a> = &'a dyn Fn(u64) -> Result<()>;

/// Values that identify keys, one for each key, of 64 bits or of 128.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Hashes<'a> {
    Narrow(&'a [u64]),
    Wide(&'a [u128]),
}

impl<'a> Hashes<'a> {
    pub(crate) const fn len(self) -> usize {
        match self {
            Self::Narrow(hashes) => hashes.len(),
            Self::Wide(hashes) => hashes.len(),
        }
    }

    /// Divides them into batches of at most this length.
    pub(crate) fn batches(self, most: usize) -> impl Iterator<Item = Self> {
        let (narrow, wide): (&'a [u64], &'a [u128]) = match self {
            Self::Narrow(hashes) => (hashes, &[]),
            Self::Wide(hashes) => (&[], hashes),
        };
        let wide = wide.chunks(most).map(Self::Wide);
        narrow.chunks(most).map(Self::Narrow).chain(wide)
    }
}

/// A filter that is being built from hash values.
pub(crate) trait Filling {
    fn add(&mut self, hashes: Hashes<'_>) -> Result<()>;

    /// Builds the filter of all its hash values with at most so many bytes of further memory. `go_on` gets the number of
    /// those that come next.
    fn fill(&mut self, all: Hashes<'_>, memory: u64, go_on: GoOn<'_>) -> Result<()>;

    /// Builds the filter of the hash values that were added.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    /// Writes the stored form.
    fn write(&self, writer: &mut dyn Write) -> io::Result<()>;

    /// Writes the commands that load the filter into Redis under this key, if its format has them.
    fn write_commands(&self, _key: &[u8], _writer: &mut dyn Write) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns the expected false-positive rate, which follows from the bits.
    fn rate(&self) -> f64;

    /// Returns the finished filter for queries, without a copy of its bits.
    fn into_opened(self: Box<Self>, format: &StoredFormat) -> Result<AnyOpened>;
}

/// A stored filter, opened for queries and for merging with others of its format.
pub(crate) trait Opened: Any + Send + Sync {
    fn contains(&self, key: &[u8]) -> bool;

    fn contains_many(&self, keys: &[&[u8]]) -> Vec<bool>;

    /// Returns the expected rate, which follows from the filter's bits or its parameters.
    fn rate(&self) -> f64;

    /// Returns the fill of a filter, if its format shows it.
    fn fill(&self) -> Option<Fill> {
        None
    }

    /// Returns the number of bits.
    fn bits(&self) -> u64;

    /// Inserts a key. True means that it was certainly absent.
    fn insert(&mut self, _key: &[u8]) -> Result<bool> {
        Err(Error::argument(BUILT_AT_ONCE))
    }

    /// Inserts keys in order, until one is refused.
    fn insert_many(&mut self, _keys: &[&[u8]]) -> Result<()> {
        Err(Error::argument(BUILT_AT_ONCE))
    }

    /// Removes one copy of a key if it looks present.
    fn remove(&mut self, _key: &[u8]) -> Result<bool> {
        Err(Error::argument(BUILT_AT_ONCE))
    }

    /// Removes the oldest keys.
    fn rotate(&mut self) -> Result<()> {
        Err(Error::argument(BUILT_AT_ONCE))
    }

    /// Removes all keys.
    fn clear(&mut self) -> Result<()> {
        Err(Error::argument(BUILT_AT_ONCE))
    }

    /// Takes the encoding of keys of a format. Returns false if there are keys.
    fn set_encoding(&mut self, _format: &StoredFormat) -> Result<bool> {
        Ok(false)
    }

    /// Adds the keys of a filter of this type.
    fn merge(&mut self, other: &dyn Opened) -> Result<()>;

    fn write(&self, writer: &mut dyn Write) -> io::Result<()>;

    fn cloned(&self) -> AnyOpened;
}

/// Returns another filter as one of this type, to merge them.
pub(crate) fn like<F: Opened>(other: &dyn Opened) -> Result<&F> {
    let other: &dyn Any = other;
    let like = other.downcast_ref();
    like.ok_or_else(|| Error::argument("filters that are merged must have one format"))
}

/// A stored format of this project.
#[derive(Clone)]
pub struct StoredFormat {
    pub(crate) operations: &'static dyn FormatOperations,
    pub(crate) name: String,
    pub(crate) encoding: Encoding,
    pub(crate) seed: i32,
}

impl PartialEq for StoredFormat {
    fn eq(&self, other: &Self) -> bool {
        let all = |of: &Self| (of.encoding, of.seed);
        self.name == other.name && all(self) == all(other)
    }
}

impl Eq for StoredFormat {}

impl fmt::Debug for StoredFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredFormat({}, {}, {})", self.name, self.encoding, self.seed)
    }
}

/// The name, and the seed of the hash if it is not the usual one.
impl fmt::Display for StoredFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seed {
            0 => f.write_str(&self.name),
            seed => write!(f, "{}, seed {seed}", self.name),
        }
    }
}

impl StoredFormat {
    /// Returns a stored format under its own name.
    pub(crate) fn of(operations: &'static dyn FormatOperations) -> Self {
        Self::derived(operations, operations.name())
    }

    /// Returns a stored format under a name that is derived from its own.
    pub(crate) fn derived(operations: &'static dyn FormatOperations, name: &str) -> Self {
        let (name, encoding) = (name.to_owned(), Encoding::BYTES);
        Self {
            operations,
            name,
            encoding,
            seed: 0,
        }
    }

    /// Returns the name: of a policy, as engines store it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the short names of the format, at least one, which users may type. A format whose name is derived from
    /// another's has the short names of the other.
    pub fn short_names(&self) -> &'static [&'static str] {
        self.operations.short_names()
    }

    /// Sets the encoding of keys, which is [`Encoding::BYTES`] otherwise. Filters in an envelope have it in their
    /// headers: they are written with it, and only read if it is the same. [`SetKey`](crate::SetKey) lists the forms in
    /// which keys of each encoding are given.
    #[must_use]
    pub fn encoding(self, encoding: Encoding) -> Self {
        Self { encoding, ..self }
    }

    /// Returns true if the bytes of a filter identify the format.
    pub fn is_known_by_bytes(&self) -> bool {
        self.operations.is_known_by_bytes()
    }

    /// Returns true if a filter of the format [takes keys](crate::StoredFilter::insert) at any time. Others, those of
    /// engines, are built from all keys at once.
    pub fn takes_keys(&self) -> bool {
        self.operations.takes_keys()
    }

    /// Returns true if commands of Redis load a filter of the format.
    pub fn has_commands(&self) -> bool {
        self.operations.has_commands()
    }

    /// Returns the encoding of keys.
    pub const fn key_encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the bytes of a filter for a file without a header. Readers refuse what some policies write for no keys,
    /// because it could be a file that was cut.
    pub(crate) fn bare(&self, stored: Vec<u8>) -> Vec<u8> {
        match self.operations.check_bare(&stored) {
            Ok(()) => stored,
            Err(_) => MATCHES_EVERYTHING.to_vec(),
        }
    }

    pub(crate) fn wrong(&self, reason: Error) -> Error {
        let text = format!("{}: {reason}", self.name);
        match reason {
            Error::OutOfMemory { .. } => Error::out_of_memory(text),
            _ => Error::argument(text),
        }
    }

    pub(crate) fn plan(&self, keys: u64, capacity: Option<u64>, size: Size) -> Result<Plan, Error> {
        self.operations
            .plan(self, keys, capacity, size)
            .map_err(|reason| self.wrong(reason))
    }

    /// Calculates the filter of this many different keys, without building it.
    ///
    /// ```
    /// use filter_sets::{StoredFormat, Size};
    ///
    /// let sizing = StoredFormat::named("leveldb")?.sizing(45_402, Size::BitsPerKey(15.0))?;
    /// assert_eq!((sizing.bytes, sizing.probe_count), (85_130, Some(10)));
    /// let sizing = StoredFormat::named("cuckoo")?.sizing(1_000_000, Size::Rate(0.001))?;
    /// assert_eq!(sizing.bytes, 1_710_624);
    /// assert!(sizing.rate < 0.001);
    /// # Ok::<(), filter_sets::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::Error::InvalidArgument) if no filter of the format has the size.
    pub fn sizing(&self, keys: u64, size: Size) -> Result<Sizing, Error> {
        self.operations.sizing(self, keys, None, size)
    }

    /// Returns the smallest capacity with which a filter of so many keys has at most this rate, up to some capacities
    /// that would suffice by chance; `None` if that is the number of keys, or if the format has no capacity.
    ///
    /// ```
    /// use filter_sets::{StoredFormat, Size};
    ///
    /// let guava = StoredFormat::named("guava")?;
    /// assert!(guava.sizing(4, Size::Rate(0.01))?.rate > 0.012);
    /// assert_eq!(guava.capacity_for_rate(4, 0.01), Some(7));
    /// # Ok::<(), filter_sets::Error>(())
    /// ```
    pub fn capacity_for_rate(&self, keys: u64, rate: f64) -> Option<u64> {
        let reaches = |capacity| {
            let sizing = self
                .operations
                .sizing(self, keys, Some(capacity), Size::Rate(rate));
            Some(sizing.ok()?.rate <= rate)
        };
        // By doubling, and then halving the distance.
        let (mut low, mut high) = (keys.max(1), keys.max(1));
        while !reaches(high)? {
            low = high + 1;
            high = high.checked_mul(2)?;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if reaches(middle)? {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        (high > keys).then_some(high)
    }
}
