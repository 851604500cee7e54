//! The Bloom filter of Basho's LevelDB (Riak): bits modulo a prime, and two hashes of a key.

use core::fmt;

use crate::answers::each;
use crate::building::{each_batch, room};
use crate::key_hash::{basho_hash, basho_murmur2_hash};
use crate::policy::{Facts, FilterSize, ListedFormat};
use crate::simd::{KernelToken, Source, StoredBits};
use crate::{
    BitsPerKey, Error, FilterBytes, FilterPolicy, Format, HashFunctionId, Policy, Prepared, leveldb,
};

use crate::formats::leveldb::probes;
use crate::sizing::{DoubleHashing, Precision};
use crate::view::FilterView;

/// The minimum number of bits.
///
/// Source of this and the next two: Basho's LevelDB, `util/bloom2.cc`.
const MIN_BITS: u64 = 61;

/// The first length of a bit array, in bytes, that has no prime in Basho's list: all of its bits are used.
const WITHOUT_PRIME: usize = 12_498;

/// The longest bit array, in bytes: Basho counts bits in 32-bit numbers.
const MAX_BYTES: u64 = u32::MAX as u64 / 8;

/// The number of bits after the largest prime below each number of bits in whole bytes.
static AFTER_PRIME: [u8; WITHOUT_PRIME] = after_primes();

#[expect(clippy::indexing_slicing, reason = "runs in the compiler")]
#[expect(clippy::cast_possible_truncation, reason = "at most 67")]
const fn after_primes() -> [u8; WITHOUT_PRIME] {
    // Whether the odd number 2i + 1 is a product. The only even prime is below no number of bits that matters.
    let mut is_product = [false; WITHOUT_PRIME * 4];
    let mut i = 1;
    while (2 * i + 1) * (2 * i + 1) < WITHOUT_PRIME * 8 {
        let mut product = if is_product[i] {
            usize::MAX
        } else {
            2 * i * (i + 1)
        };
        while product < is_product.len() {
            is_product[product] = true;
            product += 2 * i + 1;
        }
        i += 1;
    }
    let mut after = [0; WITHOUT_PRIME];
    let mut bytes = 1;
    while bytes < WITHOUT_PRIME {
        let mut i = 4 * bytes - 1;
        while is_product[i] {
            i -= 1;
        }
        after[bytes] = (8 * bytes - (2 * i + 1)) as u8;
        bytes += 1;
    }
    after
}

/// Returns the number of bits that probes reach in a bit array of this many bytes; `None` if there are too many or
/// none.
fn bits_in(bytes: usize) -> Option<u32> {
    let bits = u32::try_from(bytes).ok()?.checked_mul(8)?;
    let after = AFTER_PRIME.get(bytes).copied().unwrap_or_default();
    bits.checked_sub(after.into()).filter(|&bits| bits > 0)
}

/// Returns the length of the bit array for this many keys, in bytes: the fewest with enough bits, and how many of these
/// probes reach.
fn size(bits_per_key: BitsPerKey, keys: u64) -> Result<(usize, u32), Error> {
    let wanted = bits_per_key.times(keys).max(MIN_BITS.into());
    let fewest = usize::try_from(wanted.div_ceil(8)).unwrap_or(usize::MAX);
    (fewest..fewest.saturating_add(WITHOUT_PRIME))
        .map_while(|bytes| Some((bytes, bits_in(bytes)?)))
        .find(|(_, bits)| u128::from(*bits) >= wanted)
        .ok_or_else(|| bits_per_key.too_large(keys, bits_per_key.most_keys(MAX_BYTES * 8)))
}

/// Returns the bits of a hash value.
fn positions(bits: u32, probes: u8, hash: u64) -> impl Iterator<Item = u32> {
    let [first, second] = halves(hash);
    let stride = first.rotate_right(17);
    let mut walk = first;
    (1..=u64::from(probes)).map(move |number| {
        // Less than 2^32 + 30 * 2^32. Only the first summand is reduced to 32 bits.
        let sum = u64::from(walk) + number * u64::from(second);
        walk = walk.wrapping_add(stride);
        low(sum % u64::from(bits))
    })
}

fn halves(hash: u64) -> [u32; 2] {
    [low(hash), low(hash >> 32)]
}

#[expect(clippy::cast_possible_truncation, reason = "the low half")]
const fn low(value: u64) -> u32 {
    value as u32
}

/// The Bloom filter of Basho's LevelDB (Riak).
///
/// The bytes are arranged as in LevelDB's format, but bit positions are taken modulo the largest prime that fits, up to
/// 12,497 bytes, and each probe adds a second hash, which depends on the processor that wrote the filter. Basho stores
/// both kinds under the name of LevelDB's filter. To read tables, use [`BashoTablePolicy`], which looks keys up by both.
///
/// ```
/// use filter_policy::{BashoFilterPolicy, FilterPolicy};
///
/// let policy = BashoFilterPolicy::new(16.into());
/// assert_eq!(policy.name(), "basho.BuiltinBloomFilter2.Murmur64A");
///
/// let filter = policy.build(["hello", "world"])?;
/// assert_eq!(filter.len(), 9);
/// assert!(policy.key_may_match(b"hello", &filter));
/// assert!(!policy.key_may_match(b"foo", &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub type BashoFilterPolicy = Policy<Basho>;

/// The format of [`BashoFilterPolicy`]: a bit array, then the probe count in the last byte.
#[derive(Debug, Clone, Copy)]
pub struct Basho {
    bits_per_key: BitsPerKey,
    second: SecondHash,
}

/// The second hash of a key.
#[derive(Debug, Clone, Copy)]
enum SecondHash {
    Murmur64A,
    Murmur2,
}

impl SecondHash {
    #[inline(always)]
    fn both(self, key: &[u8]) -> u64 {
        match self {
            Self::Murmur64A => basho_hash(key),
            Self::Murmur2 => basho_murmur2_hash(key),
        }
    }

    const fn function(self) -> HashFunctionId {
        match self {
            Self::Murmur64A => HashFunctionId::BASHO,
            Self::Murmur2 => HashFunctionId::BASHO_MURMUR2,
        }
    }
}

impl BashoFilterPolicy {
    /// The name of the policy of filters that were written on x86-64.
    pub const NAME: &str = "basho.BuiltinBloomFilter2.Murmur64A";

    /// The name of the policy of filters that were written on other processors.
    const NAME_MURMUR2: &str = "basho.BuiltinBloomFilter2.Murmur2";

    /// Makes a policy with this many bits per key, whose filters are those of x86-64. Riak's have 16.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        let second = SecondHash::Murmur64A;
        Self::of(Basho { bits_per_key, second })
    }

    /// Makes the policy of other processors, such as ARM: the second hash is MurmurHash2 with 32 bits.
    pub const fn with_murmur2(bits_per_key: BitsPerKey) -> Self {
        let second = SecondHash::Murmur2;
        Self::of(Basho { bits_per_key, second })
    }
}

impl Basho {
    /// Answers for a key from a prepared filter.
    fn look_up(numbers: &[u64; 3], bits: &[u8], key: &[u8]) -> bool {
        let filter = Self::restore(KernelToken::SCALAR, bits, *numbers);
        filter.all_set(filter.second.both(key))
    }
}

/// The policy of the filters in Basho's tables, whichever processor wrote them: a key may match if it does under either
/// second hash, so the false-positive rate is twice that of one. It builds what x86-64 builds.
///
/// ```
/// use filter_policy::{BashoFilterPolicy, BashoTablePolicy, FilterPolicy, MATCHES_EVERYTHING};
///
/// let policy = BashoTablePolicy::new(16.into());
/// for written in [BashoFilterPolicy::new(16.into()), BashoFilterPolicy::with_murmur2(16.into())] {
///     let filter = written.build(["hello", "world"])?;
///     assert!(policy.key_may_match(b"hello", &filter));
///     assert!(!policy.key_may_match(b"foo", &filter));
/// }
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct BashoTablePolicy {
    x86_64: BashoFilterPolicy,
    others: BashoFilterPolicy,
}

impl BashoTablePolicy {
    /// The name that `filter-tables` gives the filters, which Basho stores as `leveldb.BuiltinBloomFilter2`.
    pub const NAME: &str = "basho.BuiltinBloomFilter2";

    /// Makes a policy with this many bits per key.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self {
            x86_64: BashoFilterPolicy::new(bits_per_key),
            others: BashoFilterPolicy::with_murmur2(bits_per_key),
        }
    }
}

impl FilterPolicy for BashoTablePolicy {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        self.x86_64.max_filter_len(keys)
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        self.x86_64.bits_per_key()
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        self.x86_64.create_filter(keys, out)
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        self.x86_64.key_may_match(key, filter) || self.others.key_may_match(key, filter)
    }
}

/// The bits of a stored filter.
#[derive(Debug, Clone, Copy)]
pub struct PrimeBits<'f> {
    bit_array: &'f [u8],
    bits: u32,
    probes: u8,
    second: SecondHash,
}

impl PrimeBits<'_> {
    fn all_set(self, hash: u64) -> bool {
        let byte = |bit: u32| {
            self.bit_array
                .get((bit / 8) as usize)
                .copied()
                .unwrap_or_default()
        };
        positions(self.bits, self.probes, hash).all(|bit| byte(bit) >> (bit % 8) & 1 == 1)
    }
}

impl StoredBits for PrimeBits<'_> {
    type Hash = u64;

    #[inline(always)]
    fn may_match(self, _: KernelToken, hash: u64) -> bool {
        self.all_set(hash)
    }

    fn may_match_many(self, _: KernelToken, source: Source<'_, u64>, answers: &mut [u64]) {
        match source {
            Source::Keys(keys) => each(keys.iter(), answers, |key| self.all_set(self.second.both(key))),
            Source::Hashes(hashes) => each(hashes.iter(), answers, |&hash| self.all_set(hash)),
        }
    }
}

impl Format for Basho {
    type Hash = u64;
    type Filter<'f> = PrimeBits<'f>;

    fn name(&self) -> &str {
        match self.second {
            SecondHash::Murmur64A => BashoFilterPolicy::NAME,
            SecondHash::Murmur2 => BashoFilterPolicy::NAME_MURMUR2,
        }
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        Some(self.bits_per_key)
    }

    #[inline]
    fn hash_function(&self) -> HashFunctionId {
        self.second.function()
    }

    #[inline(always)]
    fn hash(&self, key: &[u8]) -> u64 {
        self.second.both(key)
    }

    fn max_len(&self, keys: usize) -> Result<usize, Error> {
        Ok(size(self.bits_per_key, keys as u64)?.0 + 1)
    }

    fn build(&self, _: KernelToken, source: Source<'_, u64>, out: &mut [u8]) -> Result<usize, Error> {
        let (bytes, bits) = size(self.bits_per_key, source.len() as u64)?;
        let probes = probes(self.bits_per_key);
        if let Some((last, bit_array)) = room(out, bytes + 1)?.split_last_mut() {
            *last = probes;
            bit_array.fill(0);
            let mut set = |bit: u32| {
                if let Some(byte) = bit_array.get_mut((bit / 8) as usize) {
                    *byte |= 1 << (bit % 8);
                }
            };
            each_batch(
                source,
                |key| self.hash(key),
                |hashes| {
                    hashes
                        .iter()
                        .for_each(|&hash| positions(bits, probes, hash).for_each(&mut set));
                },
            );
        }
        Ok(bytes + 1)
    }

    #[inline(always)]
    fn read<'f>(&self, filter: &'f [u8]) -> Option<PrimeBits<'f>> {
        let (bit_array, probes) = leveldb::split(filter)?;
        Some(PrimeBits {
            bit_array,
            bits: bits_in(bit_array.len())?,
            probes,
            second: self.second,
        })
    }

    fn other(filter: &[u8]) -> Prepared {
        Prepared::same_for_all(leveldb::is_reserved(filter))
    }

    fn prepare(&self, _: KernelToken, filter: PrimeBits<'_>) -> Prepared {
        let second = u64::from(matches!(self.second, SecondHash::Murmur2));
        let numbers = [filter.probes.into(), filter.bits.into(), second];
        let (function, bits) = (self.hash_function(), filter.bit_array);
        Prepared::new::<Self>(KernelToken::SCALAR, function, Some(Self::look_up), bits, numbers)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "was a byte")]
    fn restore(_: KernelToken, bit_array: &[u8], [probes, bits, second]: [u64; 3]) -> PrimeBits<'_> {
        PrimeBits {
            bit_array,
            bits: low(bits),
            probes: probes as u8,
            second: if second == 0 {
                SecondHash::Murmur64A
            } else {
                SecondHash::Murmur2
            },
        }
    }
}

impl ListedFormat for Basho {
    fn facts(&self) -> Facts {
        let short_names: &[_] = match self.second {
            SecondHash::Murmur64A => &["basho"],
            SecondHash::Murmur2 => &["basho-murmur2"],
        };
        Facts::new("Basho", short_names)
    }

    fn with_bits_per_key(self, bits_per_key: BitsPerKey) -> Self {
        Self { bits_per_key, ..self }
    }

    fn size(&self, keys: u64) -> Result<FilterSize, Error> {
        Ok(FilterSize {
            bytes: size(self.bits_per_key, keys)?.0 as u64 + 1,
            probes: Some(leveldb::probe_count(self.bits_per_key)),
        })
    }

    /// The rate of double hashing modulo 2^32: within 5 % of counts.
    fn rate(&self, keys: u64) -> Result<f64, Error> {
        let (_, bits) = size(self.bits_per_key, keys)?;
        Ok(rate(bits, keys, probes(self.bits_per_key), Precision::Full))
    }

    fn rough_rate(&self, keys: u64) -> Result<Option<f64>, Error> {
        let (_, bits) = size(self.bits_per_key, keys)?;
        let rate = rate(bits, keys, probes(self.bits_per_key), Precision::Rough);
        Ok(Some(rate))
    }

    /// Rounds down to the bits that a filter of these keys can have.
    fn reach(keys: u64) -> Option<u64> {
        let bits = MAX_BYTES * 8;
        Some(bits - bits % keys.clamp(1, bits))
    }

    fn view<'a>(&self, filter: &'a [u8]) -> FilterView<'a> {
        FilterView::of(self.read(filter), Self::other(filter), |filter| {
            let len = filter.bit_array.len();
            FilterView::bloom(self.facts().kind, filter.bit_array, len, filter.probes).with_rate_of(
                |bits, keys, probes| {
                    let len = usize::try_from(bits / 8).unwrap_or(usize::MAX);
                    bits_in(len).map_or(1.0, |bits| rate(bits, keys, probes, Precision::Full))
                },
            )
        })
    }

    fn write_damage(last: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        leveldb::LevelDb::<leveldb::LevelDbHash>::write_damage(last, f)
    }
}

/// Returns the rate of a filter of this many bits. The second hash makes starts and steps independent; only sums of the
/// first overflow.
fn rate(bits: u32, keys: u64, probes: u8, precision: Precision) -> f64 {
    let (bits, keys, probes) = (bits.into(), keys as f64, probes.into());
    let rate = DoubleHashing::Modulo(32).rate_with(bits, keys, probes, precision);
    rate.unwrap_or(1.0)
}

#[cfg(not(emulated))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_bits_is_the_largest_prime_that_fits() {
        let is_prime = |n: u32| n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
        for bytes in 1..WITHOUT_PRIME {
            let bits = bits_in(bytes).unwrap();
            let end = u32::try_from(8 * bytes).unwrap();
            assert!(is_prime(bits), "{bytes} bytes: {bits}");
            assert!(!(bits + 1..=end).any(is_prime), "{bytes} bytes: {bits}");
        }
        // The list's first and last numbers, and what follows it.
        let bits = [0, 1, 8, 166, 12_497, 12_498].map(|bytes| bits_in(bytes).unwrap_or_default());
        assert_eq!(bits, [0, 7, 61, 1327, 99_971, 99_984]);
        assert_eq!(bits_in(1 << 29), None);
    }

    /// A filter that its prime cannot hold is a byte longer.
    #[test]
    fn sizes_have_enough_bits() {
        let one = BitsPerKey::whole(1);
        for (bits, expected) in [
            (0, (8, 61)),
            (61, (8, 61)),
            (62, (9, 71)),
            (1327, (166, 1327)),
            (1328, (171, 1367)),
            (99_971, (12_497, 99_971)),
            (99_972, (12_498, 99_984)),
        ] {
            assert_eq!(size(one, bits).unwrap(), expected, "{bits}");
        }
        assert_eq!(size(one, MAX_BYTES * 8).unwrap().1, u32::MAX - 7);
        assert!(size(one, MAX_BYTES * 8 + 1).is_err());
        assert!(size(BitsPerKey::whole(u32::MAX), u64::MAX).is_err());
    }
}
