//! The Bloom filter of Basho's LevelDB (Riak): bits modulo a prime, and two hashes of a key.

use core::fmt;

use filter_kernels::{Allowed, Kernel, KernelToken, Source, StoredBits};
#[cfg(feature = "alloc")]
use filter_policy::KeyHash;
use filter_policy::answers::each;
use filter_policy::building::{each_batch, room};
use filter_policy::{
    BitsPerKey, Error, FilterBytes, FilterPolicy, HashFunctionId, Layout, Policy, Prepared, basho_hash,
    basho_murmur2_hash, leveldb,
};

use crate::leveldb::probes;
use crate::sizing::exact_rate;
#[cfg(feature = "alloc")]
use crate::view::places::Places;
use crate::view::{Described, EngineFormat, FilterView, TEN};

/// The minimum number of bits.
///
/// Source of this and the next two: Basho's LevelDB, `util/bloom2.cc`.
const MIN_BITS: u64 = 61;

/// The first length of a bit array, in bytes, that has no prime in Basho's list: all of its bits are used.
const WITHOUT_PRIME: usize = 12_498;

/// The longest bit array, in bytes: Basho counts bits in 32-bit numbers.
const MAX_BYTES: u64 = u32::MAX as u64 / 8;

/// The share of the rate, for each key and probe and over the square of the bits, that comes from keys with nearly the
/// same probes: the distances between a key's probes are nearly equal, so the probes of two keys often coincide or
/// differ by one. Measured with 10 to 300 keys at 10 and 15 bits per key.
const OVERLAP: f64 = 0.46;

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

/// The Bloom filter of Basho's LevelDB (Riak), made by [`Basho::new`] and [`Basho::with_murmur2`].
///
/// The layout is LevelDB's, but bit positions are taken modulo the largest prime that fits, up to 12,497 bytes, and
/// each probe adds a second hash, which depends on the processor that wrote the filter. Basho stores both kinds under
/// the name of LevelDB's filter. To read tables, take [`BashoTablePolicy`], which looks keys up by both.
///
/// ```
/// use filter_formats::Basho;
/// use filter_policy::FilterPolicy;
///
/// let policy = Basho::new(16.into());
/// assert_eq!(policy.name(), "basho.BuiltinBloomFilter2.Murmur64A");
///
/// let filter = policy.build(["hello", "world"])?;
/// assert_eq!(filter.len(), 9);
/// assert!(policy.key_may_match(b"hello", &filter));
/// assert!(!policy.key_may_match(b"foo", &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub type BashoFilterPolicy = Policy<Basho>;

/// The layout of [`BashoFilterPolicy`], with its constructors. A bit array, then the probe count in the last byte.
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

impl Basho {
    /// The name of the policy of filters that were written on x86-64.
    pub const NAME: &str = "basho.BuiltinBloomFilter2.Murmur64A";

    /// The name of the policy of filters that were written on other processors.
    pub const NAME_MURMUR2: &str = "basho.BuiltinBloomFilter2.Murmur2";

    /// Makes a policy with this many bits per key, whose filters are those of x86-64. Riak's have 16.
    pub const fn new(bits_per_key: BitsPerKey) -> Policy<Self> {
        Self::with(SecondHash::Murmur64A, bits_per_key)
    }

    /// Makes the policy of other processors, such as ARM: the second hash is MurmurHash2 with 32 bits.
    pub const fn with_murmur2(bits_per_key: BitsPerKey) -> Policy<Self> {
        Self::with(SecondHash::Murmur2, bits_per_key)
    }

    const fn with(second: SecondHash, bits_per_key: BitsPerKey) -> Policy<Self> {
        Policy::of(Self { bits_per_key, second })
    }

    /// Answers for a key from a prepared filter.
    fn look_up(numbers: &[u64; 3], bits: &[u8], key: &[u8]) -> bool {
        let filter = Self::restore(KernelToken::Scalar, bits, *numbers);
        filter.all_set(filter.second.both(key))
    }
}

/// The policy of the filters in Basho's tables, whichever processor wrote them: a key may match if it does under either
/// second hash, so the false-positive rate is twice that of one. It builds what x86-64 builds.
///
/// ```
/// use filter_formats::{Basho, BashoTablePolicy};
/// use filter_policy::{FilterPolicy, MATCHES_EVERYTHING};
///
/// let policy = BashoTablePolicy::new(16.into());
/// for written in [Basho::new(16.into()), Basho::with_murmur2(16.into())] {
///     let filter = written.build(["hello", "world"])?;
///     assert!(policy.key_may_match(b"hello", &filter));
///     assert!(!policy.key_may_match(b"foo", &filter));
/// }
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct BashoTablePolicy {
    x86_64: Policy<Basho>,
    others: Policy<Basho>,
}

impl BashoTablePolicy {
    /// The name that `filter-tables` gives the filters, which Basho stores as `leveldb.BuiltinBloomFilter2`.
    pub const NAME: &str = "basho.BuiltinBloomFilter2";

    /// Makes a policy with this many bits per key.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self {
            x86_64: Basho::new(bits_per_key),
            others: Basho::with_murmur2(bits_per_key),
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

impl Layout for Basho {
    type Hash = u64;
    type Filter<'f> = PrimeBits<'f>;

    fn name(&self) -> &str {
        match self.second {
            SecondHash::Murmur64A => Self::NAME,
            SecondHash::Murmur2 => Self::NAME_MURMUR2,
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
        Prepared::new::<Self>(KernelToken::Scalar, function, Some(Self::look_up), bits, numbers)
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

    /// Returns the scalar kernel alone: there are no others.
    #[inline(always)]
    fn allowed(_: Allowed) -> Allowed {
        Allowed::only(Kernel::Scalar)
    }
}

impl EngineFormat {
    /// The filter of [`Basho`]: LevelDB's layout, with bits modulo a prime and two hashes. The rate is the exact one of
    /// an ideal filter, from [`exact_rate`], and a term that was measured: a third of it in filters of 10 keys, and 2 %
    /// of 300.
    pub const BASHO: Self = Self(&Basho {
        bits_per_key: TEN,
        second: SecondHash::Murmur64A,
    });
}

/// Describes the layout, which is the same for both hashes.
impl Described for Basho {
    fn name(&self) -> &'static str {
        "Basho"
    }

    fn view<'a>(&self, filter: &'a [u8]) -> FilterView<'a> {
        FilterView::of(self.read(filter), Self::other(filter), |filter| {
            let len = filter.bit_array.len();
            FilterView::bloom(EngineFormat::BASHO, filter.bit_array, len, filter.probes)
        })
    }

    #[cfg(feature = "alloc")]
    fn places(&self, len: usize, tail: &[u8], hash: KeyHash) -> Option<Places> {
        let bits = bits_in(len.saturating_sub(1));
        let read = leveldb::split(tail).and_then(|(_, probes)| Some((bits?, probes)));
        let hash = hash
            .of(HashFunctionId::BASHO)
            .or(hash.of(HashFunctionId::BASHO_MURMUR2));
        Some(Places::of(
            read,
            leveldb::is_reserved(tail),
            hash,
            |(bits, probes), hash| Places::Bits(positions(bits, probes, hash).map(u64::from).collect()),
        ))
    }

    fn damage(&self, last: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        EngineFormat::LEVEL_DB.0.damage(last, f)
    }

    fn filter_len(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<u64, Error> {
        Ok(size(bits_per_key, keys)?.0 as u64 + 1)
    }

    fn probe_count(&self, _: u64, bits_per_key: BitsPerKey) -> Result<Option<u32>, Error> {
        Ok(Some(leveldb::probe_count(bits_per_key)))
    }

    fn rate(&self, keys: u64, bits_per_key: BitsPerKey) -> Result<f64, Error> {
        let (_, bits) = size(bits_per_key, keys)?;
        let probes = leveldb::probe_count(bits_per_key);
        let ideal = exact_rate(bits.into(), keys, probes)?;
        let bits = f64::from(bits);
        Ok((ideal + OVERLAP * f64::from(probes) * keys as f64 / (bits * bits)).min(1.0))
    }

    /// Rounds down to the bits that a filter of these keys can have.
    fn reach(&self, keys: u64) -> Option<u64> {
        let bits = MAX_BYTES * 8;
        Some(bits - bits % keys.clamp(1, bits))
    }
}

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
