//! The kinds of filters, for tools and services that learn from bytes or from a name which kind they have: every kind has
//! a line in [`ALL`].
//!
//! ```
//! use membership_filters::kinds::{self, Size};
//! use membership_filters::{Encoding, Hashing as _};
//!
//! let cuckoo = kinds::named("cuckoo").expect("a kind");
//! let hash = cuckoo.hash_id(Encoding::BYTES, 0)?;
//! let plan = cuckoo.plan(hash, 1_000, Size::Rate(0.01))?;
//! let mut filter = plan.make()?;
//! filter.insert_hashes(&mut [hash.hash_bytes(b"apple")].into_iter())?;
//! assert!(filter.contains(b"apple") && !filter.contains(b"banana"));
//!
//! let bytes = filter.to_bytes(cuckoo.form())?;
//! assert_eq!(bytes.len() as u64, plan.stored_len);
//! let found = kinds::ALL.iter().find_map(|kind| Some((kind, kind.recognise(&bytes, bytes.len() as u64)?)));
//! let (kind, found) = found.expect("it names its kind and its hash");
//! assert_eq!((kind.name(), found.hash), ("cuckoo", hash));
//! assert!(kind.open(hash, &bytes)?.contains(b"apple"));
//! # Ok::<(), membership_filters::Error>(())
//! ```

pub(crate) mod kind;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::Any;
use core::f64::consts::LN_2;
use core::fmt;

use filter_policy::sizing::{Textbook, largest, lowest_rate};

use crate::backend::{Backend, Blocked, Counting, Cuckoo, Exclusive, Rotating, StoredSize};
#[cfg(feature = "std")]
use crate::contents::Put;
use crate::envelope::{self, CHECKSUM_LEN, HEADER, HEADER_LEN};
use crate::error::{Error, Violation};
use crate::filter::Filter;
use crate::funnel::Bytes;
use crate::hash::{Encoding, Function, Hash128, HashId, Hashing as _, Xxph3};
use crate::kinds::kind::Kind;
use crate::stats::{Load, Stats};
use crate::{guava, redisbloom, spark};

/// Every kind, in the order in which tools list them.
pub const ALL: &[&dyn AnyKind] = &[
    &guava::STREAM,
    &guava::ENVELOPE,
    &Kind::<Blocked> {
        refuses_more: true,
        is_of: |function| function != Function::Xxph3,
        ..Kind::enveloped(&["blocked"])
    },
    &Kind::<Blocked> {
        refuses_more: true,
        function: Function::Xxph3,
        is_of: |function| function == Function::Xxph3,
        ..Kind::enveloped(&["blocked-xxph3"])
    },
    &Kind::<Counting>::enveloped(&["counting"]),
    &Kind::<Cuckoo>::enveloped(&["cuckoo"]),
    &Kind::<Rotating<Blocked>>::enveloped(&["rotating"]),
    &redisbloom::STREAM,
    &spark::STREAM_1,
    &spark::STREAM_2,
];

/// Returns the kind with this name.
pub fn named(name: &str) -> Option<&'static dyn AnyKind> {
    let mut kinds = ALL.iter().copied();
    kinds.find(|kind| kind.short_names().contains(&name))
}

/// The form in which a filter is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The filter is stored in the [envelope].
    Envelope,
    /// The filter is stored as the stream of another program, which the envelope would contain.
    Stream,
}

/// The size of a filter, from which a plan follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Size {
    /// The smallest filter whose expected false-positive rate is at most this. (The formulas of Guava, Spark and RedisBloom
    /// decide for theirs, and Guava's for counting filters. Small ones have a higher rate.)
    Rate(f64),
    /// The filter of the lowest rate that has at most this many bits for each key, headers apart. Filters that come in steps
    /// can fall below. If no filter is so small, it is the one with the rate of a Bloom filter of so many bits.
    BitsPerKey(f64),
    /// The filter of the lowest rate with at most this many bytes in all. Bytes beyond the largest filter of the kind are
    /// left, but refused for blocked filters, which end at 2 GiB.
    Bytes(u64),
    /// This many bits, rounded up to words, as for Spark's builder. Only for Spark's filters.
    Bits(u64),
}

/// A kind of filter, of any type.
pub trait AnyKind: Sync {
    /// Returns the names of the kind, at least one, the first of which stored files state.
    fn short_names(&self) -> &'static [&'static str];

    /// Returns the first name.
    fn name(&self) -> &'static str {
        self.short_names().first().copied().unwrap_or_default()
    }

    /// Returns the name of the type of the filters, as documented in this crate.
    fn alias(&self) -> &'static str;

    /// Returns the first eight bytes of the filters' [envelope].
    fn magic(&self) -> [u8; 8];

    /// Returns the form in which filters of the kind are stored. Enveloped streams are read, too, unless they are a kind of
    /// their own.
    fn form(&self) -> Form;

    /// Returns the hash of the keys of a stored filter of this length that begins with these bytes, if it is one of this
    /// kind. 32 bytes suffice.
    fn recognise(&self, head: &[u8], len: u64) -> Option<Found>;

    /// Returns the hash of keys in this encoding, under this seed if the kind has seeds. Kinds that have a hash of their own
    /// take the bytes of any encoding.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) for 32-bit integers in Spark's filters, which hash them as 64-bit ones.
    fn hash_id(&self, encoding: Encoding, seed: i32) -> Result<HashId, Error>;

    /// Returns true if the hash has a seed that can be chosen.
    fn has_seed(&self) -> bool;

    /// Returns the number of bits of a hash that differ: 64 if `h2` is always 0, otherwise 128.
    fn hash_bits(&self) -> u32;

    /// Returns true if commands of Redis load filters of this kind.
    fn has_commands(&self) -> bool;

    /// Returns true if keys can be removed from filters of this kind.
    fn can_remove(&self) -> bool;

    /// Returns true if the keys in filters of this kind age.
    fn can_rotate(&self) -> bool;

    /// Plans a filter of this size for so many keys, whose hash is one of [`hash_id`](Self::hash_id), or any other if the form is
    /// the envelope.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) and [`TooLarge`](Error::TooLarge) if the kind has no such filter.
    fn plan(&self, hash: HashId, capacity: u64, size: Size) -> Result<PlannedFilter, Error>;

    /// Reads a stored filter, whose keys have this hash; of kinds whose bytes state another seed or function, theirs.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if its keys have another encoding; [`Error`] otherwise names the fault in
    /// the bytes.
    fn open(&self, hash: HashId, bytes: &[u8]) -> Result<Box<dyn AnyFilter>, Error>;

    /// Returns the name of a form of this kind that begins with these bytes, for the texts of errors; `None` if there is none.
    /// A few bytes suffice. The length is that of all bytes, if it is known.
    fn describe(&self, head: &[u8], len: Option<u64>) -> Option<String>;
}

/// This tells what the first bytes of a stored filter say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The hash of its keys, as far as the bytes state it.
    pub hash: HashId,
    /// Is true if hardly any other bytes of this length begin so.
    pub is_certain: bool,
}

/// A filter that is planned, and not made yet.
pub struct PlannedFilter {
    /// The length of the stored filter in bytes.
    pub stored_len: u64,
    /// The probe count k, if there are probes.
    pub probe_count: Option<u32>,
    rate: Box<dyn Fn(u64) -> f64 + Send + Sync>,
    make: Box<dyn Fn() -> Result<Box<dyn AnyFilter>, Error> + Send + Sync>,
}

impl PlannedFilter {
    /// Returns the false-positive rate with this many different keys. Takes longer than planning.
    pub fn rate(&self, keys: u64) -> f64 {
        (self.rate)(keys)
    }

    /// Makes the filter, without keys.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`](Error::OutOfMemory).
    pub fn make(&self) -> Result<Box<dyn AnyFilter>, Error> {
        (self.make)()
    }
}

impl fmt::Debug for PlannedFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("PlannedFilter");
        fields
            .field("stored_len", &self.stored_len)
            .finish_non_exhaustive()
    }
}

/// A filter of any kind. Keys are given as bytes in the encoding of its hash.
pub trait AnyFilter: Any + fmt::Debug + Send + Sync {
    /// Returns the hash of the keys.
    fn hash_id(&self) -> HashId;

    /// Sets the hash of a filter without keys. Returns false, and changes nothing, if there are keys.
    fn set_hash_id(&mut self, hash: HashId) -> bool;

    /// Inserts a key. True means that it was certainly absent.
    ///
    /// # Errors
    ///
    /// [`Full`](Error::Full) and [`TooManyCopies`](Error::TooManyCopies), which leave the filter unchanged.
    fn insert(&mut self, key: &[u8]) -> Result<bool, Error>;

    /// Inserts keys in order, faster than one by one. Fails as [`insert_hashes`](Self::insert_hashes).
    fn insert_many(&mut self, keys: &[&[u8]]) -> Result<(), Error>;

    /// Inserts keys by their hashes, those of [`hash_id`](Self::hash_id): nothing checks this, and the filter denies keys
    /// whose hash is another. Large filters are filled faster from iterators that announce their length, as
    /// [`Filter::insert_many`] describes.
    ///
    /// # Errors
    ///
    /// [`Full`](Error::Full) and [`TooManyCopies`](Error::TooManyCopies): the keys before the one that is refused are inserted.
    fn insert_hashes(&mut self, hashes: &mut dyn Iterator<Item = Hash128>) -> Result<(), Error>;

    /// Returns whether the key might be in the filter.
    fn contains(&self, key: &[u8]) -> bool;

    /// Returns for each key whether it might be in the filter, in order.
    fn contains_many(&self, keys: &[&[u8]]) -> Vec<bool>;

    /// Adds the keys of another filter.
    ///
    /// # Errors
    ///
    /// [`Incompatible`](Error::Incompatible) names the first difference, or says why filters of the kind are not merged.
    fn merge(&mut self, other: &dyn AnyFilter) -> Result<(), Error>;

    /// Removes one copy of a key if it looks present. Returns whether it did. Remove only keys that were inserted, since
    /// others are missing otherwise.
    ///
    /// # Errors
    ///
    /// [`Incompatible`](Error::Incompatible) if no key can be removed from filters of the kind.
    fn remove(&mut self, key: &[u8]) -> Result<bool, Error>;

    /// Removes the oldest keys: those that were inserted before the last rotations, as many as the filter has generations.
    ///
    /// # Errors
    ///
    /// [`Incompatible`](Error::Incompatible) if keys in filters of the kind do not age.
    fn rotate(&mut self) -> Result<(), Error>;

    /// Removes all keys.
    fn clear(&mut self);

    /// Returns the number of bits.
    fn bits(&self) -> u64;

    /// Returns the state.
    fn stats(&self) -> Stats;

    /// Estimates how full the filter is, in microseconds whatever its size; `None` for kinds that grow, or refuse keys when
    /// they are full.
    fn load(&self) -> Option<Load>;

    /// Returns the highest false-positive rate with this many different keys, in microseconds. The probes of a key are taken
    /// to be independent. 0 for kinds without a [`load`](Self::load).
    fn rate_at(&self, keys: u64) -> f64;

    /// Returns the stored form.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) for a stream, if no other program reads filters of this kind and hash.
    fn to_bytes(&self, form: Form) -> Result<Vec<u8>, Error>;

    /// Writes the stored form in pieces.
    ///
    /// # Errors
    ///
    /// The error of [`to_bytes`](Self::to_bytes) as invalid input, and those of the writer.
    #[cfg(feature = "std")]
    fn write_to(&self, form: Form, writer: &mut dyn std::io::Write) -> std::io::Result<()>;

    /// Returns the commands that load the filter into Redis under a key, each as its arguments; `None` if there are none.
    fn commands<'a>(&'a self, key: &[u8]) -> Option<Box<dyn Iterator<Item = Vec<Vec<u8>>> + 'a>>;

    /// Returns a copy.
    fn copy(&self) -> Box<dyn AnyFilter>;
}

impl<B> AnyFilter for Filter<B, HashId>
where
    B: Exclusive + Clone + fmt::Debug + Send + Sync + 'static,
{
    fn hash_id(&self) -> HashId {
        self.funnel
    }

    fn set_hash_id(&mut self, hash: HashId) -> bool {
        let is_empty = self.backend.ones() == 0;
        if is_empty {
            self.funnel = hash;
        }
        is_empty
    }

    fn insert(&mut self, key: &[u8]) -> Result<bool, Error> {
        let hash = self.funnel.hash_bytes(key);
        B::new_result(self.backend.insert(hash.into()))
    }

    fn insert_many(&mut self, keys: &[&[u8]]) -> Result<(), Error> {
        self.put_bytes(keys)
    }

    fn insert_hashes(&mut self, hashes: &mut dyn Iterator<Item = Hash128>) -> Result<(), Error> {
        self.backend.insert_all(hashes.map(Into::into))
    }

    fn contains(&self, key: &[u8]) -> bool {
        self.backend.contains(self.funnel.hash_bytes(key).into())
    }

    fn contains_many(&self, keys: &[&[u8]]) -> Vec<bool> {
        self.contains_many_bytes(keys.iter().copied())
    }

    fn merge(&mut self, other: &dyn AnyFilter) -> Result<(), Error> {
        let (what, allowed) = ("filters that are merged", "of one kind");
        let other: &dyn Any = other;
        let other = other.downcast_ref::<Self>();
        let other = other.ok_or_else(|| Error::Incompatible(Violation::new(what, allowed, "two")))?;
        self.add_compatible(other)
    }

    fn remove(&mut self, key: &[u8]) -> Result<bool, Error> {
        let remove = B::REMOVE.ok_or_else(|| unable::<B>("keys are removed", |kind| kind.can_remove()))?;
        Ok(remove(&mut self.backend, self.funnel.hash_bytes(key).into()))
    }

    fn rotate(&mut self) -> Result<(), Error> {
        let rotate = B::ROTATE.ok_or_else(|| unable::<B>("generations rotate", |kind| kind.can_rotate()))?;
        rotate(&mut self.backend);
        Ok(())
    }

    fn clear(&mut self) {
        self.backend.clear();
    }

    fn bits(&self) -> u64 {
        self.backend.bits()
    }

    fn stats(&self) -> Stats {
        self.backend.stats()
    }

    fn load(&self) -> Option<Load> {
        self.backend.load()
    }

    fn rate_at(&self, keys: u64) -> f64 {
        self.backend.rate_at(keys)
    }

    fn to_bytes(&self, form: Form) -> Result<Vec<u8>, Error> {
        check_form::<B>(self.funnel, form)?;
        Ok(match form {
            Form::Envelope => envelope::to_bytes(self),
            Form::Stream => envelope::to_bare(&self.backend),
        })
    }

    #[cfg(feature = "std")]
    fn write_to(&self, form: Form, writer: &mut dyn std::io::Write) -> std::io::Result<()> {
        let invalid = |error| std::io::Error::new(std::io::ErrorKind::InvalidInput, error);
        check_form::<B>(self.funnel, form).map_err(invalid)?;
        let put: &mut Put<'_, _> = &mut |bytes: &[u8]| writer.write_all(bytes);
        match form {
            Form::Envelope => envelope::write(self, put),
            Form::Stream => envelope::write_bare(&self.backend, put),
        }
    }

    fn commands<'a>(&'a self, key: &[u8]) -> Option<Box<dyn Iterator<Item = Vec<Vec<u8>>> + 'a>> {
        B::COMMANDS.map(|commands| commands(&self.backend, key))
    }

    fn copy(&self) -> Box<dyn AnyFilter> {
        Box::new(self.clone())
    }
}

/// Makes the error for filters of a backend that lacks what only these kinds can do.
fn unable<B: Backend>(what: &str, can: fn(&dyn AnyKind) -> bool) -> Error {
    let able: Vec<_> = ALL
        .iter()
        .filter(|kind| can(**kind))
        .map(|kind| kind.name())
        .collect();
    let what = format!("a filter whose {what}");
    Error::Incompatible(Violation::new(what, able.join(" or "), B::NAME))
}

/// Checks that a filter with this hash can have this form: another program hashes keys by its own function.
fn check_form<B: Backend>(hash: HashId, form: Form) -> Result<(), Error> {
    let is_theirs = B::HASH.is_some() || is_guavas(hash);
    if form == Form::Envelope || B::IS_STREAM && is_theirs {
        return Ok(());
    }
    let allowed = "the envelope, for this kind of filter and this hash";
    Err(Error::argument("the stored form", allowed, "a stream"))
}

/// Returns true if this is Guava's hash of any keys.
fn is_guavas(hash: HashId) -> bool {
    hash.with_encoding(Encoding::BYTES) == Bytes.hash_id()
}

/// A rate times this is the next that [`lowest_rate`] tries, and a little lower.
const LOWER: f64 = 1.0 - 2e-6;

/// The share of a rate that another one must be below to be worth another size.
const NOTICEABLE: f64 = 0.999;

/// Returns the error for a filter that is too large with the size that was given, not the rate that was tried.
fn of_given(error: Error, given: impl fmt::Display) -> Error {
    match error {
        Error::TooLarge(limit) => Error::TooLarge(Violation::new(limit.what, limit.allowed, given)),
        other => other,
    }
}

/// Returns the error of the next larger filter if it is beyond the kind's limit, and the filter has far fewer bytes than
/// wanted.
fn check_limit(bytes: u64, wanted: f64, larger: Result<(StoredSize, u64), Error>) -> Result<(), Error> {
    match larger {
        Err(error @ Error::TooLarge(_)) if (bytes as f64) < 0.99 * wanted => Err(error),
        _ => Ok(()),
    }
}

impl<B: Backend> Kind<B> {
    fn parameters(&self, capacity: u64, size: Size, seed: i32) -> Result<B::Parameters, Error> {
        let of = |parameters| (self.of)(parameters, seed);
        let by_bits = |bits| Ok::<_, Error>(B::sized_by_bits(capacity, bits)?.map(of));
        let by_rate = |rate| B::sized(capacity, rate).map(of);
        let size_at = |rate| by_rate(rate).and_then(|parameters| self.stored(&parameters));
        match size {
            Size::Rate(rate) => by_rate(rate),
            Size::Bits(bits) => by_bits(bits)?.ok_or_else(|| {
                let allowed = "a rate, bytes or bits per key: give bits per key";
                Error::argument("the size", allowed, "bits")
            }),
            Size::BitsPerKey(bits_per_key) => {
                let bits = bits_per_key * capacity as f64;
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "a cast stops at the limits, where no filter is"
                )]
                let whole = libm::ceil(bits) as u64;
                if let Some(parameters) = by_bits(whole)? {
                    return Ok(parameters);
                }
                let best = Textbook::BEST.rate_at(bits_per_key);
                let best = best.map_err(|_| Error::argument("the bits per key", "above 0", bits_per_key))?;
                let wanted = bits / 8.0;
                let fits = |rate| size_at(rate).is_ok_and(|(size, _)| size.memory_bytes as f64 <= wanted);
                let rate = lowest_rate(fits).unwrap_or(best);
                let found = by_rate(rate).and_then(|parameters| {
                    let bytes = self.stored(&parameters)?.0.memory_bytes;
                    check_limit(bytes, wanted, size_at(rate * LOWER)).map(|()| parameters)
                });
                let given = format_args!("{capacity} keys at {bits_per_key} bits per key");
                found.map_err(|error| of_given(error, given))
            }
            Size::Bytes(bytes) => {
                let given = format_args!("{capacity} keys in {bytes} bytes");
                let (size, least) = size_at(0.5).map_err(|error| of_given(error, given))?;
                let around = least - size.memory_bytes;
                let refused = |least: u64| {
                    let allowed = format_args!("at least {least} bytes for this many keys");
                    Error::argument("memory", allowed, bytes)
                };
                let at = |log2: f64| {
                    #[expect(clippy::cast_possible_truncation, reason = "a cast stops at the limits")]
                    let bits = (log2 * capacity as f64 / LN_2) as u64;
                    by_bits(bits.max(1))?.map_or_else(|| by_rate(libm::exp2(-log2)), Ok)
                };
                if by_bits(1)?.is_some() {
                    let words = bytes.saturating_sub(around) / 8;
                    let bits = |words: u64| words.saturating_mul(64);
                    let fitting = largest(0, words, |words| by_bits(bits(words).max(1)).is_ok());
                    let words = fitting
                        .filter(|&words| words > 0)
                        .ok_or_else(|| refused(around + 8))?;
                    let whole = by_bits(bits(words))?.map_or_else(|| by_rate(0.5), Ok)?;
                    return Self::best(capacity, whole, bits(words) as f64 * LN_2 / capacity as f64, at);
                }
                let fits = |rate| size_at(rate).is_ok_and(|(_, len)| len <= bytes);
                let rate = lowest_rate(fits).ok_or_else(|| refused(least))?;
                let whole = by_rate(rate)?;
                if self.refuses_more {
                    let limit = check_limit(self.stored(&whole)?.1, bytes as f64, size_at(rate * LOWER));
                    limit.map_err(|error| of_given(error, given))?;
                }
                Self::best(capacity, whole, -libm::log2(rate), at)
            }
        }
    }

    /// Returns the parameters with the lowest rate, of the largest filter and of smaller ones. Filters can be too large:
    /// more probes fill them where positions reach no more bits, and where few keys have probes that are not
    /// independent. The binary logarithm is that by which the size of the largest lowers rates; `at` takes others.
    fn best(
        capacity: u64,
        largest: B::Parameters,
        log2: f64,
        at: impl Fn(f64) -> Result<B::Parameters, Error>,
    ) -> Result<B::Parameters, Error> {
        let StoredSize {
            memory_bytes,
            probe_count,
            ..
        } = B::size(&largest)?;
        if probe_count == B::size(&at(1.0)?)?.probe_count {
            return Ok(largest);
        }
        let ideal = Textbook::BEST.rate_at(8.0 * memory_bytes as f64 / capacity as f64);
        let mut best = (B::rate(&largest, capacity), largest);
        if best.0 <= 1.01 * ideal.unwrap_or(0.0) {
            return Ok(best.1);
        }
        // Probe counts change at halves of the logarithm. A rate is at most twice that of the best Bloom filter.
        #[expect(clippy::cast_possible_truncation, reason = "a cast stops at the limits")]
        let halves = |log2: f64| (2.0 * log2) as i64;
        let (mut low, mut high) = ((halves(-libm::log2(best.0)) - 2).max(2), halves(log2));
        while low <= high {
            let middle = low.midpoint(high);
            let at = |halves: i64| {
                let parameters = at(halves as f64 / 2.0 - 1e-4)?;
                Ok::<_, Error>((B::rate(&parameters, capacity), parameters))
            };
            let (smaller, larger) = (at(middle - 1)?, at(middle)?);
            let is_smaller = smaller.0 <= larger.0;
            (low, high) = match is_smaller {
                true => (low, middle - 1),
                false => (middle + 1, high),
            };
            let found = if is_smaller { smaller } else { larger };
            if found.0 < NOTICEABLE * best.0 {
                best = found;
            }
        }
        Ok(best.1)
    }

    /// Returns the size of a filter, and the length of its stored form.
    fn stored(&self, parameters: &B::Parameters) -> Result<(StoredSize, u64), Error> {
        let size = B::size(parameters)?;
        let around = match self.stream {
            Some(_) => 0,
            None => HEADER_LEN + CHECKSUM_LEN,
        };
        Ok((size, size.contents_len + around))
    }

    /// Returns true if these bytes are an envelope that is read.
    fn is_envelope(&self, bytes: &[u8]) -> bool {
        self.reads_envelope && bytes.starts_with(&B::MAGIC)
    }

    /// Returns the hash of the keys under this seed, or in this encoding.
    fn hash_of(&self, encoding: Encoding, seed: i32) -> HashId {
        match (B::HASH, self.function) {
            (Some(own), _) => own.with_seed(seed),
            // The fast hash takes an integer for its eight bytes.
            (None, Function::Xxph3) if encoding == Encoding::INT64 => Xxph3.hash_id(),
            (None, function) => HashId::new(function, encoding),
        }
    }

    /// Returns the hash that an envelope states, unless the kind has its own.
    fn hash_in(&self, envelope: &[u8], seed: i32) -> Result<HashId, Error> {
        match B::HASH {
            Some(_) => Ok(self.hash_of(Encoding::BYTES, seed)),
            None => envelope::hash_id(envelope),
        }
    }
}

impl<B> AnyKind for Kind<B>
where
    B: Exclusive + Clone + fmt::Debug + Send + Sync + 'static,
{
    fn short_names(&self) -> &'static [&'static str] {
        self.names
    }

    fn alias(&self) -> &'static str {
        B::NAME
    }

    fn magic(&self) -> [u8; 8] {
        B::MAGIC
    }

    fn form(&self) -> Form {
        match self.stream {
            Some(_) => Form::Stream,
            None => Form::Envelope,
        }
    }

    fn recognise(&self, head: &[u8], len: u64) -> Option<Found> {
        let is_envelope = self.is_envelope(head);
        let contents = match is_envelope {
            true => head.get(HEADER..).unwrap_or_default(),
            false => head,
        };
        let (seed, is_whole) = match &self.stream {
            Some(stream) => (stream.recognise)(contents, len, is_envelope)?,
            None if is_envelope => (0, true),
            None => return None,
        };
        let hash = match is_envelope {
            // Opening names the fault of another one.
            true => self
                .hash_in(head, seed)
                .unwrap_or(self.hash_of(Encoding::BYTES, seed)),
            false => self.hash_of(Encoding::BYTES, seed),
        };
        if is_envelope && !(self.is_of)(hash.function()) {
            return None;
        }
        let is_certain = is_envelope || is_whole;
        Some(Found { hash, is_certain })
    }

    fn hash_id(&self, encoding: Encoding, seed: i32) -> Result<HashId, Error> {
        if self.widens_integers && encoding == Encoding::INT32 {
            let given = "int: numbers of 32 bits are hashed as those of 64";
            return Err(Error::argument("keys", "of the type long", given));
        }
        Ok(self.hash_of(encoding, if self.has_seed { seed } else { 0 }))
    }

    fn has_seed(&self) -> bool {
        self.has_seed
    }

    fn hash_bits(&self) -> u32 {
        if self.widens_integers { 64 } else { 128 }
    }

    fn has_commands(&self) -> bool {
        B::COMMANDS.is_some()
    }

    fn can_remove(&self) -> bool {
        B::REMOVE.is_some()
    }

    fn can_rotate(&self) -> bool {
        B::ROTATE.is_some()
    }

    fn plan(&self, hash: HashId, capacity: u64, size: Size) -> Result<PlannedFilter, Error> {
        let is_own = match B::HASH {
            Some(own) => own.with_seed(if self.has_seed { hash.seed() } else { 0 }) == hash,
            None => self.stream.is_none() || is_guavas(hash),
        };
        if !is_own {
            let allowed = "that which the kind returns for an encoding and a seed";
            return Err(Error::argument("the hash of the keys", allowed, hash));
        }
        let parameters = self.parameters(capacity, size, hash.seed())?;
        let (size, stored_len) = self.stored(&parameters)?;
        let sized = parameters.clone();
        Ok(PlannedFilter {
            stored_len,
            probe_count: size.probe_count,
            rate: Box::new(move |keys| B::rate(&sized, keys)),
            make: Box::new(move || Ok(Box::new(Filter::<B, _>::of(B::new(&parameters)?, hash)))),
        })
    }

    fn open(&self, hash: HashId, bytes: &[u8]) -> Result<Box<dyn AnyFilter>, Error> {
        let is_envelope = self.is_envelope(bytes) || self.stream.is_none();
        let backend = if is_envelope {
            let stored = match bytes.starts_with(&B::MAGIC) {
                true => self.hash_in(bytes, 0)?,
                // Reading names the fault.
                false => hash,
            };
            let (encoding, wanted) = (stored.encoding(), hash.encoding());
            // The fast hash takes an integer for its eight bytes.
            let is_number = stored == Xxph3.hash_id() && wanted == Encoding::INT64;
            if B::HASH.is_none() && encoding != wanted && !is_number {
                return Err(Error::argument("the filter's keys", wanted, encoding));
            }
            let filter: Filter<B, HashId> = envelope::from_bytes(bytes, stored, describe)?;
            filter.backend
        } else {
            envelope::from_bare(bytes, describe)?
        };
        if self.stream.is_none() {
            // Also where another kind with the same backend has the function that the envelope states.
            let hash = self.hash_in(bytes, 0)?;
            return Ok(Box::new(Filter::of(backend, hash)));
        }
        let Some(found) = self.recognise(bytes, bytes.len() as u64) else {
            let mut kinds = ALL.iter();
            let other = kinds.find(|kind| kind.recognise(bytes, bytes.len() as u64).is_some());
            let (given, what) = (
                other.map_or("another", |kind| kind.name()),
                "the kind of the filter",
            );
            return Err(Error::WrongFormat(Violation::new(what, self.name(), given)));
        };
        let hash = match is_envelope {
            true => found.hash,
            false => self.hash_of(hash.encoding(), backend.seed().unwrap_or_default()),
        };
        Ok(Box::new(Filter::of(backend, hash)))
    }

    fn describe(&self, head: &[u8], len: Option<u64>) -> Option<String> {
        if self.reads_envelope && B::MAGIC.starts_with(head) {
            return Some(format!("the stored form of `{}`", B::NAME));
        }
        let stream = self.stream.as_ref()?;
        (stream.may_begin)(head, len).then(|| stream.text.into())
    }
}

/// The first bytes of a file of `filter-sets`.
const FILE_OF_SETS: &[u8] = b"filter/1";

/// Returns what bytes of this length that begin like these seem to be, if they tell it.
pub(crate) fn describe(head: &[u8], len: Option<u64>) -> Option<String> {
    if FILE_OF_SETS.starts_with(head) {
        return Some(
            "a file of the crate `filter-sets`, which `filter_sets::StoredFilter::open` reads".into(),
        );
    }
    ALL.iter().find_map(|kind| kind.describe(head, len))
}
