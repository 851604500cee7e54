//! Ribbon filters as a policy.

use alloc::vec::Vec;

use super::bits_per_key::RocksDbBitsPerKey;
use super::build::{Layout as _, collect};
use super::fast_local::FastLocalBloomPolicy;
use super::rates::ribbon_one_in;
use super::ribbon::{Banding, MAX_ENTRIES, SMALL_SLOTS, Shape};
use super::view::{RIBBON_MARKER, TAIL_LEN, may_match};
use crate::error::Error;
use crate::policy::{FilterPolicy, append_with};

/// RocksDB's Ribbon filter (Standard128): about 30 % smaller than [`FastLocalBloomPolicy`] at the same rate, and slower
/// to build and to ask.
///
/// `bits_per_key` are those of a Bloom filter of the same rate; the filter itself takes about 7 bits a key where they
/// are 10. While it is built it takes 32 bytes a slot besides, a slot being a key and a little more. For few keys, where
/// that is smaller, the filter is a FastLocalBloom one, as in RocksDB; of no keys it has no bytes.
///
/// Stored by engines as `rocksdb.internal.Standard128RibbonFilter`; in RocksDB's own tables under the name that all of
/// its filters share, [`RocksDbFilterView::COMPATIBILITY_NAME`]. It reads every kind of filter that
/// [`RocksDbFilterView`] does.
///
/// [`RocksDbFilterView`]: crate::RocksDbFilterView
/// [`RocksDbFilterView::COMPATIBILITY_NAME`]: crate::RocksDbFilterView::COMPATIBILITY_NAME
///
/// ```
/// use filter_policy::{FilterPolicy, RibbonPolicy, RocksDbBitsPerKey, RocksDbFilterKind, RocksDbFilterView};
///
/// let policy = RibbonPolicy::new(RocksDbBitsPerKey::whole(10));
/// let filter = policy.build((0..5_000_u32).map(u32::to_le_bytes))?;
/// assert_eq!(RocksDbFilterView::new(&filter).kind(), RocksDbFilterKind::Ribbon);
/// assert!(filter.len() < 4_500);
/// assert!(policy.key_may_match(&77_u32.to_le_bytes(), &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RibbonPolicy {
    bloom: FastLocalBloomPolicy,
}

impl RibbonPolicy {
    /// With the rate of a FastLocalBloom filter of so many bits per key.
    pub const fn new(bits_per_key: RocksDbBitsPerKey) -> Self {
        Self {
            bloom: FastLocalBloomPolicy::new(bits_per_key),
        }
    }

    /// The bits per key of a Bloom filter of the same rate.
    pub const fn bits_per_key(&self) -> RocksDbBitsPerKey {
        self.bloom.bits_per_key()
    }

    /// The hash value of a key: what [`append_hashes`](Self::append_hashes) takes.
    pub const fn hash(key: &[u8]) -> u64 {
        FastLocalBloomPolicy::hash(key)
    }

    /// Appends the filter of keys with these hash values to `out`, after collecting the values. Their order is part of
    /// what the filter depends on.
    ///
    /// # Errors
    ///
    /// [`Error::AllocationFailed`]; `out` is then what it was.
    pub fn append_hashes<I>(&self, hashes: I, out: &mut Vec<u8>) -> Result<(), Error>
    where
        I: IntoIterator<Item = u64>,
    {
        let hashes = collect(hashes.into_iter())?;
        let made = self.make(&hashes)?;
        append_with(out, made.len(self, &hashes), |room| {
            made.write(self, &hashes, room)
        })
    }

    /// Appends the filter of these keys to `out`; see [`append_hashes`](Self::append_hashes).
    ///
    /// # Errors
    ///
    /// [`Error::AllocationFailed`]; `out` is then what it was.
    pub fn append<I>(&self, keys: I, out: &mut Vec<u8>) -> Result<(), Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        self.append_hashes(keys.into_iter().map(|key| Self::hash(key.as_ref())), out)
    }

    /// The filter of these keys in a vector of its own.
    ///
    /// # Errors
    ///
    /// [`Error::AllocationFailed`].
    pub fn build<I>(&self, keys: I) -> Result<Vec<u8>, Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        let mut filter = Vec::new();
        self.append(keys, &mut filter)?;
        Ok(filter)
    }

    /// Solves the system of these hash values, or finds that a Bloom filter it is.
    fn make(&self, hashes: &[u64]) -> Result<Made, Error> {
        let Some(first) = hashes.first() else {
            return Ok(Made::Nothing);
        };
        let Some(shape) = self.shape(hashes.len(), *first) else {
            return Ok(Made::Bloom);
        };
        if shape.slots() < SMALL_SLOTS && self.bloom.filter_len(hashes.len()) < ribbon_len(shape) {
            return Ok(Made::Bloom);
        }
        let mut banding = Banding::new(shape)?;
        // One system in 20 has no solution, so that 256 without one mean many equal keys that do not follow each other.
        let [start, ..] = first.to_le_bytes();
        let seed = (0..=u8::MAX)
            .map(|tried| start.wrapping_add(tried))
            .find(|&seed| banding.put_in(hashes, seed));
        Ok(seed.map_or(Made::Bloom, |seed| Made::Ribbon { banding, shape, seed }))
    }

    /// The shape of a Ribbon filter of so many values; `None` where there are too many.
    fn shape(&self, entries: usize, first: u64) -> Option<Shape> {
        let entries = u32::try_from(entries.min(MAX_ENTRIES + 1))
            .ok()
            .filter(|_| entries <= MAX_ENTRIES)?;
        let [.., a, b, c, d] = first.to_le_bytes();
        let entropy = u32::from_le_bytes([a, b, c, d]);
        Some(Shape::new(entries, ribbon_one_in(self.bits_per_key()), entropy))
    }
}

/// A filter before it is written.
enum Made {
    Nothing,
    Bloom,
    Ribbon {
        banding: Banding,
        shape: Shape,
        seed: u8,
    },
}

impl Made {
    fn len(&self, policy: &RibbonPolicy, hashes: &[u64]) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Bloom => policy.bloom.filter_len(hashes.len()),
            Self::Ribbon { shape, .. } => ribbon_len(*shape),
        }
    }

    /// Writes the filter to the start of `out` and returns its length.
    fn write(&self, policy: &RibbonPolicy, hashes: &[u64], out: &mut [u8]) -> Result<usize, Error> {
        let needed = self.len(policy, hashes);
        let given = out.len();
        let filter = out
            .get_mut(..needed)
            .ok_or(Error::BufferTooShort { needed, given })?;
        match self {
            Self::Nothing => {}
            Self::Bloom => {
                policy.bloom.start(hashes.len(), filter);
                policy.bloom.insert(filter, hashes);
            }
            Self::Ribbon { banding, shape, seed } => {
                if let Some((solution, tail)) = filter.split_last_chunk_mut::<TAIL_LEN>() {
                    banding.solve_into(solution);
                    let [a, b, c, _] = shape.blocks.to_le_bytes();
                    *tail = [RIBBON_MARKER, *seed, a, b, c];
                }
            }
        }
        Ok(needed)
    }
}

/// The length of a Ribbon filter, its tail included.
fn ribbon_len(shape: Shape) -> usize {
    usize::try_from(shape.words() * 16).map_or(usize::MAX, |bytes| bytes.saturating_add(TAIL_LEN))
}

impl FilterPolicy for RibbonPolicy {
    fn name(&self) -> &str {
        "rocksdb.internal.Standard128RibbonFilter"
    }

    /// Of as many keys, a filter that is all wide blocks, or the Bloom filter that may stand in for it.
    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        let bloom = self.bloom.filter_len(keys);
        let entries = keys.clamp(1, MAX_ENTRIES);
        let widest = self
            .shape(entries, 0)
            .map(|shape| ribbon_len(Shape { narrow: 0, ..shape }));
        Ok(widest.unwrap_or_default().max(bloom))
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<&'out mut [u8], Error> {
        let hashes = collect(keys.iter().map(|key| Self::hash(key)))?;
        let len = self.make(&hashes)?.write(self, &hashes, out)?;
        Ok(out.get_mut(..len).unwrap_or_default())
    }

    #[inline]
    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        may_match(key, filter)
    }
}
