//! The full Bloom filter of RocksDB's format versions 4 and before: all probes of a key in one line, which is as long
//! as the cache line of the machine that wrote it.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::num::NonZeroU32;

use super::bits_per_key::RocksDbBitsPerKey;
#[cfg(feature = "alloc")]
use super::build::append;
use super::build::{Layout, build_in};
use super::legacy_lines::{self, Lines};
use super::view::{TAIL_LEN, may_match};
use crate::error::Error;
use crate::params::BitsPerKey;
use crate::policy::FilterPolicy;

/// The most bits that are shared out; RocksDB caps here, so that the number of lines stays in 32 bits.
///
/// Source: RocksDB, `table/block_based/filter_policy.cc` (`LegacyBloomBitsBuilder::CalculateSpace`).
const MAX_BITS: u64 = 0xffff_0000;

/// The length of a line in a legacy full filter. RocksDB takes that of the machine it was compiled for
/// (`port/port_posix.h`), so the same keys give another filter on ARM than on x86; readers see the length from the
/// filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CacheLine {
    /// x86 and most others.
    #[default]
    Bytes64,
    /// 64-bit ARM and PowerPC.
    Bytes128,
    /// IBM Z.
    Bytes256,
}

impl CacheLine {
    /// The length in bytes.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Bytes64 => 64,
            Self::Bytes128 => 128,
            Self::Bytes256 => 256,
        }
    }
}

/// RocksDB's full Bloom filter of format versions 4 and before.
///
/// For reading old tables, and for writing what an old RocksDB reads: [`FastLocalBloomPolicy`] is better in rate and
/// speed. Its 32-bit hash leaves more false positives the more keys there are.
///
/// Stored by engines as `rocksdb.internal.LegacyBloomFilter`; in RocksDB's own tables under the name that all of its
/// filters share, [`RocksDbFilterView::COMPATIBILITY_NAME`]. It reads every kind of filter that
/// [`RocksDbFilterView`] does, and lines of any length.
///
/// [`FastLocalBloomPolicy`]: super::FastLocalBloomPolicy
/// [`RocksDbFilterView`]: crate::RocksDbFilterView
/// [`RocksDbFilterView::COMPATIBILITY_NAME`]: crate::RocksDbFilterView::COMPATIBILITY_NAME
#[cfg_attr(
    feature = "alloc",
    doc = r#"
```
use filter_policy::{CacheLine, FilterPolicy, LegacyFullFilterPolicy, RocksDbBitsPerKey};

let policy = LegacyFullFilterPolicy::new(RocksDbBitsPerKey::whole(10));
let filter = policy.build(["hello", "world"])?;
assert_eq!(filter.len(), 64 + 5);
assert!(policy.key_may_match(b"hello", &filter));

// As RocksDB writes it on 64-bit ARM.
let on_arm = policy.with_line(CacheLine::Bytes128).build(["hello", "world"])?;
assert_eq!(on_arm.len(), 128 + 5);
assert!(policy.key_may_match(b"hello", &on_arm));
# Ok::<(), filter_policy::Error>(())
```
"#
)]
#[derive(Debug, Clone, Copy)]
pub struct LegacyFullFilterPolicy {
    bits_per_key: RocksDbBitsPerKey,
    line: CacheLine,
}

impl LegacyFullFilterPolicy {
    /// With so many bits per key, [rounded](RocksDbBitsPerKey::rounded) to a whole number, and lines of 64 bytes.
    pub const fn new(bits_per_key: RocksDbBitsPerKey) -> Self {
        Self {
            bits_per_key,
            line: CacheLine::Bytes64,
        }
    }

    /// The same, written as a machine with other cache lines would.
    #[must_use]
    pub const fn with_line(self, line: CacheLine) -> Self {
        Self { line, ..self }
    }

    /// The bits per key.
    pub const fn bits_per_key(&self) -> RocksDbBitsPerKey {
        self.bits_per_key
    }

    /// The length of the lines that it writes.
    pub const fn line(&self) -> CacheLine {
        self.line
    }

    /// The length in bytes of a filter of so many keys: keys that equal the one before them are not counted. At most
    /// half a GiB; beyond, more keys mean more false positives.
    pub fn filter_len(&self, keys: usize) -> usize {
        Layout::filter_len(self, keys)
    }

    /// The hash value of a key: what [`build_hashes_in`](Self::build_hashes_in) takes.
    pub const fn hash(key: &[u8]) -> u32 {
        legacy_lines::hash(key)
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
        I: IntoIterator<Item = u32, IntoIter: Clone>,
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
        I: IntoIterator<Item = u32>,
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

    /// LevelDB's rule for the same bits per key, up to 30.
    const fn probe_count(&self) -> u8 {
        BitsPerKey::whole(self.bits_per_key.rounded()).probe_count()
    }

    /// How many lines so many values take: an odd number, so that the remainder uses all bits of a value; 0 for none.
    fn line_count(&self, entries: usize) -> u32 {
        if entries == 0 {
            return 0;
        }
        let bits = (entries as u64)
            .saturating_mul(u64::from(self.bits_per_key.rounded()))
            .min(MAX_BITS);
        // At most 2^23.
        u32::try_from(bits.div_ceil(u64::from(self.line.bytes()) * 8)).unwrap_or(u32::MAX) | 1
    }
}

impl Layout for LegacyFullFilterPolicy {
    type Hash = u32;

    fn filter_len(&self, entries: usize) -> usize {
        let bytes = u64::from(self.line_count(entries)) * u64::from(self.line.bytes());
        // At most half a GiB, which always fits where addresses have 32 bits.
        usize::try_from(bytes).map_or(usize::MAX, |bytes| bytes.saturating_add(TAIL_LEN))
    }

    fn start(&self, entries: usize, filter: &mut [u8]) {
        filter.fill(0);
        if let Some([probes, lines @ ..]) = filter.last_chunk_mut::<TAIL_LEN>() {
            *probes = self.probe_count();
            *lines = self.line_count(entries).to_le_bytes();
        }
    }

    fn insert(&self, filter: &mut [u8], hashes: &[u32]) {
        let log2_bits = self.line.bytes().ilog2() + 3;
        if let Some((bits, [probes, lines @ ..])) = filter.split_last_chunk_mut::<TAIL_LEN>()
            && let Some(count) = NonZeroU32::new(u32::from_le_bytes(*lines))
        {
            legacy_lines::insert(bits, Lines { count, log2_bits }, *probes, hashes);
        }
    }
}

impl FilterPolicy for LegacyFullFilterPolicy {
    fn name(&self) -> &str {
        "rocksdb.internal.LegacyBloomFilter"
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        Ok(self.filter_len(keys))
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<&'out mut [u8], Error> {
        self.build_in(keys, out)
    }

    #[inline]
    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        may_match(key, filter)
    }
}
