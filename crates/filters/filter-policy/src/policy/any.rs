//! Stored formats of any type, behind one pointer.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;
#[cfg(all(test, feature = "alloc"))]
use alloc::vec::Vec;
use core::fmt;

use super::Format;
#[cfg(feature = "alloc")]
use super::{FilterPolicy, Policy};
use crate::bits_per_key::BitsPerKey;
use crate::error::Error;
use crate::view::{FilterKind, FilterView};
#[cfg(all(test, feature = "alloc"))]
use crate::{KeyBatch, kernels::KernelToken};

/// A boxed policy of any type.
#[cfg(feature = "alloc")]
pub type AnyPolicy = Box<dyn FilterPolicy + Send + Sync>;

/// Facts about a format that do not depend on a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The name of the format in reports, such as `FastLocalBloom`, for every hash function. Engines store filters
    /// under the names of policies.
    pub(crate) kind: &'static str,
    /// The short names that configuration files and command lines accept. Messages show the first.
    pub(crate) short_names: &'static [&'static str],
    /// The name of the arrangement of the bytes. Only RocksDB's formats share one, whose last bytes identify the
    /// format.
    pub(crate) layout: &'static str,
    /// True if the format's reader rejects nearly all bytes that are no filter of it.
    pub(crate) is_distinct: bool,
    /// The bytes of memory for each key that building needs in addition to the hash values and the filter.
    pub(crate) building_bytes_per_key: u64,
}

impl Facts {
    /// Makes the facts of a format that shares its arrangement of bytes with no other.
    pub(crate) const fn new(kind: &'static str, short_names: &'static [&'static str]) -> Self {
        Self {
            kind,
            short_names,
            layout: kind,
            is_distinct: false,
            building_bytes_per_key: 0,
        }
    }
}

/// The size of a filter of some keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FilterSize {
    /// The exact length in bytes, except that the first key's hash may make a Ribbon filter 16 bytes shorter.
    pub(crate) bytes: u64,
    /// The probe count k; `None` for Ribbon and binary fuse filters, which do not probe.
    pub(crate) probes: Option<u32>,
}

/// What lists, tools and sizes need of a format in addition to what stored bytes mean: the part of [`AnyFormat`] that each
/// format of this crate writes, for the bits per key that it has.
pub(crate) trait ListedFormat: Format + Copy + Send + Sync + 'static {
    /// Returns the same format with this many bits per key.
    #[must_use]
    fn with_bits_per_key(self, bits_per_key: BitsPerKey) -> Self;

    /// Returns the facts that reports and lists of policies show.
    fn facts(&self) -> Facts;

    /// Returns the size of a filter of this many distinct keys. (RocksDB's formats and binary fuse filters do not count
    /// repeated keys.)
    ///
    /// The bytes must never decrease as bits per key increase, even where the probe count changes, because sizes are
    /// found by binary search.
    fn size(&self, keys: u64) -> Result<FilterSize, Error>;

    /// Returns the false-positive rate of a filter of this many keys, not counting absent keys that have the hash value
    /// of a stored key.
    ///
    /// From 44 bits per key on, more bits must never raise the rate; below, it may rise where the probe count changes.
    fn rate(&self, keys: u64) -> Result<f64, Error>;

    /// Returns about this rate, of which searches compute several, if the rate is an estimate that takes long. By default
    /// it is not.
    fn rough_rate(&self, _keys: u64) -> Result<Option<f64>, Error> {
        Ok(None)
    }

    /// Returns a number that the rate is not below, of which searches compute many: 0 by default.
    fn rate_floor(&self, _keys: u64) -> Result<f64, Error> {
        Ok(0.0)
    }

    /// Returns the number of bits that the hash values of this many keys can reach: a larger filter has no lower rate.
    /// Returns `None` if bits per key are limited to 1 to 100, as in RocksDB's formats.
    fn reach(keys: u64) -> Option<u64>;

    /// Returns a description of any bytes: a filter's kind, size and fill, or the reason why they are no filter.
    fn view<'a>(&self, filter: &'a [u8]) -> FilterView<'a>;

    /// Writes the rule that bytes with this last byte break if they are no filter of the format.
    fn write_damage(last: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// A format of this crate, of any type: its names, sizes and rates, as tools use them. [`formats`](crate::formats) lists
/// them.
///
/// It is no policy. Filters may be stored under a name that is derived from the format's name, and the format's own
/// policy would deny their keys: `policies::reader` returns the policy that reads the filters stored under a name.
///
/// Only formats of this crate implement it. A [`Format`] of your own is a policy, but in no list.
pub trait AnyFormat: AnyListed + Send + Sync {
    /// Returns the name under which engines store the filters of the policy with this format.
    fn name(&self) -> &str;

    /// Makes the format's policy with this many bits per key. Query only filters that are stored under the format's
    /// [`name`](Self::name): it would deny the keys of others.
    #[cfg(feature = "alloc")]
    fn policy(&self, bits_per_key: BitsPerKey) -> AnyPolicy;
}

/// A [`ListedFormat`] of any type, with bits per key as arguments. It seals [`AnyFormat`].
pub(crate) trait AnyListed {
    /// Returns the width of the hash values in bits: 32 or 64.
    fn hash_bits(&self) -> u32;

    fn facts(&self) -> Facts;

    fn size(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<FilterSize, Error>;

    fn rate(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error>;

    fn rough_rate(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<Option<f64>, Error>;

    fn rate_floor(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error>;

    fn reach(&self, keys: u64) -> Option<u64>;

    fn view<'a>(&self, filter: &'a [u8]) -> FilterView<'a>;

    fn write_damage(&self, last: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Makes the format's policy on a kernel, or on arrays in its place.
    #[cfg(all(test, feature = "alloc"))]
    fn pinned(&self, bits_per_key: BitsPerKey, kernels: KernelToken) -> Box<dyn Pinned>;
}

impl<F: ListedFormat> AnyFormat for F {
    fn name(&self) -> &str {
        Format::name(self)
    }

    #[cfg(feature = "alloc")]
    fn policy(&self, bits_per_key: BitsPerKey) -> AnyPolicy {
        Box::new(Policy::of(self.with_bits_per_key(bits_per_key)))
    }
}

impl<F: ListedFormat> AnyListed for F {
    fn hash_bits(&self) -> u32 {
        self.hash_function().bits()
    }

    fn facts(&self) -> Facts {
        ListedFormat::facts(self)
    }

    fn size(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<FilterSize, Error> {
        ListedFormat::size(&self.with_bits_per_key(bits_per_key), keys)
    }

    fn rate(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error> {
        ListedFormat::rate(&self.with_bits_per_key(bits_per_key), keys)
    }

    fn rough_rate(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<Option<f64>, Error> {
        ListedFormat::rough_rate(&self.with_bits_per_key(bits_per_key), keys)
    }

    fn rate_floor(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error> {
        ListedFormat::rate_floor(&self.with_bits_per_key(bits_per_key), keys)
    }

    fn reach(&self, keys: u64) -> Option<u64> {
        F::reach(keys)
    }

    fn view<'a>(&self, filter: &'a [u8]) -> FilterView<'a> {
        ListedFormat::view(self, filter)
    }

    fn write_damage(&self, last: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        F::write_damage(last, f)
    }

    #[cfg(all(test, feature = "alloc"))]
    fn pinned(&self, bits_per_key: BitsPerKey, kernels: KernelToken) -> Box<dyn Pinned> {
        let format = self.with_bits_per_key(bits_per_key);
        Box::new(Policy { format, kernels })
    }
}

/// A policy on a kernel, with the ways to build that `dyn FilterPolicy` lacks, for tests.
#[cfg(all(test, feature = "alloc"))]
pub(crate) trait Pinned: FilterPolicy {
    fn build_in(&self, keys: KeyBatch<'_>, out: &mut [u8]) -> Result<usize, Error>;

    fn build(&self, keys: &mut dyn Iterator<Item = &[u8]>) -> Result<Vec<u8>, Error>;
}

#[cfg(all(test, feature = "alloc"))]
impl<F: Format> Pinned for Policy<F, KernelToken> {
    fn build_in(&self, keys: KeyBatch<'_>, out: &mut [u8]) -> Result<usize, Error> {
        Ok(Policy::build_in(self, keys, out)?.len())
    }

    fn build(&self, keys: &mut dyn Iterator<Item = &[u8]>) -> Result<Vec<u8>, Error> {
        Policy::build(self, keys)
    }
}

impl fmt::Debug for dyn AnyFormat + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())
    }
}

impl dyn AnyFormat + '_ {
    /// Returns the name of the format in reports, such as `FastLocalBloom`, for every hash function. Engines store filters
    /// under the names of policies.
    pub fn kind(&self) -> &'static str {
        self.facts().kind
    }

    /// Returns the short names that configuration files and command lines accept. Messages show the first.
    pub fn short_names(&self) -> &'static [&'static str] {
        self.facts().short_names
    }

    /// Returns the bytes of memory for each key that building needs in addition to the hash values and the filter.
    pub fn building_bytes_per_key(&self) -> u64 {
        self.facts().building_bytes_per_key
    }

    /// Returns true if the readers of one format read the filters of the other.
    pub fn shares_layout(&self, other: &Self) -> bool {
        self.facts().layout == other.facts().layout
    }

    /// Returns true if the bytes are a filter of this format and of no other, because they end in a trailer that fits
    /// their length. False proves nothing.
    pub fn owns(&self, filter: &[u8]) -> bool {
        self.facts().is_distinct && matches!(self.view(filter).kind(), FilterKind::Filter(_))
    }

    /// Returns a description of the damage of bytes whose kind is [reserved](FilterKind::Reserved).
    ///
    /// ```
    /// let damage = filter_policy::formats::LEVEL_DB.damage(&[0, 31]).to_string();
    /// assert_eq!(damage, "probe count must be between 1 and 30, got 31");
    /// ```
    pub fn damage(&self, filter: &[u8]) -> impl fmt::Display {
        Damage(self, filter.last().copied().unwrap_or_default())
    }
}

/// Displays the damage of bytes that end in this one.
struct Damage<'a>(&'a dyn AnyFormat, u8);

impl fmt::Display for Damage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_damage(self.1, f)
    }
}
