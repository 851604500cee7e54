//! Filters over the order of keys: they answer for points, any prefix and any range.
//!
//! A [`RangePolicy`] helps scans that would find nothing: an engine asks it, with the scan's bounds, before it reads a
//! table or block. [`WHICH.md`](crate::which) tells when it pays, [`THEORY.md`](crate::theory) its rates and why no stored
//! key is denied, [`FORMAT.md`](crate::format_page) its bytes.

#[cfg(feature = "alloc")]
mod alphabet;
#[cfg(feature = "alloc")]
mod builder;
mod code;
mod filter;
mod layout;
#[cfg(feature = "alloc")]
mod plan;
#[cfg(feature = "alloc")]
mod trie;
#[cfg(feature = "alloc")]
mod write;

use core::ops::Bound;

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::bits_per_key::BitsPerKey;
use crate::error::Error;
use crate::filter_bytes::FilterBytes;
use crate::policy::FilterPolicy;
#[cfg(feature = "alloc")]
pub use builder::RangeFilterBuilder;
use filter::Filter;

/// A policy whose filters answer for points, prefixes and ranges of byte strings.
///
/// Ten bits per key answer a scan of a prefix that no key has like a Bloom filter answers a point, and a short range
/// between two keys in some per cent of the cases with "may match"; each bit more halves these rates. Keys that users make
/// of fields, such as `user:<id>:<ulid>`, are the best case, and words the worst; a range that begins directly after a
/// stored key always may match.
///
/// The order is that of bytes. Keys in any order give the same filter, and repeated keys count once.
///
/// ```
/// use core::ops::Bound;
/// use filter_policy::FilterPolicy;
/// use filter_policy::range::RangePolicy;
///
/// let policy = RangePolicy::new(16.into());
/// let filter = policy.build((0..1_000).map(|id| format!("user:{:04}:order", 7 * id)))?;
///
/// assert!(policy.key_may_match(b"user:0042:order", &filter));
/// assert!(policy.prefix_may_match(b"user:0042:", &filter));
/// let (lower, upper) = (Bound::Included(&b"user:0044:"[..]), Bound::Excluded(&b"user:0045:"[..]));
/// assert!(!policy.range_may_match(lower, upper, &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
///
/// Without the feature `alloc` the policy only reads: it then cannot build.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RangePolicy {
    bits_per_key: BitsPerKey,
}

/// The length in bytes that every filter may have: a header alone takes so many.
const LEAST_LEN: u64 = 16;

/// The most bytes of a filter: it has fewer than 2^32 bits.
const MOST_LEN: u64 = (1 << 29) - 1;

/// Returns the most bytes of a filter of so many keys.
fn size_in_bytes(keys: u64, bits_per_key: BitsPerKey) -> Result<usize, Error> {
    let len = bits_per_key.times(keys).div_ceil(8).max(LEAST_LEN.into());
    let fits = len <= MOST_LEN.into() && keys <= u32::MAX.into();
    let most = || bits_per_key.most_keys(8 * MOST_LEN).min(u32::MAX.into());
    let len = usize::try_from(len).ok().filter(|_| fits);
    len.ok_or_else(|| bits_per_key.too_large(keys, most()))
}

impl RangePolicy {
    /// The name under which engines store the filters: it stands for the encoding and its version.
    pub const NAME: &str = "RangeFilter.SplitTrie1";

    /// The short name.
    #[cfg(feature = "alloc")]
    pub(crate) const SHORT_NAME: &str = "range";

    /// Makes the policy. Filters have at most this many bits for each distinct key, or 16 bytes.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self { bits_per_key }
    }

    /// Builds the filter of keys in any order. [`RangeFilterBuilder`] takes sorted keys one by one and keeps less of them.
    ///
    /// # Errors
    ///
    /// Those of [`RangeFilterBuilder::insert`], but for the order.
    #[cfg(feature = "alloc")]
    pub fn build(&self, keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Result<Vec<u8>, Error> {
        let keys: Vec<_> = keys.into_iter().collect();
        let mut slices = Vec::new();
        crate::building::reserve(&mut slices, keys.len())?;
        slices.extend(keys.iter().map(AsRef::as_ref));
        self.build_slices(&slices)
    }

    #[cfg(feature = "alloc")]
    fn build_slices(&self, keys: &[&[u8]]) -> Result<Vec<u8>, Error> {
        let mut sorted = Vec::new();
        let keys = if keys.is_sorted() {
            keys
        } else {
            crate::building::reserve(&mut sorted, keys.len())?;
            sorted.extend_from_slice(keys);
            sorted.sort_unstable();
            &sorted
        };
        let mut builder = RangeFilterBuilder::new(self.bits_per_key);
        keys.iter().try_for_each(|key| builder.insert(key))?;
        builder.finish()
    }
}

impl FilterPolicy for RangePolicy {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        size_in_bytes(keys as u64, self.bits_per_key)
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        Some(self.bits_per_key)
    }

    #[cfg(feature = "alloc")]
    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        let filter = self.build_slices(keys)?;
        let (needed, given) = (filter.len(), out.len());
        let out = out
            .get_mut(..needed)
            .ok_or(Error::BufferTooShort { needed, given })?;
        out.copy_from_slice(&filter);
        Ok(out.into())
    }

    #[cfg(not(feature = "alloc"))]
    fn create_filter<'out>(&self, _: &[&[u8]], _: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        Err(Error::Policy {
            reason: "range filters are built with the feature `alloc` of filter-policy alone",
        })
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        self.range_may_match(Bound::Included(key), Bound::Included(key), filter)
    }

    fn answers_prefixes(&self) -> bool {
        true
    }

    fn prefix_may_match(&self, start: &[u8], filter: &[u8]) -> bool {
        !filter.is_empty() && Filter::read(filter).is_none_or(|filter| filter.prefix_may_match(start))
    }

    fn answers_ranges(&self) -> bool {
        true
    }

    fn range_may_match(&self, lower: Bound<&[u8]>, upper: Bound<&[u8]>, filter: &[u8]) -> bool {
        !filter.is_empty() && Filter::read(filter).is_none_or(|filter| filter.range_may_match(lower, upper))
    }

    #[cfg(feature = "alloc")]
    fn range_builder(&self) -> Option<RangeFilterBuilder> {
        Some(RangeFilterBuilder::new(self.bits_per_key))
    }
}
