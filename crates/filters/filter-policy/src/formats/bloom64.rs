//! `BloomFilter64.Xxph3`: a bit array, then 128 and the probe count in the last byte; a 64-bit hash and practically
//! independent probes. FORMAT.md: "The filter with a 64-bit hash".

pub(crate) mod bits;
mod definition;
mod kernel;
#[cfg(feature = "alloc")]
pub(crate) mod large;

use core::fmt;

use crate::building::room;
use crate::policy::{Facts, FilterSize, ListedFormat};
use crate::simd::{KernelToken, MAX_PROBES, Source};
use crate::{BitsPerKey, Error, Format, HashFunctionId, Policy, Prepared, leveldb};
use bits::Bloom64Bits;
use hashzoo::xxph3_64;

use crate::sizing::exact_rate;
use crate::view::FilterView;

/// The number that is added to k in the last byte of a filter. LevelDB's reader takes any value above 30 for another
/// encoding and answers "may match".
const MARKER: u8 = 0x80;

/// A Bloom filter with the false-positive rate that theory predicts: `BloomFilter64.Xxph3`.
///
/// The bytes are arranged as in LevelDB's format, a bit array and one byte for k; the hash, the probe sequence and k
/// differ. Bit positions come from a 64-bit hash by multiplication, so large filters use all of their bits, and in small
/// filters a key's probes coincide no more often than by chance. k is the best value for the filter's size. The
/// false-positive rate is 0.82 % at 10 bits per key, against 0.87 to 1.5 % for LevelDB's filters, and 0.0067 % at 20,
/// against 0.0075 to 0.24 %. See [`theory`](crate::theory) for the measurements.
///
/// LevelDB's own reader answers "may match" for such a filter.
///
/// ```
/// use filter_policy::{BloomFilter64Policy, FilterPolicy};
///
/// let policy = BloomFilter64Policy::new(10.into());
/// assert_eq!(policy.name(), "BloomFilter64.Xxph3");
///
/// let mut buffer = [0; 64];
/// let filter = policy.create_filter(&[b"hello", b"world"], &mut buffer)?;
/// assert!(policy.key_may_match(b"hello", &filter));
/// assert!(!policy.key_may_match(b"foo", &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub type BloomFilter64Policy = Policy<Bloom64>;

/// The format of [`BloomFilter64Policy`]: a bit array, then 128 and the probe count in the last
/// byte.
#[derive(Debug, Clone, Copy)]
pub struct Bloom64 {
    bits_per_key: BitsPerKey,
}

impl BloomFilter64Policy {
    /// The name under which engines store the filters.
    pub const NAME: &str = "BloomFilter64.Xxph3";

    /// Makes a policy with this many bits per key.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self::of(Bloom64 { bits_per_key })
    }
}

impl Format for Bloom64 {
    type Hash = u64;
    type Filter<'f> = Bloom64Bits<'f>;

    fn name(&self) -> &str {
        BloomFilter64Policy::NAME
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        Some(self.bits_per_key)
    }

    #[inline]
    fn hash_function(&self) -> HashFunctionId {
        HashFunctionId::XXPH3
    }

    #[inline(always)]
    fn hash(&self, key: &[u8]) -> u64 {
        xxph3_64(key, 0)
    }

    fn max_len(&self, keys: usize) -> Result<usize, Error> {
        leveldb::filter_len(self.bits_per_key, keys)
    }

    #[inline(always)]
    fn build(&self, kernel: KernelToken, source: Source<'_, u64>, out: &mut [u8]) -> Result<usize, Error> {
        let len = self.max_len(source.len())?;
        if let Some((last, bit_array)) = room(out, len)?.split_last_mut() {
            let probes = probes_for(bit_array.len() as u64 * 8, source.len() as u64);
            *last = MARKER + probes;
            bits::create(kernel, bit_array, probes, source);
        }
        Ok(len)
    }

    #[inline(always)]
    fn read<'f>(&self, filter: &'f [u8]) -> Option<Bloom64Bits<'f>> {
        read(filter)
    }

    /// Other last bytes are reserved.
    fn other(filter: &[u8]) -> Prepared {
        Prepared::same_for_all(filter.len() >= 2)
    }

    fn prepare(&self, kernel: KernelToken, Bloom64Bits(bit_array, probes): Bloom64Bits<'_>) -> Prepared {
        let lookup = Some(bits::lookup(kernel));
        Prepared::new::<Self>(
            kernel,
            HashFunctionId::XXPH3,
            lookup,
            bit_array,
            [probes.into(), 0, 0],
        )
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "was a byte")]
    fn restore(_: KernelToken, bit_array: &[u8], [probes, ..]: [u64; 3]) -> Bloom64Bits<'_> {
        Bloom64Bits(bit_array, probes as u8)
    }
}

impl ListedFormat for Bloom64 {
    fn facts(&self) -> Facts {
        Facts {
            // The runs of large filters, up to 32 bits per key.
            building_bytes_per_key: 2,
            ..Facts::new("Bloom64", &["bloom64"])
        }
    }

    fn with_bits_per_key(self, bits_per_key: BitsPerKey) -> Self {
        Self { bits_per_key }
    }

    fn size(&self, keys: u64) -> Result<FilterSize, Error> {
        let bits = leveldb::filter_bits(self.bits_per_key, keys)?;
        Ok(FilterSize {
            bytes: bits / 8 + 1,
            probes: Some(probes_for(bits, keys).into()),
        })
    }

    /// The exact rate of an ideal filter.
    fn rate(&self, keys: u64) -> Result<f64, Error> {
        let bits = leveldb::filter_bits(self.bits_per_key, keys)?;
        exact_rate(bits, keys, probes_for(bits, keys).into())
    }

    /// Rounds down to what 64 bits can represent.
    fn reach(_: u64) -> Option<u64> {
        Some(1 << 63)
    }

    fn view<'a>(&self, filter: &'a [u8]) -> FilterView<'a> {
        FilterView::of(
            self.read(filter),
            Self::other(filter),
            |Bloom64Bits(bit_array, probes)| {
                FilterView::bloom(self.facts().kind, bit_array, bit_array.len(), probes)
            },
        )
    }

    fn write_damage(last: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "last byte must be between 0x81 and 0x9e, got {last:#04x}")
    }
}

/// Reads a filter.
#[inline(always)]
fn read(filter: &[u8]) -> Option<Bloom64Bits<'_>> {
    let (last, bit_array) = filter.split_last()?;
    match last.checked_sub(MARKER) {
        Some(probes @ 1..=MAX_PROBES) if !bit_array.is_empty() => Some(Bloom64Bits(bit_array, probes)),
        _ => None,
    }
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

#[cfg(not(emulated))]
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
