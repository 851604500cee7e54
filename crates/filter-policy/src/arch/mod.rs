//! The same filters and answers by different instructions, chosen when the program runs.
//!
//! [`scalar`] is code for every processor. [`generic`] holds the algorithms over lanes of 32 bits, and `x86_64` the
//! instructions for them. This file is the one place that chooses. Knows nothing of policies, names or errors; what
//! comes in was checked.
#![expect(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lanes are 32 bits wide and count keys of a group; indices follow from lengths beside them"
)]

#[cfg(target_arch = "x86_64")]
mod generic;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use core::fmt;

use crate::hasher::LaneHash;
use crate::keys::{KeyBatch, PackedKeys};
use crate::modulus::Modulus;
#[cfg(target_arch = "x86_64")]
use x86_64::{Avx2, Avx512};

/// Largest bit array that is built as a map of one byte per bit first, in bits, as maps lie on the stack. A store to a
/// byte needs not wait for the one before, as a change of a bit would.
pub(crate) const MAP_BITS: usize = 8192;

/// A set of instructions by which filters are built and asked.
///
/// All of them give the same bytes and the same answers. Policies use [`Kernel::best`] unless they are told otherwise
/// by [`BloomFilterPolicy::on_kernel`](crate::BloomFilterPolicy::on_kernel); tests and benchmarks name one.
///
/// The choice can be made when the crate is compiled, too: `--cfg filter_policy_kernel="scalar"` (or `"avx2"`,
/// `"avx512"`) in `RUSTFLAGS` makes it the best one, where the processor has it.
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
    /// 8 keys at a time: x86-64 with AVX2, BMI1, BMI2, LZCNT and POPCNT (Intel Haswell of 2013, AMD Zen).
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

    /// Whether this processor and its operating system can run it.
    #[inline]
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => Avx512::detect().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// The fastest that is available, or the one that the build prescribes.
    #[inline]
    pub fn best() -> Self {
        if cfg!(filter_policy_kernel = "scalar") {
            Self::Scalar
        } else if !cfg!(filter_policy_kernel = "avx2") && Self::Avx512.is_available() {
            Self::Avx512
        } else if !cfg!(filter_policy_kernel = "avx512") && Self::Avx2.is_available() {
            Self::Avx2
        } else {
            Self::Scalar
        }
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
    modulus: Modulus,
    /// At most 30.
    probes: u32,
}

impl<'a> Asked<'a> {
    /// `bit_array` is not empty, and there are at most 30 probes.
    #[inline]
    pub(crate) fn new(bit_array: &'a [u8], probes: u8) -> Self {
        Self {
            bit_array,
            modulus: Modulus::of_bytes(bit_array.len()),
            probes: u32::from(probes),
        }
    }
}

/// Calls the function of this name with lanes, if the kernel has some, the processor has them, and the filter is not
/// too long for them; the portable one otherwise.
macro_rules! dispatch {
    ($kernel:expr, $function:ident($bit_array:expr, $modulus:expr $(, $argument:expr)*)) => {{
        #[cfg(target_arch = "x86_64")]
        if let Some(divisor) = $modulus.for_lanes() {
            if $kernel == Kernel::Avx512
                && let Some(lanes) = Avx512::detect()
            {
                return lanes.$function($bit_array, divisor $(, $argument)*);
            }
            if $kernel == Kernel::Avx2
                && let Some(lanes) = Avx2::detect()
            {
                return lanes.$function($bit_array, divisor $(, $argument)*);
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = $kernel;
        scalar::$function($bit_array, $modulus $(, $argument)*)
    }};
}

/// Writes the bits of all keys, with `probes` probes each, over whatever `bit_array` holds. It must not be empty.
pub(crate) fn create(kernel: Kernel, source: Source<'_>, probes: u8, bit_array: &mut [u8]) {
    let modulus = Modulus::of_bytes(bit_array.len());
    dispatch!(kernel, create(bit_array, modulus, probes, source))
}

/// [`create`] for at most [`MAP_BITS`], in memory of the caller's: a map of [`MAP_BITS`] bytes, all 0 before and after.
#[cfg(feature = "alloc")]
pub(crate) fn create_in_map(
    kernel: Kernel,
    source: Source<'_>,
    probes: u8,
    bit_array: &mut [u8],
    map: &mut [u8],
) {
    let modulus = Modulus::of_bytes(bit_array.len());
    dispatch!(kernel, create_in_map(bit_array, modulus, probes, source, map))
}

/// Sets the bits of these hash values besides those that are set. `bit_array` must not be empty.
pub(crate) fn insert(kernel: Kernel, hashes: &[u32], probes: u8, bit_array: &mut [u8]) {
    let modulus = Modulus::of_bytes(bit_array.len());
    dispatch!(kernel, insert(bit_array, modulus, probes, Source::Hashes(hashes)))
}

/// Whether all bits of a hash value are set.
#[inline(always)]
pub(crate) fn may_match(kernel: Kernel, asked: Asked<'_>, hash: u32) -> bool {
    dispatch!(
        kernel,
        may_match(asked.bit_array, asked.modulus, asked.probes, hash)
    )
}

/// The answers for all keys, one bit each, least significant first, over whatever `answers` holds; it has a word for
/// every 64 keys. Bits beyond the last key are 0.
pub(crate) fn may_match_many(kernel: Kernel, asked: &Asked<'_>, source: Source<'_>, answers: &mut [u64]) {
    dispatch!(
        kernel,
        may_match_many(asked.bit_array, asked.modulus, asked.probes, source, answers)
    )
}
