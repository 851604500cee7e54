//! FastLocalBloom, RocksDB's Bloom filter of format version 5 and later: all probes of a key in one line of 64 bytes.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use hashzoo::xxph3_64;

use super::bits_per_key::RocksDbBitsPerKey;
#[cfg(feature = "alloc")]
use super::build::append;
use super::build::{Layout, build_in};
use super::hashed::HashedRocksDbKey;
use super::view::{Contents, NEW_BLOOM_MARKER, TAIL_LEN, fast_local};
use crate::arch::wide::WideSource;
use crate::arch::wide::lines::{self, LINE_LEN, Line, Stored};
use crate::arch::{Chosen, Kernel};
use crate::error::Error;
use crate::keys::KeyBatch;
use crate::policy::FilterPolicy;
#[cfg(feature = "alloc")]
use crate::policy::append_with;

/// Filters grow no further, however many keys there are.
const MAX_BYTES: u64 = 0xffff_ffc0;

/// How many lines so many keys take, at most 2^26 - 1.
pub(super) fn lines_for(bits_per_key: RocksDbBitsPerKey, keys: u64) -> u64 {
    lines_of(bits_per_key.millibits(), keys)
}

/// The same by thousandths of bits.
#[inline]
const fn lines_of(millibits: u32, keys: u64) -> u64 {
    // What saturates is far beyond the most there can be.
    let bytes = keys.saturating_mul(millibits as u64).div_ceil(8000);
    let bytes = if bytes < MAX_BYTES { bytes } else { MAX_BYTES };
    bytes.div_ceil(LINE_LEN as u64)
}

/// What lies behind the lines.
const fn tail_of(probes: u8) -> [u8; TAIL_LEN] {
    [NEW_BLOOM_MARKER, 0, probes, 0, 0]
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
///
/// Keys in a slice are built from fastest: [`build_batch_in`](Self::build_batch_in), and what [`FilterPolicy`] has. To
/// ask one filter for many keys, see [`RocksDbFilterView::may_match_many`]; many filters for one key,
/// [`hashed`](Self::hashed).
///
/// [`RocksDbFilterView`]: crate::RocksDbFilterView
/// [`RocksDbFilterView::COMPATIBILITY_NAME`]: crate::RocksDbFilterView::COMPATIBILITY_NAME
/// [`RocksDbFilterView::may_match_many`]: crate::RocksDbFilterView::may_match_many
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
    /// What follows from them, which small filters would be long in computing.
    millibits: u32,
    probes: u8,
    /// `None`: the best one.
    kernel: Option<Kernel>,
}

impl FastLocalBloomPolicy {
    /// With so many bits per key.
    pub const fn new(bits_per_key: RocksDbBitsPerKey) -> Self {
        Self {
            bits_per_key,
            millibits: bits_per_key.millibits(),
            probes: bits_per_key.probe_count(),
            kernel: None,
        }
    }

    /// The same policy by the instructions of the caller's choice, for tests and benchmarks: bytes, answers and name are
    /// the same. Where the processor does not have them, it is [`Kernel::Scalar`].
    pub const fn on_kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = Some(kernel);
        self
    }

    #[inline]
    fn kernel(&self) -> Chosen {
        self.kernel.map_or_else(Chosen::best, Chosen::of)
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
    #[inline]
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

    /// Writes the filter of these keys to the start of `out` and returns the part written: the fastest way, and without
    /// memory but the stack's.
    ///
    /// ```
    /// use filter_policy::{FastLocalBloomPolicy, FilterPolicy, RocksDbBitsPerKey};
    ///
    /// let policy = FastLocalBloomPolicy::new(RocksDbBitsPerKey::whole(10));
    /// let ids = [*b"0001", *b"0002", *b"0003"];
    /// let mut buffer = [0; 100];
    /// let filter = policy.build_batch_in(&ids[..], &mut buffer)?;
    /// assert!(policy.key_may_match(b"0002", filter));
    /// # Ok::<(), filter_policy::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`].
    pub fn build_batch_in<'out, 'k>(
        &self,
        keys: impl Into<KeyBatch<'k>>,
        out: &'out mut [u8],
    ) -> Result<&'out mut [u8], Error> {
        let keys = keys.into();
        let len = self.filter_len(keys.len());
        if len > out.len() {
            // It may fit when keys that equal the one before them are not counted.
            return match keys {
                KeyBatch::Slices(keys) => self.build_in(keys, out),
                KeyBatch::Packed(keys) => self.build_in(keys, out),
            };
        }
        let repeats = self.write(keys, out.get_mut(..len).unwrap_or_default());
        if repeats == 0 {
            return Ok(out.get_mut(..len).unwrap_or_default());
        }
        let kept_len = self.filter_len(keys.len() - repeats);
        let filter = out.get_mut(..kept_len).unwrap_or_default();
        if kept_len != len {
            self.write(keys, filter);
        }
        Ok(filter)
    }

    /// Writes these keys over `filter`, of whatever length. Gives the number of keys whose hash value is that of the one
    /// before them.
    fn write(&self, keys: KeyBatch<'_>, filter: &mut [u8]) -> usize {
        let Some((bits, tail)) = filter.split_last_chunk_mut() else {
            return 0;
        };
        *tail = tail_of(self.probes);
        lines::create(self.kernel(), bits.as_chunks_mut().0, self.probes, keys)
    }

    /// Appends the filter of these keys to `out`: the fastest way.
    ///
    /// # Errors
    ///
    /// [`Error::AllocationFailed`]; `out` is then what it was.
    #[cfg(feature = "alloc")]
    pub fn append_batch<'k>(&self, keys: impl Into<KeyBatch<'k>>, out: &mut Vec<u8>) -> Result<(), Error> {
        let keys = keys.into();
        append_with(out, self.filter_len(keys.len()), |room| {
            self.build_batch_in(keys, room).map(|filter| filter.len())
        })
    }

    /// A key that many filters will be asked for.
    #[inline]
    pub fn hashed<'k>(&self, key: &'k [u8]) -> HashedRocksDbKey<'k> {
        HashedRocksDbKey::new(self.kernel(), key)
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
        let bytes = lines_of(self.millibits, entries as u64) * LINE_LEN as u64;
        // Always fits where addresses have 32 bits.
        usize::try_from(bytes).map_or(usize::MAX, |bytes| bytes.saturating_add(TAIL_LEN))
    }

    fn start(&self, _: usize, filter: &mut [u8]) {
        filter.fill(0);
        if let Some(tail) = filter.last_chunk_mut() {
            *tail = tail_of(self.probes);
        }
    }

    fn insert(&self, filter: &mut [u8], hashes: &[u64]) {
        if let Some((bits, _)) = filter.split_last_chunk_mut::<TAIL_LEN>() {
            let lines = bits.as_chunks_mut().0;
            lines::insert(self.kernel(), lines, self.probes, WideSource::Hashes(hashes));
        }
    }
}

impl Stored for FastLocalBloomPolicy {
    #[inline(always)]
    fn lines<'f>(&self, filter: &'f [u8]) -> Option<(&'f [Line], u8)> {
        fast_local(filter)
    }

    #[inline(never)]
    fn may_match_without_lines(&self, key: &[u8], filter: &[u8]) -> bool {
        Contents::of_another_kind(filter).may_match(key)
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
        self.build_batch_in(keys, out)
    }

    #[inline]
    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        lines::stored_may_match(self, key, filter, self.kernel)
    }
}
