//! A Bloom filter in LevelDB's layout with a 64-bit hash and practically independent probes.

use filter_kernels::{Kernel, KernelToken, Keys, MAX_PROBES, WideSource, bloom64};
use filter_policy::building::for_each_batch;
use filter_policy::prepared::Plan;
use filter_policy::{BitsPerKey, Error, FilterPolicy, HashFunction, HashedPolicy, NewFilter, leveldb};
use hashzoo::xxph3_64;

use crate::contents::{Contents, Stored, plan, probes};
use crate::sizing::exact_rate;
#[cfg(feature = "alloc")]
use crate::view::places::Places;
use crate::view::{FilterView, Format};

/// Added to k in the last byte of a filter. LevelDB's reader takes any value above 30 for another encoding and answers
/// "may match".
const MARKER: u8 = 0x80;

impl Format {
    /// The filter of [`BloomFilter64Policy`]: a bit array, then 128 and k; LevelDB's length, with the best k. The rate is the exact one of an ideal
    /// filter, from [`exact_rate`].
    pub const BLOOM64: Self = Self {
        name: "Bloom64",
        layout: "Bloom64",
        is_distinct: false,
        view: |filter| contents(filter).view(),
        #[cfg(feature = "alloc")]
        places: |len, tail, hash| {
            let bits = (len as u64).saturating_sub(1).saturating_mul(8);
            let positions = |of: Bits<'_>, hash| bloom64::positions(bits, of.probes, hash).collect();
            let hash = hash.of(HashFunction::XXPH3);
            Some(contents(tail).places(hash, |of, hash| Places::Bits(positions(of, hash))))
        },
        #[cfg(feature = "alloc")]
        may_match: |_, _, _| true,
        damage: |last, f| write!(f, "last byte must be between 0x81 and 0x9e, got {last:#04x}"),
        hash_bits: 64,
        filter_len: |keys, bits_per_key| Ok(leveldb::filter_bits(bits_per_key, keys)? / 8 + 1),
        probe_count: |keys, bits_per_key| {
            Ok(Some(
                probes_for(leveldb::filter_bits(bits_per_key, keys)?, keys).into(),
            ))
        },
        rate: |keys, bits_per_key| {
            let bits = leveldb::filter_bits(bits_per_key, keys)?;
            exact_rate(bits, keys, probes_for(bits, keys).into())
        },
        // Rounded down to what 64 bits can hold.
        reach: Some(|_| 1 << 63),
    };
}

named! {
    NAMED: BloomFilter64Policy::NAME, ["bloom64"], BLOOM64, 0, BloomFilter64Policy::new;
}

/// A stored filter.
#[derive(Clone, Copy)]
struct Bits<'a> {
    bit_array: &'a [u8],
    probes: u8,
}

/// Identifies stored bytes.
#[inline]
const fn contents(filter: &[u8]) -> Contents<Bits<'_>> {
    match filter {
        [] | [_] => Contents::Empty,
        [bit_array @ .., last] => match last.checked_sub(MARKER) {
            Some(probes @ 1..=MAX_PROBES) => Contents::Filter(Bits { bit_array, probes }),
            _ => Contents::Reserved,
        },
    }
}

kernel_reader!(READER, BLOOM64, bloom64, |bits, plan| bits, probes(plan));

impl<'a> Stored<'a> for Bits<'a> {
    fn plan(self, kernel: KernelToken) -> Plan {
        let Self { bit_array, probes } = self;
        plan(
            kernel,
            HashFunction::XXPH3,
            &READER,
            bloom64::asker(kernel),
            bit_array,
            [probes.into(), 0, 0],
        )
    }

    fn view(self) -> FilterView<'a> {
        let Self { bit_array, probes } = self;
        FilterView::bloom(Format::BLOOM64, bit_array, bit_array.len(), probes)
    }
}

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
/// assert!(policy.key_may_match(b"hello", &filter));
/// assert!(!policy.key_may_match(b"foo", &filter));
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

    /// Writes the last byte, and returns the bit array and k.
    fn begin(filter: NewFilter<'_>) -> (&mut [u8], u8) {
        let (keys, bytes) = (filter.keys() as u64, filter.into_bytes());
        let Some((last, bit_array)) = bytes.split_last_mut() else {
            return (&mut [], 1);
        };
        let probes = probes_for(bit_array.len() as u64 * 8, keys);
        *last = MARKER + probes;
        (bit_array, probes)
    }
}

impl HashedPolicy for BloomFilter64Policy {
    type Hash = u64;

    #[inline]
    fn hash_key(&self, key: &[u8]) -> u64 {
        xxph3_64(key, 0)
    }

    #[inline]
    fn hash_function(&self) -> HashFunction {
        HashFunction::XXPH3
    }

    fn fill(&self, filter: NewFilter<'_>, hashes: impl Iterator<Item = u64>) -> usize {
        let (bit_array, probes) = Self::begin(filter);
        bit_array.fill(0);
        for_each_batch(hashes, |hashes| {
            bloom64::insert(self.token(), bit_array, probes, WideSource::Hashes(hashes));
        })
    }

    fn fill_with_keys(&self, filter: NewFilter<'_>, keys: Keys<'_>) -> Option<usize> {
        let (bit_array, probes) = Self::begin(filter);
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

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        Some(self.bits_per_key)
    }

    answers!(|policy, filter| contents(filter), policy.token(), Bits { bit_array, probes } => bloom64(bit_array, probes));
}

/// The largest number of millibits per key at which each probe count, from 1 on, is the best one: the point `b` where
/// `(1 - e^(-k/b))^k` is the same for k and k + 1.
const MILLIBITS_UP_TO: [u32; 29] = [
    2078, 3556, 5013, 6464, 7912, 9358, 10_803, 12_248, 13_692, 15_136, 16_580, 18_023, 19_467, 20_910,
    22_353, 23_796, 25_240, 26_683, 28_126, 29_569, 31_012, 32_455, 33_898, 35_340, 36_783, 38_226, 39_669,
    41_112, 42_555,
];

/// Returns the best probe count, from 1 to 30, for this many keys in this many bits.
fn probes_for(bits: u64, keys: u64) -> u8 {
    let fits = |&&millibits: &&u32| u128::from(bits) * 1000 > u128::from(keys) * u128::from(millibits);
    let below = MILLIBITS_UP_TO.iter().take_while(fits).count();
    u8::try_from(below).map_or(MAX_PROBES, |below| below + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probe_count_is_the_best_one() {
        let rate = |b: f64, k: u8| -> f64 {
            let k = f64::from(k);
            k * libm::log(-libm::expm1(-k / b))
        };
        for millibits in 1_000..50_000_u32 {
            let b = f64::from(millibits) / 1000.0;
            let best = probes_for(u64::from(millibits), 1000);
            for other in 1..=MAX_PROBES {
                assert!(
                    rate(b, best) <= rate(b, other) + 1e-3,
                    "{b} bits per key: {best}, {other}"
                );
            }
        }
        for (steps, k) in MILLIBITS_UP_TO.iter().zip(1_u8..) {
            let b = f64::from(*steps) / 1000.0;
            assert!(rate(b, k) < rate(b, k + 1), "{b}");
            assert!(rate(b + 0.001, k) > rate(b + 0.001, k + 1), "{b}");
        }
        assert_eq!(probes_for(u64::MAX, u64::MAX), 1);
        assert_eq!(probes_for(u64::MAX, 1), 30);
    }
}
