//! The policy.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use hashzoo::xxph3_64;

use super::probes::{MARKER, probes_for};
use super::view::{BloomFilter64View, HashedKey64};
use crate::arch::wide::{WideSource, spread};
use crate::arch::{Chosen, Kernel};
use crate::batches::for_each_batch;
use crate::error::Error;
use crate::keys::KeyBatch;
use crate::params::BitsPerKey;
use crate::policy::FilterPolicy;
#[cfg(feature = "alloc")]
use crate::policy::append_with;

/// The Bloom filter whose rate is what theory says: `BloomFilter64.Xxph3`.
///
/// The layout is LevelDB's, a bit array and one byte that tells k; hash, probe sequence and k are not. Positions come
/// from 64 bits of hash by multiplication, so that large filters use all of their bits and small ones have no keys
/// whose probes coincide, and k is the best one for the size: 0.82 % at 10 bits per key where LevelDB's filters have
/// 0.87 to 1.5 %, 0.0067 % at 20 where they have 0.0075 to 0.24. [`theory`](crate::theory) has the measurements.
///
/// Besides the methods of [`FilterPolicy`] there are generic ones that build from anything that gives keys or hash
/// values. All of them write the same bytes for the same keys in any order. Keys in a slice are built from fastest:
/// [`build_batch_in`](Self::build_batch_in), and what [`FilterPolicy`] has. To ask one filter for many keys, see
/// [`BloomFilter64View::may_match_many`]; many filters for one key, [`hashed`](Self::hashed).
///
/// A reader of LevelDB's that is handed such a filter answers "may match".
#[cfg_attr(
    feature = "alloc",
    doc = r#"
```
use filter_policy::{BitsPerKey, BloomFilter64Policy, FilterPolicy};

let policy = BloomFilter64Policy::new(BitsPerKey::whole(10));
assert_eq!(policy.name(), "BloomFilter64.Xxph3");

let filter = policy.build(["hello", "world"])?;
assert!(policy.key_may_match(b"hello", &filter));
assert!(!policy.key_may_match(b"foo", &filter));
# Ok::<(), filter_policy::Error>(())
```
"#
)]
#[derive(Debug, Clone, Copy)]
pub struct BloomFilter64Policy {
    bits_per_key: BitsPerKey,
    /// `None`: the best one.
    kernel: Option<Kernel>,
}

impl BloomFilter64Policy {
    /// With so many bits per key.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self {
            bits_per_key,
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
    pub const fn bits_per_key(&self) -> BitsPerKey {
        self.bits_per_key
    }

    /// The exact length of a filter of this many keys, in bytes: that of LevelDB's.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] when no slice could hold it.
    pub fn filter_len(&self, keys: usize) -> Result<usize, Error> {
        self.bits_per_key.filter_len(keys)
    }

    /// The probe count of a filter of this many keys, 1 to 30: the one with the lowest rate.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] when no slice could hold such a filter.
    pub fn probe_count(&self, keys: usize) -> Result<u8, Error> {
        let bits = self.bits_per_key.filter_bits(keys as u64)?;
        Ok(probes_for(bits, keys as u64))
    }

    /// The hash value of a key: what [`build_hashes_in`](Self::build_hashes_in) takes.
    #[inline]
    pub const fn hash(key: &[u8]) -> u64 {
        xxph3_64(key, 0)
    }

    /// Writes the filter of keys with these hash values to the start of `out` and returns the part written.
    ///
    /// The filter is sized by the iterator's `len`. Should it give another number of values all the same, the filter
    /// holds every one of them, in more or less space than is best.
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`], [`Error::FilterTooLarge`]; `out` is then unchanged.
    pub fn build_hashes_in<'out, I>(&self, hashes: I, out: &'out mut [u8]) -> Result<&'out mut [u8], Error>
    where
        I: IntoIterator<Item = u64, IntoIter: ExactSizeIterator>,
    {
        let hashes = hashes.into_iter();
        // Not `len`, which panics where the two halves of the hint differ.
        let keys = hashes.size_hint().0;
        let needed = self.filter_len(keys)?;
        let probes = self.probe_count(keys)?;
        let given = out.len();
        let too_short = Error::BufferTooShort { needed, given };
        let filter = out.get_mut(..needed).ok_or(too_short)?;
        filter.fill(0);
        let (last, bit_array) = filter.split_last_mut().ok_or(too_short)?;
        *last = MARKER + probes;
        let kernel = self.kernel();
        for_each_batch(hashes, |batch| {
            spread::insert(kernel, bit_array, probes, WideSource::Hashes(batch));
        });
        Ok(filter)
    }

    /// Writes the filter of these keys to the start of `out` and returns the part written; see
    /// [`build_hashes_in`](Self::build_hashes_in).
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`], [`Error::FilterTooLarge`]; `out` is then unchanged.
    pub fn build_in<'out, I>(&self, keys: I, out: &'out mut [u8]) -> Result<&'out mut [u8], Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>, IntoIter: ExactSizeIterator>,
    {
        self.build_hashes_in(keys.into_iter().map(|key| Self::hash(key.as_ref())), out)
    }

    /// Writes the filter of these keys to the start of `out` and returns the part written: the fastest way, and without
    /// memory but the stack's.
    ///
    /// ```
    /// use filter_policy::{BitsPerKey, BloomFilter64Policy, FilterPolicy};
    ///
    /// let policy = BloomFilter64Policy::new(BitsPerKey::whole(10));
    /// let ids = [*b"0001", *b"0002", *b"0003"];
    /// let mut buffer = [0; 100];
    /// let filter = policy.build_batch_in(&ids[..], &mut buffer)?;
    /// assert!(policy.key_may_match(b"0002", filter));
    /// # Ok::<(), filter_policy::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`], [`Error::FilterTooLarge`]; `out` is then unchanged.
    pub fn build_batch_in<'out, 'k>(
        &self,
        keys: impl Into<KeyBatch<'k>>,
        out: &'out mut [u8],
    ) -> Result<&'out mut [u8], Error> {
        let keys = keys.into();
        let needed = self.filter_len(keys.len())?;
        let probes = self.probe_count(keys.len())?;
        let given = out.len();
        let too_short = Error::BufferTooShort { needed, given };
        let filter = out.get_mut(..needed).ok_or(too_short)?;
        let (last, bit_array) = filter.split_last_mut().ok_or(too_short)?;
        *last = MARKER + probes;
        spread::create(self.kernel(), bit_array, probes, WideSource::Keys(keys));
        Ok(filter)
    }

    /// Appends the filter of these keys to `out`: the fastest way.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`]; `out` is then what it was.
    #[cfg(feature = "alloc")]
    pub fn append_batch<'k>(&self, keys: impl Into<KeyBatch<'k>>, out: &mut Vec<u8>) -> Result<(), Error> {
        let keys = keys.into();
        append_with(out, self.filter_len(keys.len())?, |room| {
            self.build_batch_in(keys, room).map(|filter| filter.len())
        })
    }

    /// A key that many filters will be asked for.
    #[inline]
    pub fn hashed(&self, key: &[u8]) -> HashedKey64 {
        HashedKey64::new(self.kernel(), Self::hash(key))
    }

    /// Appends the filter of keys with these hash values to `out`; the iterator knows its length.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`]; `out` is then what it was.
    #[cfg(feature = "alloc")]
    pub fn append_hashes<I>(&self, hashes: I, out: &mut Vec<u8>) -> Result<(), Error>
    where
        I: IntoIterator<Item = u64, IntoIter: ExactSizeIterator>,
    {
        let hashes = hashes.into_iter();
        append_with(out, self.filter_len(hashes.size_hint().0)?, |room| {
            self.build_hashes_in(hashes, room).map(|filter| filter.len())
        })
    }

    /// Appends the filter of these keys to `out`; the iterator knows its length.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`]; `out` is then what it was.
    #[cfg(feature = "alloc")]
    pub fn append<I>(&self, keys: I, out: &mut Vec<u8>) -> Result<(), Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>, IntoIter: ExactSizeIterator>,
    {
        self.append_hashes(keys.into_iter().map(|key| Self::hash(key.as_ref())), out)
    }

    /// The filter of these keys in a vector of its own.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`].
    #[cfg(feature = "alloc")]
    pub fn build<I>(&self, keys: I) -> Result<Vec<u8>, Error>
    where
        I: IntoIterator<Item: AsRef<[u8]>, IntoIter: ExactSizeIterator>,
    {
        let mut filter = Vec::new();
        self.append(keys, &mut filter)?;
        Ok(filter)
    }
}

impl FilterPolicy for BloomFilter64Policy {
    fn name(&self) -> &str {
        "BloomFilter64.Xxph3"
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        self.filter_len(keys)
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<&'out mut [u8], Error> {
        self.build_batch_in(keys, out)
    }

    #[inline]
    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        BloomFilter64View::by(self.kernel(), filter).may_match(key)
    }
}
