//! RocksDB's Ribbon filter: the columns of a solution, then `fe`, the seed and the number of blocks in three bytes.
//! FORMAT.md: "Standard128 Ribbon".

pub(crate) mod bits;
mod definition;
#[cfg(feature = "alloc")]
mod elimination;
mod kernel;
pub(super) mod sizes;

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::fast_local::LINE_LEN;
#[cfg(feature = "alloc")]
use crate::building::{hashes, room};
use crate::policy::{Facts, FilterSize, ListedFormat, Restore as _};
use crate::simd::{KernelToken, Source};
use crate::{BitsPerKey, Error, Format, HashFunctionId, Policy, Prepared};

use super::bits_per_key::RocksDbBits;
use super::fast_local::{FastLocalBloom, lines_for};
#[cfg(feature = "alloc")]
use super::kinds::RIBBON_MARKER;
use super::kinds::{self, TAIL_LEN};
#[cfg(feature = "alloc")]
use bits::EchelonRow;
use bits::Shape;
pub(crate) use bits::Solution;
use sizes::{expected_rate, shape};

/// RocksDB's Ribbon filter (Standard128): about 30 % smaller than [`FastLocalBloomPolicy`](super::FastLocalBloomPolicy) at the
/// same rate, and slower to build and to query.
///
/// `bits_per_key` is the number of bits of a Bloom filter with the same rate; the filter itself takes about 7 bits per
/// key when it is 10. Building takes 32 more bytes per slot, and there are slightly more slots than keys. For few keys,
/// where that is smaller, the filter is a FastLocalBloom one, as in RocksDB; for no keys it is empty.
///
/// RocksDB counts bits per key from 1 to 100: fewer count as 1, more as 100. A key equal to the previous one is not
/// counted, and the bytes depend on the order of the keys. Every way to build needs an allocator, and returns
/// [`Error::AllocationFailed`] when memory runs out.
///
/// Stored by engines as `rocksdb.internal.Standard128RibbonFilter`; in RocksDB's own tables under the name that all of
/// its filters share, [`NAME_IN_TABLES`](super::NAME_IN_TABLES). The policy reads every
/// [kind](crate::view::FilterKind) of RocksDB's filters.
///
/// ```
/// use filter_policy::rocksdb::RibbonPolicy;
/// use filter_policy::view::{FilterKind, FilterView};
/// use filter_policy::{FilterPolicy, formats};
///
/// let policy = RibbonPolicy::new(10.into());
/// let filter = policy.build((0..5_000_u32).map(u32::to_le_bytes))?;
/// assert_eq!(FilterView::new(formats::RIBBON, &filter).kind(), FilterKind::Filter("Ribbon"));
/// assert!(filter.len() < 4_500);
/// assert!(policy.key_may_match(&77_u32.to_le_bytes(), &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub type RibbonPolicy = Policy<Ribbon>;

/// The format of [`RibbonPolicy`]: columns of a solution in words of 16 bytes, then five bytes
/// that distinguish RocksDB's formats.
#[derive(Debug, Clone, Copy)]
pub struct Ribbon {
    bloom: FastLocalBloom,
}

impl RibbonPolicy {
    /// The name under which engines store the filters.
    pub const NAME: &str = "rocksdb.internal.Standard128RibbonFilter";

    /// Makes a policy with the rate of a FastLocalBloom filter of this many bits per key.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self::of(Ribbon::with_bits(bits_per_key))
    }
}

impl Ribbon {
    const fn with_bits(bits_per_key: BitsPerKey) -> Self {
        let bloom = FastLocalBloom::with_bits(bits_per_key);
        Self { bloom }
    }

    /// Returns the shape of a Ribbon filter of this many values; `None` if a Bloom filter is written.
    fn shape(&self, entries: usize, first: u64) -> Result<Option<Shape>, Error> {
        let [.., a, b, c, d] = first.to_le_bytes();
        let entropy = u32::from_le_bytes([a, b, c, d]);
        let one_in = ribbon_one_in(RocksDbBits::new(self.bloom.bits_per_key));
        let bloom = self.bloom.max_len(entries)? - TAIL_LEN;
        Ok(shape(entries as u64, one_in, entropy, bloom as u64))
    }
}

/// Solves the system of hash values.
#[cfg(feature = "alloc")]
impl Ribbon {
    /// Returns the rows and the seed; `None` if a Bloom filter is written instead.
    fn solve(
        &self,
        kernel: KernelToken,
        hashes: &mut [u64],
    ) -> Result<Option<(Vec<EchelonRow>, Shape, u8)>, Error> {
        let Some(first) = hashes.first().copied() else {
            return Ok(None);
        };
        let Some(shape) = self.shape(hashes.len(), first)? else {
            return Ok(None);
        };
        let slots = shape.slots() as usize;
        let mut rows = Vec::new();
        rows.try_reserve_exact(slots)
            .map_err(|_| Error::AllocationFailed {
                bytes: slots.saturating_mul(size_of::<EchelonRow>()),
            })?;
        // One system in 20 has no solution, so 256 failures mean many equal keys that are not adjacent.
        let [start, ..] = first.to_le_bytes();
        let seed = (0..=u8::MAX)
            .map(|tried| start.wrapping_add(tried))
            .find(|&seed| {
                rows.clear();
                rows.resize(slots, EchelonRow::default());
                // Neither the bytes nor whether a seed serves depends on the order.
                if slots >= bits::SORTED_SLOTS {
                    bits::sort(seed, hashes);
                }
                bits::eliminate(kernel, &mut rows, seed, hashes)
            });
        Ok(seed.map(|seed| (rows, shape, seed)))
    }
}

/// Returns the length of a Ribbon filter, tail included.
fn ribbon_len(shape: Shape) -> usize {
    usize::try_from(shape.words() * 16).map_or(usize::MAX, |bytes| bytes.saturating_add(TAIL_LEN))
}

impl Format for Ribbon {
    type Hash = u64;
    type Filter<'f> = Solution<'f>;

    fn name(&self) -> &str {
        RibbonPolicy::NAME
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        self.bloom.bits_per_key()
    }

    #[inline]
    fn hash_function(&self) -> HashFunctionId {
        HashFunctionId::XXPH3
    }

    #[inline(always)]
    fn hash(&self, key: &[u8]) -> u64 {
        self.bloom.hash(key)
    }

    /// The Ribbon filter, or the Bloom filter that is written for keys of which none can be made.
    fn max_len(&self, keys: usize) -> Result<usize, Error> {
        let bloom = self.bloom.max_len(keys)?;
        // The first key's hash may make it 16 bytes shorter.
        let ribbon = self.shape(keys, 0)?.map_or(0, ribbon_len);
        Ok(ribbon.max(bloom))
    }

    #[cfg(feature = "alloc")]
    #[inline(always)]
    fn build(&self, kernel: KernelToken, source: Source<'_, u64>, out: &mut [u8]) -> Result<usize, Error> {
        let mut hashes = hashes(source, |key| self.hash(key))?;
        hashes.dedup();
        if hashes.is_empty() {
            return Ok(0);
        }
        let Some((rows, shape, seed)) = self.solve(kernel, &mut hashes)? else {
            return self.bloom.build(kernel, Source::Hashes(&hashes), out);
        };
        let len = ribbon_len(shape);
        if let Some((solution, tail)) = room(out, len)?.split_last_chunk_mut::<TAIL_LEN>() {
            bits::solve(kernel, &rows, shape, solution.as_chunks_mut().0);
            let [a, b, c, _] = shape.blocks.to_le_bytes();
            *tail = [RIBBON_MARKER, seed, a, b, c];
        }
        Ok(len)
    }

    /// Without an allocator, the policy only reads. A row of the system has the size.
    #[cfg(not(feature = "alloc"))]
    fn build(&self, _: KernelToken, _: Source<'_, u64>, _: &mut [u8]) -> Result<usize, Error> {
        Err(Error::AllocationFailed {
            bytes: size_of::<[u128; 2]>(),
        })
    }

    #[inline(always)]
    fn read<'f>(&self, filter: &'f [u8]) -> Option<Solution<'f>> {
        kinds::ribbon(filter)
    }

    fn prepare(&self, kernel: KernelToken, solution: Solution<'_>) -> Prepared {
        solution.prepared(kernel)
    }

    #[inline(always)]
    fn restore(kernel: KernelToken, bits: &[u8], numbers: [u64; 3]) -> Solution<'_> {
        Solution::restored(kernel, bits, numbers)
    }

    fn other(filter: &[u8]) -> Prepared {
        kinds::prepare(filter)
    }
}

impl ListedFormat for Ribbon {
    fn facts(&self) -> Facts {
        Facts {
            building_bytes_per_key: 36,
            ..kinds::facts(kinds::RIBBON, &["ribbon"])
        }
    }

    fn with_bits_per_key(self, bits_per_key: BitsPerKey) -> Self {
        let bloom = FastLocalBloom::with_bits(bits_per_key);
        Self { bloom }
    }

    fn size(&self, keys: u64) -> Result<FilterSize, Error> {
        let bits = RocksDbBits::given(self.bloom.bits_per_key)?;
        let bytes = match stated_shape(keys, bits) {
            _ if keys == 0 => 0,
            Some(shape) => shape.words() * 16 + TAIL_LEN as u64,
            None => return self.bloom.size(keys),
        };
        let probes = match stated_shape(keys, bits) {
            Some(_) => None,
            None => self.bloom.size(keys)?.probes,
        };
        Ok(FilterSize { bytes, probes })
    }

    /// The rate that the columns give.
    fn rate(&self, keys: u64) -> Result<f64, Error> {
        match stated_shape(keys, RocksDbBits::given(self.bloom.bits_per_key)?) {
            Some(shape) if keys > 0 => Ok(expected_rate(shape)),
            _ => self.bloom.rate(keys),
        }
    }

    kinds::shared!();
}

/// Returns the shape of the filter of this many keys; `None` if a Bloom filter is written.
fn stated_shape(keys: u64, bits: RocksDbBits) -> Option<Shape> {
    let bloom = lines_for(bits, keys) * LINE_LEN as u64;
    shape(keys, ribbon_one_in(bits), 0, bloom)
}

/// Returns the `one_in` of a Ribbon filter: one over the rate of a large FastLocalBloom filter with these bits per key,
/// as RocksDB estimates it (`util/bloom_impl.h`, `BloomMath::CacheLocalFpRate`): the mean of two textbook rates, for
/// lines one standard deviation fuller and emptier than the mean. Stored bytes depend on the result.
fn ribbon_one_in(bits_per_key: RocksDbBits) -> f64 {
    const LINE_BITS: f64 = LINE_LEN as f64 * 8.0;
    let probes = f64::from(bits_per_key.probe_count());
    let rate = |bits_per_key: f64| libm::pow(1.0 - libm::exp(-probes / bits_per_key), probes);
    let keys_in_line = LINE_BITS / bits_per_key.get();
    let deviation = libm::sqrt(keys_in_line);
    let crowded = rate(LINE_BITS / (keys_in_line + deviation));
    let uncrowded = rate(LINE_BITS / (keys_in_line - deviation));
    2.0 / (crowded + uncrowded)
}
