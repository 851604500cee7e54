//! The same filters and answers by different instructions, chosen when the program runs.
//!
//! [`scalar`] is code for every processor. [`generic`] holds the algorithms over lanes of 32 bits, and `x86_64` the
//! instructions for them. This file is the one place that chooses. Knows nothing of policies, names or errors; what
//! comes in was checked, but for stored filters that are asked for one key.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        clippy::cast_possible_truncation,
        clippy::indexing_slicing,
        reason = "lanes are 32 bits wide and count keys of a group; indices follow from lengths beside them"
    )
)]

#[cfg(target_arch = "x86_64")]
mod generic;
mod scalar;
pub(crate) mod wide;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use core::fmt;

use crate::hasher::{KeyHasher, LaneHash};
use crate::keys::{KeyBatch, PackedKeys};
#[cfg(target_arch = "x86_64")]
use crate::modulus::LaneDivisor;
use crate::modulus::Modulus;
use crate::params::MAX_PROBES;
#[cfg(target_arch = "x86_64")]
use x86_64::{Avx2, Avx512, Found};

/// Largest bit array that is built as a map of one byte per bit first, in bits, as maps lie on the stack. A store to a
/// byte needs not wait for the one before, as a change of a bit would.
pub(crate) const MAP_BITS: usize = 8192;

/// A set of instructions by which filters are built and asked.
///
/// All of them give the same bytes and the same answers. Policies use [`Kernel::best`] unless they are told otherwise
/// by [`BloomFilterPolicy::on_kernel`](crate::BloomFilterPolicy::on_kernel); tests and benchmarks name one.
///
/// With the feature `std` the environment variable `FILTER_POLICY_KERNEL` names the fastest that a program may use,
/// `scalar` or `avx2`: for everything, as if the processor had no other. It is read once, before the first filter is
/// built or asked; another value changes nothing.
///
/// ```
/// use filter_policy::Kernel;
///
/// assert!(Kernel::available().any(|kernel| kernel == Kernel::best()));
/// assert!(Kernel::Scalar.is_available());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kernel {
    /// Portable code, one key at a time; on every processor.
    Scalar,
    /// 8 keys at a time: x86-64 with AVX2, BMI1, BMI2 and POPCNT (Intel Haswell of 2013, AMD Zen).
    Avx2,
    /// 16 keys at a time: x86-64 with AVX-512 F, BW, DQ and VL besides (Intel Skylake-SP of 2017, AMD Zen 4).
    Avx512,
}

impl Kernel {
    /// All that the crate has, for whatever processor, slowest first.
    pub const ALL: [Self; 3] = [Self::Scalar, Self::Avx2, Self::Avx512];

    /// Those that this processor and its operating system can run, slowest first. The answer stays the same as long as
    /// the program runs.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kernel| kernel.is_available())
    }

    /// Whether this processor and its operating system can run it, and the environment does not forbid it.
    pub fn is_available(self) -> bool {
        Chosen::of(self).kernel() == self
    }

    /// The fastest that is available.
    pub fn best() -> Self {
        Chosen::best().kernel()
    }

    /// Its name in lower case: `scalar`, `avx2`, `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Where hash values come from.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Slices(&'a [&'a [u8]], LaneHash),
    Packed(PackedKeys<'a>, LaneHash),
    Hashes(&'a [u32]),
}

impl<'a> Source<'a> {
    pub(crate) const fn keys(keys: KeyBatch<'a>, hash: LaneHash) -> Self {
        match keys {
            KeyBatch::Slices(keys) => Self::Slices(keys, hash),
            KeyBatch::Packed(keys) => Self::Packed(keys, hash),
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn len(&self) -> usize {
        match self {
            Self::Slices(keys, _) => keys.len(),
            Self::Packed(keys, _) => keys.len(),
            Self::Hashes(hashes) => hashes.len(),
        }
    }
}

/// The bits of a filter to be asked, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    bit_array: &'a [u8],
    way: Way,
    /// At most 30.
    probes: u32,
}

impl<'a> Asked<'a> {
    /// `bit_array` is not empty, and there are at most 30 probes.
    #[inline]
    pub(crate) fn new(kernel: Chosen, bit_array: &'a [u8], probes: u8) -> Self {
        Self {
            bit_array,
            way: Way::new(kernel, bit_array.len()),
            probes: u32::from(probes),
        }
    }
}

/// A kernel that was found to be available: the proof goes with it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Chosen {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Chosen {
    /// [`Kernel::best`].
    #[inline]
    pub(crate) fn best() -> Self {
        Self::given(None)
    }

    /// This kernel, or the portable one where it is not available.
    #[inline]
    pub(crate) fn of(kernel: Kernel) -> Self {
        Self::given(Some(kernel))
    }

    /// [`of`](Self::of) this kernel, or the [`best`](Self::best).
    #[inline]
    pub(crate) fn given(kernel: Option<Kernel>) -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            Self::among(Found::before().unwrap_or_else(Found::now), kernel)
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            // Whichever it is, there is no other.
            let _ = kernel;
            Self::Scalar
        }
    }

    /// The fastest of those that were found.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn among(found: Found, kernel: Option<Kernel>) -> Self {
        let found = found.only_for(kernel);
        if let Some(lanes) = Avx512::of(found) {
            Self::Avx512(lanes)
        } else if let Some(lanes) = Avx2::of(found) {
            Self::Avx2(lanes)
        } else {
            Self::Scalar
        }
    }

    pub(crate) const fn kernel(self) -> Kernel {
        match self {
            Self::Scalar => Kernel::Scalar,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => Kernel::Avx2,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => Kernel::Avx512,
        }
    }
}

/// A kernel for bit arrays of one length, and what remainders by their bits take.
#[derive(Debug, Clone, Copy)]
enum Way {
    Scalar(Modulus),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2, LaneDivisor),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512, LaneDivisor),
}

impl Way {
    #[inline]
    fn new(kernel: Chosen, bytes: usize) -> Self {
        #[cfg(target_arch = "x86_64")]
        match kernel {
            Chosen::Scalar => {}
            Chosen::Avx2(lanes) => {
                if let Some(divisor) = LaneDivisor::of_bytes(bytes) {
                    return Self::Avx2(lanes, divisor);
                }
            }
            Chosen::Avx512(lanes) => {
                if let Some(divisor) = LaneDivisor::of_bytes(bytes) {
                    return Self::Avx512(lanes, divisor);
                }
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let Chosen::Scalar = kernel;
        Self::Scalar(Modulus::of_bytes(bytes))
    }
}

/// Calls the function of this name, of the lanes or of the portable code.
macro_rules! dispatch {
    ($way:expr, $function:ident($bit_array:expr $(, $argument:expr)*)) => {
        match $way {
            #[cfg(target_arch = "x86_64")]
            Way::Avx512(lanes, divisor) => lanes.$function($bit_array, divisor $(, $argument)*),
            #[cfg(target_arch = "x86_64")]
            Way::Avx2(lanes, divisor) => lanes.$function($bit_array, divisor $(, $argument)*),
            Way::Scalar(modulus) => scalar::$function($bit_array, modulus $(, $argument)*),
        }
    };
}

/// Writes the bits of all keys, with `probes` probes each, over whatever `bit_array` holds. It must not be empty.
pub(crate) fn create(kernel: Chosen, source: Source<'_>, probes: u8, bit_array: &mut [u8]) {
    let way = Way::new(kernel, bit_array.len());
    dispatch!(way, create(bit_array, probes, source))
}

/// Sets the bits of these hash values besides those that are set. `bit_array` must not be empty.
pub(crate) fn insert(kernel: Chosen, hashes: &[u32], probes: u8, bit_array: &mut [u8]) {
    let way = Way::new(kernel, bit_array.len());
    dispatch!(way, insert(bit_array, probes, Source::Hashes(hashes)))
}

/// Whether all bits of a hash value are set.
#[inline(always)]
pub(crate) fn may_match(asked: Asked<'_>, hash: u32) -> bool {
    dispatch!(asked.way, may_match(asked.bit_array, asked.probes, hash))
}

/// Whether a stored filter, of any bytes, may hold a key.
#[inline(always)]
pub(crate) fn may_match_key<H: KeyHasher + ?Sized>(
    hasher: &H,
    key: &[u8],
    filter: &[u8],
    kernel: Option<Kernel>,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        // All that this function does is to choose another one.
        let Some(found) = Found::before() else {
            return may_match_at_first(hasher, key, filter, kernel);
        };
        match Chosen::among(found, kernel) {
            Chosen::Avx512(lanes) => return lanes.may_match_key(hasher, key, filter),
            Chosen::Avx2(lanes) => return lanes.may_match_key(hasher, key, filter),
            Chosen::Scalar => {}
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let Chosen::Scalar = Chosen::given(kernel);
    scalar::may_match_key(hasher, key, filter)
}

/// The same before anyone has looked for kernels.
#[cfg(target_arch = "x86_64")]
#[cold]
#[inline(never)]
fn may_match_at_first<H: KeyHasher + ?Sized>(
    hasher: &H,
    key: &[u8],
    filter: &[u8],
    kernel: Option<Kernel>,
) -> bool {
    may_match_stored(hasher, key, filter, Chosen::given(kernel))
}

/// The same for what the kernels' own functions leave to it.
#[inline(never)]
fn may_match_stored<H: KeyHasher + ?Sized>(hasher: &H, key: &[u8], filter: &[u8], kernel: Chosen) -> bool {
    may_match_hash(|| hasher.hash(key), filter, kernel)
}

/// Whether a stored filter, of any bytes, may hold a key of the hash value that `hash` computes.
#[inline(always)]
pub(crate) fn may_match_hash(hash: impl FnOnce() -> u32, filter: &[u8], kernel: Chosen) -> bool {
    match filter {
        [] | [_] => false,
        [.., probes] if *probes > MAX_PROBES => true,
        [bit_array @ .., probes] => {
            let hash = hash();
            may_match(Asked::new(kernel, bit_array, *probes), hash)
        }
    }
}

/// The answers for all keys, one bit each, least significant first, over whatever `answers` holds; it has a word for
/// every 64 keys. Bits beyond the last key are 0.
pub(crate) fn may_match_many(asked: &Asked<'_>, source: Source<'_>, answers: &mut [u64]) {
    dispatch!(
        asked.way,
        may_match_many(asked.bit_array, asked.probes, source, answers)
    )
}
