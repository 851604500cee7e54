//! Ribbon filters as a policy.

use alloc::vec::Vec;

use filter_kernels::ribbon::{self, Row, Shape};
use filter_kernels::{Kernel, KernelToken};
use filter_policy::building::{append_with, collect, room, without_repeats, written};
use filter_policy::{BitsPerKey, Error, FilterBytes, FilterPolicy, HashFunction, HashedPolicy, NewFilter};

use super::bits_per_key::RocksDbBits;
use super::fast_local::FastLocalBloomPolicy;
use super::kinds::{Kind, RIBBON_MARKER, TAIL_LEN, contents_expecting_others};
use super::rates::ribbon_one_in;
use super::ribbon_size::shape;

/// RocksDB's Ribbon filter (Standard128): about 30 % smaller than [`FastLocalBloomPolicy`] at the same rate, and slower
/// to build and to query.
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
/// use filter_formats::Format;
/// use filter_formats::rocksdb::RibbonPolicy;
/// use filter_formats::view::{FilterKind, FilterView};
/// use filter_policy::{FilterPolicy, HashedPolicy};
///
/// let policy = RibbonPolicy::new(10.into());
/// let filter = policy.build((0..5_000_u32).map(u32::to_le_bytes))?;
/// assert_eq!(FilterView::new(Format::RIBBON, &filter).kind(), FilterKind::Filter(Format::RIBBON));
/// assert!(filter.len() < 4_500);
/// assert!(policy.key_may_match(&77_u32.to_le_bytes(), &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RibbonPolicy {
    bloom: FastLocalBloomPolicy,
}

impl RibbonPolicy {
    /// The name under which engines store the filters.
    pub const NAME: &str = "rocksdb.internal.Standard128RibbonFilter";

    /// Makes a policy with the rate of a FastLocalBloom filter of this many bits per key.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self {
            bloom: FastLocalBloomPolicy::new(bits_per_key),
        }
    }

    /// Returns this policy with a kernel for building filters: see [`FastLocalBloomPolicy::on_kernel`]. Queries take the best
    /// kernel: a choice would cost each 2 % of its instructions.
    pub const fn on_kernel(self, kernel: Kernel) -> Self {
        Self {
            bloom: self.bloom.on_kernel(kernel),
        }
    }

    /// Solves the system of these hash values, or chooses a Bloom filter instead.
    fn make(&self, hashes: &mut [u64]) -> Result<Made, Error> {
        let Some(first) = hashes.first() else {
            return Ok(Made::Nothing);
        };
        let Some(shape) = self.shape(hashes.len(), *first)? else {
            return Ok(Made::Bloom);
        };
        let slots = shape.slots() as usize;
        let mut rows = Vec::new();
        rows.try_reserve_exact(slots)
            .map_err(|_| Error::AllocationFailed {
                bytes: slots.saturating_mul(size_of::<Row>()),
            })?;
        // One system in 20 has no solution, so 256 failures mean many equal keys that are not adjacent.
        let [start, ..] = first.to_le_bytes();
        let seed = (0..=u8::MAX)
            .map(|tried| start.wrapping_add(tried))
            .find(|&seed| {
                rows.clear();
                rows.resize(slots, Row::default());
                // Neither the bytes nor whether a seed serves depends on the order.
                if slots >= ribbon::SORTED_SLOTS {
                    ribbon::sort(seed, hashes);
                }
                ribbon::eliminate(self.bloom.token(), &mut rows, seed, hashes)
            });
        Ok(seed.map_or(Made::Bloom, |seed| Made::Ribbon { rows, shape, seed }))
    }

    /// Returns the shape of a Ribbon filter of this many values; `None` if a Bloom filter is written.
    fn shape(&self, entries: usize, first: u64) -> Result<Option<Shape>, Error> {
        let [.., a, b, c, d] = first.to_le_bytes();
        let entropy = u32::from_le_bytes([a, b, c, d]);
        let one_in = ribbon_one_in(RocksDbBits::new(self.bloom.bits_per_key));
        let bloom = self.bloom.max_filter_len(entries)? - TAIL_LEN;
        Ok(shape(entries as u64, one_in, entropy, bloom as u64))
    }
}

/// A filter before it is written.
enum Made {
    Nothing,
    Bloom,
    Ribbon { rows: Vec<Row>, shape: Shape, seed: u8 },
}

impl Made {
    fn len(&self, policy: &RibbonPolicy, hashes: &[u64]) -> Result<usize, Error> {
        match self {
            Self::Nothing => Ok(0),
            Self::Bloom => policy.bloom.max_filter_len(hashes.len()),
            Self::Ribbon { shape, .. } => Ok(ribbon_len(*shape)),
        }
    }

    /// Writes the filter to the start of `out` and returns its length.
    fn write(&self, policy: &RibbonPolicy, hashes: &[u64], out: &mut [u8]) -> Result<usize, Error> {
        let needed = self.len(policy, hashes)?;
        let filter = room(out, needed)?;
        match self {
            Self::Nothing => {}
            Self::Bloom => {
                return Ok(policy.bloom.build_raw_slice_in(hashes, filter)?.len());
            }
            Self::Ribbon { rows, shape, seed } => {
                if let Some((solution, tail)) = filter.split_last_chunk_mut::<TAIL_LEN>() {
                    let words = solution.as_chunks_mut().0;
                    ribbon::solve(policy.bloom.token(), rows, *shape, words);
                    let [a, b, c, _] = shape.blocks.to_le_bytes();
                    *tail = [RIBBON_MARKER, *seed, a, b, c];
                }
            }
        }
        Ok(needed)
    }
}

/// Returns the length of a Ribbon filter, tail included.
fn ribbon_len(shape: Shape) -> usize {
    usize::try_from(shape.words() * 16).map_or(usize::MAX, |bytes| bytes.saturating_add(TAIL_LEN))
}

impl HashedPolicy for RibbonPolicy {
    type Hash = u64;

    #[inline]
    fn hash_key(&self, key: &[u8]) -> u64 {
        self.bloom.hash_key(key)
    }

    #[inline]
    fn hash_function(&self) -> HashFunction {
        HashFunction::XXPH3
    }

    /// Writes the Bloom filter that takes the place of a Ribbon filter, which is solved for all values at once.
    fn fill(&self, filter: NewFilter<'_>, hashes: impl Iterator<Item = u64>) -> usize {
        self.bloom.fill(filter, hashes)
    }

    fn build_raw_hashes_in<'out, I>(&self, hashes: I, out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error>
    where
        I: IntoIterator<Item = u64, IntoIter: Clone>,
    {
        let mut hashes = collect(without_repeats(hashes.into_iter()))?;
        let len = self.make(&mut hashes)?.write(self, &hashes, out)?;
        written(out, len)
    }

    fn append_raw_hashes(
        &self,
        hashes: impl IntoIterator<Item = u64>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let mut hashes = collect(without_repeats(hashes.into_iter()))?;
        let made = self.make(&mut hashes)?;
        append_with(out, made.len(self, &hashes)?, |room| {
            made.write(self, &hashes, room)
        })
    }
}

impl FilterPolicy for RibbonPolicy {
    fn name(&self) -> &str {
        Self::NAME
    }

    /// Returns the larger of [`filter_len`](FilterPolicy::filter_len) and the length of the Bloom filter that is written
    /// for keys of which no Ribbon filter can be made.
    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        Ok(self.filter_len(keys)?.max(self.bloom.max_filter_len(keys)?))
    }

    /// Returns the length of the filter of this many keys, no two of which are equal; the first key's hash may make it 16
    /// bytes shorter.
    fn filter_len(&self, keys: usize) -> Result<usize, Error> {
        match keys {
            0 => Ok(0),
            _ => match self.shape(keys, 0)? {
                Some(shape) => Ok(ribbon_len(shape)),
                None => self.bloom.max_filter_len(keys),
            },
        }
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        self.bloom.bits_per_key()
    }

    answers!(|_policy, filter| contents_expecting_others(filter), KernelToken::best(), Kind::Ribbon(solution) => ribbon(solution));
}
