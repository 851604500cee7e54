//! FastLocalBloom, RocksDB's Bloom filter of format version 5 and later: all probes of a key in one line of 64 bytes.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use hashzoo::xxph3_64;

use super::bits_per_key::RocksDbBitsPerKey;
#[cfg(feature = "alloc")]
use super::build::append;
use super::build::{Layout, build_in};
use super::view::RocksDbFilterView;
use super::{NEW_BLOOM_MARKER, TAIL_LEN};
use crate::error::Error;
use crate::policy::FilterPolicy;

/// Bytes of a line.
pub(super) const LINE_LEN: usize = 64;

/// The bits that one key can set.
pub(super) type Line = [u8; LINE_LEN];

/// Filters grow no further, however many keys there are.
const MAX_BYTES: u64 = 0xffff_ffc0;

/// The golden ratio in 32 bits: what the hash value is multiplied by for each further probe.
///
/// Source: RocksDB, `util/bloom_impl.h` (`FastLocalBloomImpl`).
const MULTIPLIER: u32 = 0x9e37_79b9;

/// Up to how many thousandths of bits per key a probe count is the best one, from 1 probe on; measured by RocksDB
/// (`util/bloom_impl.h`, `ChooseNumProbes`).
const MILLIBITS_UP_TO: [u32; 12] = [
    2080, 3580, 5100, 6640, 8300, 10_070, 11_720, 14_001, 16_050, 18_300, 22_001, 25_501,
];

/// The probe count for so many thousandths of bits per key.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the largest value is 24: a count of the table's, or below 50,000 / 2,000"
)]
pub(super) const fn probes_for(millibits: u32) -> u8 {
    let mut steps: &[u32] = &MILLIBITS_UP_TO;
    let mut probes = 1;
    while let Some((&up_to, rest)) = steps.split_first() {
        if millibits <= up_to {
            return probes;
        }
        probes += 1;
        steps = rest;
    }
    if millibits > 50_000 {
        24
    } else {
        ((millibits - 1) / 2000 - 1) as u8
    }
}

/// Which line a hash value belongs to; `lines` is below 2^26.
#[inline]
const fn line_of(hash: u64, lines: u64) -> usize {
    (((hash & 0xffff_ffff) * lines) >> 32) as usize
}

/// Sets the bits of these hash values.
pub(super) fn insert(lines: &mut [Line], probes: u8, hashes: &[u64]) {
    let count = lines.len() as u64;
    for &hash in hashes {
        // Never absent, unless there is no line: what is multiplied is below one.
        if let Some(line) = lines.get_mut(line_of(hash, count)) {
            let mut walk = (hash >> 32) as u32;
            for _ in 0..probes {
                let (byte, bit) = position(walk);
                #[expect(clippy::indexing_slicing, reason = "a number of six bits is below 64")]
                {
                    line[byte] |= bit;
                }
                walk = walk.wrapping_mul(MULTIPLIER);
            }
        }
    }
}

/// Whether all bits of a hash value are set; `true` when there is no line.
#[inline]
pub(super) fn may_match(lines: &[Line], probes: u8, hash: u64) -> bool {
    let Some(line) = lines.get(line_of(hash, lines.len() as u64)) else {
        return true;
    };
    let mut walk = (hash >> 32) as u32;
    for _ in 0..probes {
        let (byte, bit) = position(walk);
        #[expect(clippy::indexing_slicing, reason = "a number of six bits is below 64")]
        if line[byte] & bit == 0 {
            return false;
        }
        walk = walk.wrapping_mul(MULTIPLIER);
    }
    true
}

/// The byte of the line, and the bit in it, that the top nine bits choose.
#[inline]
const fn position(walk: u32) -> (usize, u8) {
    ((walk >> 26) as usize, 1 << (walk >> 23 & 7))
}

/// RocksDB's Bloom filter of format version 5 and later: the cache-local one.
///
/// All probes of a key fall into one line of 64 bytes, so that a query waits for memory once. The price is a rate a
/// little above that of filters whose probes go anywhere: 0.97 % instead of 0.82 % at 10 bits per key. The filter is
/// a whole number of lines and five bytes: for few keys it is larger than LevelDB's.
///
/// Stored by engines as `rocksdb.internal.FastLocalBloomFilter`; in RocksDB's own tables under the name that all of
/// its filters share, [`RocksDbFilterView::COMPATIBILITY_NAME`]. It reads every kind of filter that
/// [`RocksDbFilterView`] does.
#[cfg_attr(
    feature = "alloc",
    doc = r#"
```
use filter_policy::{FastLocalBloomPolicy, FilterPolicy, RocksDbBitsPerKey};

let policy = FastLocalBloomPolicy::new(RocksDbBitsPerKey::whole(10));
let filter = policy.build(["hello", "world"])?;
assert_eq!(filter.len(), 64 + 5);
assert!(policy.key_may_match(b"hello", &filter));
assert!(!policy.key_may_match(b"foo", &filter));
# Ok::<(), filter_policy::Error>(())
```
"#
)]
#[derive(Debug, Clone, Copy)]
pub struct FastLocalBloomPolicy {
    bits_per_key: RocksDbBitsPerKey,
}

impl FastLocalBloomPolicy {
    /// With so many bits per key.
    pub const fn new(bits_per_key: RocksDbBitsPerKey) -> Self {
        Self { bits_per_key }
    }

    /// The bits per key.
    pub const fn bits_per_key(&self) -> RocksDbBitsPerKey {
        self.bits_per_key
    }

    /// The length in bytes of a filter of so many keys: keys that equal the one before them are not counted. At most
    /// 4 GiB; beyond, more keys mean more false positives.
    pub fn filter_len(&self, keys: usize) -> usize {
        Layout::filter_len(self, keys)
    }

    /// The hash value of a key: what [`build_hashes_in`](Self::build_hashes_in) takes.
    pub const fn hash(key: &[u8]) -> u64 {
        xxph3_64(key, 0)
    }

    /// Writes the filter of keys with these hash values to the start of `out` and returns the part written.
    ///
    /// The values are taken twice where some equal the one before them and the filter is smaller for that.
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`].
    pub fn build_hashes_in<'out, I>(&self, hashes: I, out: &'out mut [u8]) -> Result<&'out mut [u8], Error>
    where
        I: IntoIterator<Item = u64, IntoIter: Clone>,
    {
        build_in(self, hashes.into_iter(), out)
    }

    /// Writes the filter of these keys to the start of `out` and returns the part written; see
    /// [`build_hashes_in`](Self::build_hashes_in).
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`].
    pub fn build_in<'out, I>(&self, keys: I, out: &'out mut [u8]) -> Result<&'out mut [u8], Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>, IntoIter: Clone>,
    {
        self.build_hashes_in(keys.into_iter().map(|key| Self::hash(key.as_ref())), out)
    }

    /// Appends the filter of keys with these hash values to `out`, after collecting the values.
    ///
    /// # Errors
    ///
    /// [`Error::AllocationFailed`]; `out` is then what it was.
    #[cfg(feature = "alloc")]
    pub fn append_hashes<I>(&self, hashes: I, out: &mut Vec<u8>) -> Result<(), Error>
    where
        I: IntoIterator<Item = u64>,
    {
        append(self, hashes.into_iter(), out)
    }

    /// Appends the filter of these keys to `out`; see [`append_hashes`](Self::append_hashes).
    ///
    /// # Errors
    ///
    /// [`Error::AllocationFailed`]; `out` is then what it was.
    #[cfg(feature = "alloc")]
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
    #[cfg(feature = "alloc")]
    pub fn build<I>(&self, keys: I) -> Result<Vec<u8>, Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        let mut filter = Vec::new();
        self.append(keys, &mut filter)?;
        Ok(filter)
    }
}

impl Layout for FastLocalBloomPolicy {
    type Hash = u64;

    fn filter_len(&self, entries: usize) -> usize {
        let millibits = entries as u128 * u128::from(self.bits_per_key.millibits());
        let bytes = millibits
            .div_ceil(8000)
            .min(u128::from(MAX_BYTES))
            .next_multiple_of(LINE_LEN as u128);
        // Always fits where addresses have 32 bits.
        usize::try_from(bytes).map_or(usize::MAX, |bytes| bytes.saturating_add(TAIL_LEN))
    }

    fn start(&self, _: usize, filter: &mut [u8]) {
        filter.fill(0);
        if let Some(tail) = filter.last_chunk_mut::<TAIL_LEN>() {
            *tail = [NEW_BLOOM_MARKER, 0, self.bits_per_key.probe_count(), 0, 0];
        }
    }

    fn insert(&self, filter: &mut [u8], hashes: &[u64]) {
        if let Some((bits, _)) = filter.split_last_chunk_mut::<TAIL_LEN>() {
            insert(bits.as_chunks_mut().0, self.bits_per_key.probe_count(), hashes);
        }
    }
}

impl FilterPolicy for FastLocalBloomPolicy {
    fn name(&self) -> &str {
        "rocksdb.internal.FastLocalBloomFilter"
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        Ok(self.filter_len(keys))
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<&'out mut [u8], Error> {
        self.build_in(keys, out)
    }

    #[inline]
    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        RocksDbFilterView::new(filter).may_match(key)
    }
}
