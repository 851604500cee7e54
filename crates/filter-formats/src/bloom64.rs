//! A Bloom filter in LevelDB's layout with a 64-bit hash and practically independent probes.

mod probes;

use filter_kernels::{Kernel, KernelToken, Keys, WideSource, bloom64};
use filter_policy::{BitsPerKey, Error, FilterPolicy, HashedPolicy, leveldb};
use hashzoo::xxph3_64;

use crate::contents::Contents;
use crate::contents::bloom64::{MARKER, contents};
pub(crate) use probes::probes_for;

/// A Bloom filter with the false-positive rate that theory predicts: `BloomFilter64.Xxph3`.
///
/// The layout is LevelDB's, a bit array and one byte for k; the hash, the probe sequence and k differ. Bit positions
/// come from a 64-bit hash by multiplication, so large filters use all of their bits, and in small filters a key's
/// probes coincide no more often than by chance. k is the best value for the filter's size. The false-positive rate is
/// 0.82 % at 10 bits per key, against 0.87 to 1.5 % for LevelDB's filters, and 0.0067 % at 20, against 0.0075 to
/// 0.24 %. See [`theory`](crate::theory) for the measurements.
///
/// LevelDB's own reader answers "may match" for such a filter.
///
/// ```
/// use filter_formats::BloomFilter64Policy;
/// use filter_policy::{FilterPolicy, HashedPolicy};
///
/// let policy = BloomFilter64Policy::new(10.into());
/// assert_eq!(policy.name(), "BloomFilter64.Xxph3");
///
/// let mut buffer = [0; 64];
/// let filter = policy.build_in(["hello", "world"], &mut buffer)?;
/// assert!(policy.key_may_match(b"hello", filter));
/// assert!(!policy.key_may_match(b"foo", filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct BloomFilter64Policy {
    bits_per_key: BitsPerKey,
    /// `None` selects the best available kernel.
    kernel: Option<Kernel>,
}

impl BloomFilter64Policy {
    /// The name under which engines store the filters.
    pub const NAME: &str = "BloomFilter64.Xxph3";

    /// Makes a policy with this many bits per key.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self {
            bits_per_key,
            kernel: None,
        }
    }

    configured!();
}

impl HashedPolicy for BloomFilter64Policy {
    type Hash = u64;

    #[inline]
    fn hash_key(&self, key: &[u8]) -> u64 {
        xxph3_64(key, 0)
    }

    fn start(&self, keys: usize, filter: &mut [u8]) {
        filter.fill(0);
        if let Some((last, bit_array)) = filter.split_last_mut() {
            *last = MARKER + probes_for(bit_array.len() as u64 * 8, keys as u64);
        }
    }

    fn insert(&self, filter: &mut [u8], hashes: &[u64]) {
        if let Some((last, bit_array)) = filter.split_last_mut() {
            bloom64::insert(
                self.token(),
                bit_array,
                *last - MARKER,
                WideSource::Hashes(hashes),
            );
        }
    }

    fn create(&self, keys: Keys<'_>, filter: &mut [u8]) -> Option<usize> {
        let (last, bit_array) = filter.split_last_mut()?;
        let probes = probes_for(bit_array.len() as u64 * 8, keys.len() as u64);
        *last = MARKER + probes;
        bloom64::create(self.token(), bit_array, probes, WideSource::Keys(keys));
        Some(0)
    }
}

impl FilterPolicy for BloomFilter64Policy {
    fn name(&self) -> &str {
        Self::NAME
    }

    /// Returns the exact length of a filter of this many keys, the same as in LevelDB.
    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        leveldb::filter_len(self.bits_per_key, keys)
    }

    answers!(|policy, filter| contents(filter), policy.token(), Contents::Bloom64 { bit_array, probes } => bloom64(bit_array, probes));
}
