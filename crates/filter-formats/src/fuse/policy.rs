//! Binary fuse filters as a policy.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use filter_kernels::fuse::{self, Fingerprints, Shape, Slot};
use filter_kernels::{KernelToken, Source};
use filter_policy::building::{collect, hashes, room};
use filter_policy::{BitsPerKey, Error, HashFunction, Layout, MATCHES_EVERYTHING, Policy, Prepared};
use hashzoo::xxh3_64;

use super::sizes::{MAX_KEYS, WIDTHS, Width, filter_len, shape_at};
use super::{TRAILER_LEN, fingerprints, trailer};
use crate::error::outside;

/// The number of seeds that are tried.
///
/// Source: xorfilter, `xorfilter.go` (`MaxIterations`).
const ATTEMPTS: u32 = 1024;

/// The number of attempts after which equal hash values are looked for at the latest.
const PATIENCE: u32 = 6;

/// Pebble's binary fuse filter: `binaryfuse`.
///
/// Every key has three places in an array of fingerprints, which sum to the key's own. With fingerprints of 8 bits, 0.39 %
/// of absent keys match, and a million keys take 9.04 bits each, against 12 in a Bloom filter of that rate; few keys take
/// more, 10.96 bits each at 3,000, where [`Ribbon`](crate::rocksdb::Ribbon) is smaller.
///
/// The bits per key are a limit: the policy writes the widest fingerprints, of 4, 8, 10, 12 or 16 bits, for which the
/// whole filter has no more bits per key, and 4 bits where nothing fits. Equal keys count once, and their order changes no
/// byte. Without keys, the filter is empty. Building takes some 24 bytes per key; every way to build needs an allocator,
/// and returns [`Error::AllocationFailed`] when memory runs out. If no seed is of use, which takes hash values that someone
/// has chosen, the filter is `00 ff`, which matches every key.
///
/// Only the name protects these filters from readers of other layouts: LevelDB's own reader would deny stored keys.
///
/// ```
/// use filter_formats::view::FilterView;
/// use filter_formats::{BinaryFuse, Format};
/// use filter_policy::FilterPolicy;
///
/// let policy = BinaryFuse::new(10.into());
/// let filter = policy.build((0..100_000_u32).map(u32::to_le_bytes))?;
/// assert_eq!(filter.len(), 118_798);
/// assert!(policy.key_may_match(&77_u32.to_le_bytes(), &filter));
/// let view = FilterView::new(Format::BINARY_FUSE, &filter);
/// assert_eq!(view.expected_rate(), 1.0 / 256.0);
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub type BinaryFusePolicy = Policy<BinaryFuse>;

/// The layout of [`BinaryFusePolicy`], with its constructors. Packed fingerprints, then 14 bytes that describe them.
#[derive(Debug, Clone, Copy)]
pub struct BinaryFuse {
    width: Width,
}

impl BinaryFuse {
    /// The name under which Pebble stores the filters, after `fullfilter.`.
    pub const NAME: &str = "binaryfuse";

    /// Makes a policy that writes the widest fingerprint whose filter has no more than this many bits per key.
    pub const fn new(bits_per_key: BitsPerKey) -> Policy<Self> {
        let width = Width::Widest(bits_per_key);
        Policy::of(Self { width })
    }

    /// Makes a policy that writes fingerprints of this many bits, whatever the number of keys, as Pebble's
    /// `binaryfuse.FilterPolicy(8)` does.
    ///
    /// ```
    /// use filter_formats::BinaryFuse;
    /// use filter_policy::FilterPolicy;
    ///
    /// let policy = BinaryFuse::with_width(8)?;
    /// assert_eq!(policy.build((0..100_000_u32).map(u32::to_le_bytes))?.len(), 118_798);
    /// # Ok::<(), filter_policy::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfDomain`] unless the width is 4, 8, 10, 12 or 16.
    pub fn with_width(width: u32) -> Result<Policy<Self>, Error> {
        let known = WIDTHS.into_iter().find(|&known| u32::from(known) == width);
        let allowed = "4, 8, 10, 12 or 16";
        let unknown = outside("width of fingerprints in bits", width.into(), allowed);
        let width = Width::Fixed(known.ok_or(unknown)?);
        Ok(Policy::of(Self { width }))
    }

    fn make(&self, kernel: KernelToken, hashes: Cow<'_, [u64]>) -> Result<Made, Error> {
        // Equal keys are often adjacent.
        let has_repeats = hashes.iter().zip(hashes.iter().skip(1)).any(|(a, b)| a == b);
        let hashes = if has_repeats {
            let mut hashes = collect(hashes.iter().copied())?;
            hashes.dedup();
            Cow::Owned(hashes)
        } else {
            hashes
        };
        if hashes.is_empty() {
            return Ok(Made::Bytes(&[]));
        }
        self.peel(kernel, hashes)
    }

    /// Finds a seed under which all keys can be peeled.
    fn peel(&self, kernel: KernelToken, mut hashes: Cow<'_, [u64]>) -> Result<Made, Error> {
        let (mut slots, mut order) = (Vec::new(), Vec::new());
        let (mut attempt, mut seeds, mut are_distinct) = (0, SplitMix64(1), false);
        while attempt < ATTEMPTS {
            attempt += 1;
            let keys = hashes.len() as u64;
            if keys <= MAX_KEYS {
                let shape = Shape {
                    seed: seeds.next(),
                    ..shape_at(attempt, keys)
                };
                // A platform that cannot address the slots cannot allocate them.
                resize(&mut slots, usize::try_from(shape.slots()).unwrap_or(usize::MAX))?;
                // Too many keys in a slot are as many as nobody's hash function gives by chance.
                if fuse::add(kernel, shape, &mut slots, &hashes) {
                    resize(&mut order, fuse::used(&slots) + 1)?;
                    let peeled = fuse::peel(shape, &mut slots, &mut order);
                    if peeled == hashes.len() {
                        order.truncate(peeled);
                        let width = self.width.of(keys);
                        return Ok(Made::Fuse {
                            shape,
                            width,
                            slots,
                            order,
                        });
                    }
                }
            }
            // Equal values stay in the slots whatever the seed. Sorting costs as much as an attempt, and a set without them
            // seldom needs more than two.
            if !are_distinct && (fuse::have_repeats(&slots) || attempt == PATIENCE || keys > MAX_KEYS) {
                let mut sorted = match hashes {
                    Cow::Owned(hashes) => hashes,
                    Cow::Borrowed(hashes) => collect(hashes.iter().copied())?,
                };
                sorted.sort_unstable();
                sorted.dedup();
                if sorted.len() as u64 != keys {
                    (attempt, seeds) = (0, SplitMix64(1));
                } else if keys > MAX_KEYS {
                    return Err(self.width.too_large(keys));
                }
                hashes = Cow::Owned(sorted);
                are_distinct = true;
            }
        }
        Ok(Made::Bytes(&MATCHES_EVERYTHING))
    }
}

/// A filter before it is written.
enum Made {
    /// The filter of no keys, or the one for which no seed is of use.
    Bytes(&'static [u8]),
    Fuse {
        shape: Shape,
        width: u8,
        slots: Vec<Slot>,
        order: Vec<u32>,
    },
}

/// Steele, Lea and Flood's generator of seeds.
struct SplitMix64(u64);

impl SplitMix64 {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

/// Gives the vector this many zeros.
fn resize<T: Copy + Default>(items: &mut Vec<T>, len: usize) -> Result<(), Error> {
    items.clear();
    if items.capacity() < len {
        // Freed before, not after.
        *items = Vec::new();
    }
    items
        .try_reserve_exact(len)
        .map_err(|_| Error::AllocationFailed {
            bytes: len.saturating_mul(size_of::<T>()),
        })?;
    items.resize(len, T::default());
    Ok(())
}

impl Made {
    fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Fuse { width, order, .. } => {
                usize::try_from(filter_len(order.len() as u64, *width)).unwrap_or(usize::MAX)
            }
        }
    }

    /// Writes the filter to the start of `out` and returns its length.
    fn write(&self, out: &mut [u8]) -> Result<usize, Error> {
        let filter = room(out, self.len())?;
        match self {
            Self::Bytes(bytes) => filter.copy_from_slice(bytes),
            Self::Fuse {
                shape,
                width,
                slots,
                order,
            } => {
                filter.fill(0);
                // Before the trailer: fingerprints are changed in pairs of bytes.
                fuse::store(*shape, *width, slots, order, filter);
                if let Some(end) = filter.last_chunk_mut::<TRAILER_LEN>() {
                    *end = trailer(*shape, *width);
                }
            }
        }
        Ok(filter.len())
    }
}

impl Layout for BinaryFuse {
    type Hash = u64;
    type Filter<'f> = Fingerprints<'f>;

    fn name(&self) -> &str {
        Self::NAME
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        match self.width {
            Width::Fixed(_) => None,
            Width::Widest(bits_per_key) => Some(bits_per_key),
        }
    }

    #[inline]
    fn hash_function(&self) -> HashFunction {
        HashFunction::XXH3
    }

    #[inline(always)]
    fn hash(&self, key: &[u8]) -> u64 {
        xxh3_64(key, 0)
    }

    fn max_len(&self, keys: usize) -> Result<usize, Error> {
        let len = self.width.max_filter_len(keys as u64)?;
        usize::try_from(len).map_err(|_| self.width.too_large(keys as u64))
    }

    #[inline(always)]
    fn build(&self, kernel: KernelToken, source: Source<'_, u64>, out: &mut [u8]) -> Result<usize, Error> {
        self.max_len(source.len())?;
        let hashes = match source {
            Source::Hashes(hashes) => Cow::Borrowed(hashes),
            Source::Keys(_) => Cow::Owned(hashes(source, |key| self.hash(key))?),
        };
        self.make(kernel, hashes)?.write(out)
    }

    #[inline(always)]
    fn read<'f>(&self, filter: &'f [u8]) -> Option<Fingerprints<'f>> {
        fingerprints(filter)
    }

    fn other(filter: &[u8]) -> Prepared {
        Prepared::same_for_all(!filter.is_empty())
    }

    fn prepare(&self, kernel: KernelToken, fingerprints: Fingerprints<'_>) -> Prepared {
        let asker = Some(fuse::asker(kernel, fingerprints.width()));
        let numbers = fingerprints.numbers();
        Prepared::new::<Self>(kernel, HashFunction::XXH3, asker, fingerprints.bytes(), numbers)
    }

    #[inline(always)]
    fn restore(_: KernelToken, bytes: &[u8], [seed, shape, _]: [u64; 3]) -> Fingerprints<'_> {
        Fingerprints::of_numbers(bytes, [seed, shape])
    }
}
