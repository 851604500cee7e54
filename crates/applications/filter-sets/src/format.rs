//! A stored format and its properties.

use std::fmt;

use filter_policy::AnyFormat;
use membership_filters::Encoding;
use membership_filters::kinds::AnyKind;
pub use membership_filters::kinds::Size;
use serde::Serialize;

use crate::error::Error;

/// The result of a format's operation. A caller that knows the file makes another variant of it.
pub(crate) type Result<T, E = Error> = core::result::Result<T, E>;

/// Something of one of the two lists of formats, which differ in how filters are built and opened.
#[derive(Debug, Clone, Copy)]
pub(crate) enum World<P, K> {
    /// A format of storage engines, which `filter_policy::formats` lists. Its filters are built from all keys at once, and
    /// their bytes do not tell the format.
    Policy(P),
    /// A kind of applications' filters, which `membership_filters::kinds` lists. Its filters take keys at any time, and their
    /// bytes tell the kind.
    Kind(K),
}

/// A line of one of the lists.
pub(crate) type Listed = World<&'static dyn AnyFormat, &'static dyn AnyKind>;

impl Listed {
    /// Returns the name that headers and manifests state: a policy's is the one under which engines store its filters.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Policy(format) => format.name(),
            Self::Kind(kind) => kind.name(),
        }
    }

    /// Returns the short names of the format, which users may type. Messages show the first.
    pub(crate) fn short_names(self) -> &'static [&'static str] {
        match self {
            Self::Policy(format) => format.short_names(),
            Self::Kind(kind) => kind.short_names(),
        }
    }

    /// Returns the kind of an application's filter.
    pub(crate) const fn kind(self) -> Option<&'static dyn AnyKind> {
        match self {
            Self::Policy(_) => None,
            Self::Kind(kind) => Some(kind),
        }
    }

    /// Returns the format of a filter of this length with these first bytes, if it is this one. 32 bytes suffice.
    pub(crate) fn recognise(self, head: &[u8], len: u64) -> Option<StoredFormat> {
        let hash = self.kind()?.recognise(head, len)?.hash;
        let format = StoredFormat::of(self);
        Some(match hash.seed() {
            0 => format.encoding(hash.encoding()),
            seed => StoredFormat { seed, ..format },
        })
    }

    /// Returns true if the hash of the format has a seed that can be chosen.
    pub(crate) fn has_seed(self) -> bool {
        self.kind().is_some_and(|kind| kind.has_seed())
    }

    /// Returns true if commands of Redis load the format.
    pub(crate) fn has_commands(self) -> bool {
        self.kind().is_some_and(|kind| kind.has_commands())
    }

    /// Returns true if no filter of another format has these bytes.
    pub(crate) fn owns(self, bytes: &[u8]) -> bool {
        match self {
            Self::Policy(format) => format.owns(bytes),
            Self::Kind(kind) => {
                let found = kind.recognise(bytes, bytes.len() as u64);
                found.is_some_and(|found| found.is_certain)
            }
        }
    }
}

/// A filter whose size is known and which is ready to be made.
pub(crate) struct Plan<F> {
    /// The most memory in bytes that building uses, hash values included.
    pub(crate) memory: u64,
    /// The most memory in bytes that building from all hash values uses besides them.
    pub(crate) memory_at_once: u64,
    pub(crate) make: Box<dyn Fn() -> Result<F> + Send>,
    /// Returns the expected rate where it follows from the plan, not from the bits. It takes longer than all the rest.
    pub(crate) rate: Option<Rate>,
}

impl<F: 'static> Plan<F> {
    /// Makes the filter another type.
    pub(crate) fn map<G>(self, as_other: fn(F) -> G) -> Plan<G>
    where
        G: 'static,
    {
        let make = self.make;
        Plan {
            memory: self.memory,
            memory_at_once: self.memory_at_once,
            make: Box::new(move || make().map(as_other)),
            rate: self.rate,
        }
    }
}

/// Computes a rate.
pub(crate) type Rate = Box<dyn Fn() -> Result<f64> + Send + Sync>;

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

/// A stored format of this project.
#[derive(Clone)]
pub struct StoredFormat {
    pub(crate) listed: Listed,
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
    pub(crate) fn of(listed: Listed) -> Self {
        Self::derived(listed, listed.name())
    }

    /// Returns a stored format under a name that is derived from its own.
    pub(crate) fn derived(listed: Listed, name: &str) -> Self {
        let (name, encoding) = (name.to_owned(), Encoding::BYTES);
        Self {
            listed,
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
        self.listed.short_names()
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
        self.listed.kind().is_some()
    }

    /// Returns true if a filter of the format [takes keys](crate::StoredFilter::insert) at any time. Others, those of
    /// engines, are built from all keys at once.
    pub fn takes_keys(&self) -> bool {
        self.listed.kind().is_some()
    }

    /// Returns true if commands of Redis load a filter of the format.
    pub fn has_commands(&self) -> bool {
        self.listed.has_commands()
    }

    /// Returns the encoding of keys.
    pub const fn key_encoding(&self) -> Encoding {
        self.encoding
    }

    pub(crate) fn wrong(&self, reason: Error) -> Error {
        let text = format!("{}: {reason}", self.name);
        match reason {
            Error::OutOfMemory { .. } => Error::out_of_memory(text),
            _ => Error::argument(text),
        }
    }
}
