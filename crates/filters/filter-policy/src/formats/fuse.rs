//! Pebble's binary fuse filter: packed fingerprints, then 14 bytes that describe them. FORMAT.md: "Pebble's binary fuse
//! filter".

pub(crate) mod bits;
#[cfg(feature = "alloc")]
mod build;
mod definition;
mod kernel;
#[cfg(feature = "alloc")]
mod peeling;
mod sizes;

use core::fmt;

use crate::policy::{Facts, FilterSize, ListedFormat};
use crate::simd::{KernelToken, Source};
use crate::{BitsPerKey, Error, Format, HashFunctionId, Policy, Prepared};
use bits::Fingerprints;
use hashzoo::xxh3_64;

use crate::error::outside;
use crate::view::FilterView;
use definition::{TRAILER_LEN, stated};
use sizes::{WIDTHS, Width};

/// Pebble's binary fuse filter: `binaryfuse`.
///
/// Every key has three places in an array of fingerprints, which sum to the key's own. With fingerprints of 8 bits,
/// 0.39 % of absent keys match, and a million keys need 9.04 bits each, against 12 in a Bloom filter of that rate. Fewer
/// keys need more, 10.96 bits each at 3,000, where [`RibbonPolicy`](crate::rocksdb::RibbonPolicy) is smaller.
///
/// The bits per key are a limit: the policy writes the widest fingerprints, of 4, 8, 10, 12 or 16 bits, for which the
/// whole filter has no more bits per key, and 4 bits if none fit. Equal keys count once, and their order changes no
/// byte. Without keys, the filter is empty. Building needs some 16 bytes per key, and 24 if keys repeat; every way to
/// build needs an allocator, and returns [`Error::AllocationFailed`] when memory runs out. If no seed works, which
/// happens only with chosen hash values, the filter is `00 ff`, which matches every key.
///
/// Only the name protects these filters from readers of other formats: LevelDB's own reader would deny stored keys.
///
/// ```
/// use filter_policy::view::FilterView;
/// use filter_policy::{BinaryFusePolicy, FilterPolicy, formats};
///
/// let policy = BinaryFusePolicy::new(10.into());
/// let filter = policy.build((0..100_000_u32).map(u32::to_le_bytes))?;
/// assert_eq!(filter.len(), 118_798);
/// assert!(policy.key_may_match(&77_u32.to_le_bytes(), &filter));
/// let view = FilterView::new(formats::BINARY_FUSE, &filter);
/// assert_eq!(view.expected_rate(), 1.0 / 256.0);
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub type BinaryFusePolicy = Policy<BinaryFuse>;

/// The format of [`BinaryFusePolicy`]: packed fingerprints, then 14 bytes that describe them.
#[derive(Debug, Clone, Copy)]
pub struct BinaryFuse {
    width: Width,
}

impl BinaryFusePolicy {
    /// The name under which Pebble stores the filters, after `fullfilter.`.
    pub const NAME: &str = "binaryfuse";

    /// Makes a policy that writes the widest fingerprint whose filter has no more than this many bits per key.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        let width = Width::Widest(bits_per_key);
        Self::of(BinaryFuse { width })
    }

    /// Makes a policy that writes fingerprints of this many bits, whatever the number of keys, as Pebble's
    /// `binaryfuse.FilterPolicy(8)` does.
    ///
    /// ```
    /// use filter_policy::{BinaryFusePolicy, FilterPolicy};
    ///
    /// let policy = BinaryFusePolicy::with_width(8)?;
    /// assert_eq!(policy.build((0..100_000_u32).map(u32::to_le_bytes))?.len(), 118_798);
    /// # Ok::<(), filter_policy::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfDomain`] unless the width is 4, 8, 10, 12 or 16.
    pub fn with_width(width: u32) -> Result<Self, Error> {
        let known = WIDTHS.into_iter().find(|&known| u32::from(known) == width);
        let allowed = "4, 8, 10, 12 or 16";
        let unknown = outside("width of fingerprints in bits", width.into(), allowed);
        let width = Width::Fixed(known.ok_or(unknown)?);
        Ok(Self::of(BinaryFuse { width }))
    }
}

impl Format for BinaryFuse {
    type Hash = u64;
    type Filter<'f> = Fingerprints<'f>;

    fn name(&self) -> &str {
        BinaryFusePolicy::NAME
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        match self.width {
            Width::Fixed(_) => None,
            Width::Widest(bits_per_key) => Some(bits_per_key),
        }
    }

    #[inline]
    fn hash_function(&self) -> HashFunctionId {
        HashFunctionId::XXH3
    }

    #[inline(always)]
    fn hash(&self, key: &[u8]) -> u64 {
        xxh3_64(key, 0)
    }

    fn max_len(&self, keys: usize) -> Result<usize, Error> {
        let len = self.width.max_filter_len(keys as u64)?;
        usize::try_from(len).map_err(|_| self.width.too_large(keys as u64))
    }

    #[cfg(feature = "alloc")]
    #[inline(always)]
    fn build(&self, kernel: KernelToken, source: Source<'_, u64>, out: &mut [u8]) -> Result<usize, Error> {
        self.max_len(source.len())?;
        build::build(self.width, kernel, source, out)
    }

    /// Without an allocator, the policy only reads.
    #[cfg(not(feature = "alloc"))]
    fn build(&self, _: KernelToken, source: Source<'_, u64>, _: &mut [u8]) -> Result<usize, Error> {
        let bytes = source.len();
        Err(Error::AllocationFailed { bytes })
    }

    #[inline(always)]
    fn read<'f>(&self, filter: &'f [u8]) -> Option<Fingerprints<'f>> {
        fingerprints(filter)
    }

    fn other(filter: &[u8]) -> Prepared {
        Prepared::same_for_all(!filter.is_empty())
    }

    fn prepare(&self, kernel: KernelToken, fingerprints: Fingerprints<'_>) -> Prepared {
        let lookup = Some(bits::lookup(kernel, fingerprints.width()));
        let numbers = fingerprints.numbers();
        Prepared::new::<Self>(
            kernel,
            HashFunctionId::XXH3,
            lookup,
            fingerprints.bytes(),
            numbers,
        )
    }

    #[inline(always)]
    fn restore(_: KernelToken, bytes: &[u8], [seed, shape, _]: [u64; 3]) -> Fingerprints<'_> {
        Fingerprints::of_numbers(bytes, [seed, shape])
    }
}

impl ListedFormat for BinaryFuse {
    fn facts(&self) -> Facts {
        Facts {
            is_distinct: true,
            building_bytes_per_key: 28,
            ..Facts::new("BinaryFuse", &["binaryfuse", "binary-fuse"])
        }
    }

    fn with_bits_per_key(self, bits_per_key: BitsPerKey) -> Self {
        let width = Width::Widest(bits_per_key);
        Self { width }
    }

    fn size(&self, keys: u64) -> Result<FilterSize, Error> {
        let bytes = self.width.filter_len(keys)?;
        Ok(FilterSize { bytes, probes: None })
    }

    /// The rate that the width gives.
    fn rate(&self, keys: u64) -> Result<f64, Error> {
        Ok(match self.width.filter_len(keys)? {
            0 => 0.0,
            _ => rate_of_width(self.width.of(keys)),
        })
    }

    fn reach(keys: u64) -> Option<u64> {
        Some(sizes::filter_len(keys, 16) * 8)
    }

    fn view<'a>(&self, filter: &'a [u8]) -> FilterView<'a> {
        FilterView::of(fingerprints(filter), Self::other(filter), |fingerprints| {
            let packed = fingerprints.bytes().split_last_chunk::<TRAILER_LEN>();
            let packed = packed.map_or(&[][..], |(packed, _)| packed);
            FilterView::solved(self.facts().kind, packed, rate_of_width(fingerprints.width()))
        })
    }

    fn write_damage(_: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("last 14 bytes must be of a binary fuse filter of this length")
    }
}

/// Returns the fingerprints of a filter that a writer may have made: the trailer determines the length.
#[inline]
fn fingerprints(filter: &[u8]) -> Option<Fingerprints<'_>> {
    let (packed, trailer) = filter.split_last_chunk()?;
    let (shape, width) = stated(trailer);
    Fingerprints::new(filter, packed.len() as u64, shape, width)
}

/// Returns the false-positive rate of fingerprints of this width.
fn rate_of_width(width: u8) -> f64 {
    libm::exp2(-f64::from(width))
}
