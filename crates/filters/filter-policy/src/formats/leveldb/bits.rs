//! LevelDB's bit array: a 32-bit hash, and a rotation of it as the distance from one probe to the next.
//!
//! Arguments must be valid.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

use core::ops::RangeInclusive;

use hashzoo::{leveldb_hash, murmur2, murmur2_signed_tail};

use super::definition::{USUAL_PROBES, scalar_may_match};
use super::{kernel, many, scalar};
use crate::simd::bits::{MAP_BITS, MAX_PROBES};
use crate::simd::choose::KernelToken;
use crate::simd::compile::{Lookup, by_kernel, lookup};
use crate::simd::kernel::Kernel;
use crate::simd::lanes::Target;
use crate::simd::modulus::{LaneDivisor, Modulus};
use crate::simd::source::{LaneHash, LaneSource, Source};
use crate::simd::stored_bits::StoredBits;

/// Returns the kernel for bit arrays of this many bytes, and the numbers of its divisor for remainders by their bits:
/// those of a [`Modulus`] for portable code, otherwise of a [`LaneDivisor`].
#[inline]
fn dispatch(kernel: KernelToken, bytes: usize) -> (KernelToken, [u64; 2]) {
    if !kernel.is_scalar()
        && let Some(divisor) = LaneDivisor::of_bytes(bytes)
    {
        return (kernel, divisor.parts());
    }
    (KernelToken::SCALAR, Modulus::of_bytes(bytes).parts())
}

/// Writes the bits of all keys, with `probes` probes each, at most 30, over whatever `bit_array` holds; it must not be
/// empty.
pub(crate) fn create(kernel: KernelToken, source: LaneSource<'_>, probes: u8, bit_array: &mut [u8]) {
    if bit_array.len() > MAP_BITS / 8 {
        bit_array.fill(0);
        return insert(kernel, source, probes, bit_array);
    }
    let probes = probes.min(MAX_PROBES);
    let (kernel, parts) = dispatch(kernel, bit_array.len());
    let divisor = LaneDivisor::of_lanes(parts);
    by_kernel!(|lanes, bit_array: &mut [u8], divisor: LaneDivisor, probes: u8, source: LaneSource<'_>| -> () {
            kernel::create_small(lanes, bit_array, divisor, source);
        }
        apart (!kernel::is_small(bit_array, probes)) {
            true => { kernel::create_by_map(lanes, bit_array, divisor, probes, source) }
        }, kernel, scalar::create(bit_array, Modulus::of_parts(parts), probes, source));
}

/// Adds the bits of all keys to `bit_array`; otherwise like [`create`].
pub(crate) fn insert(kernel: KernelToken, source: LaneSource<'_>, probes: u8, bit_array: &mut [u8]) {
    let probes = probes.min(MAX_PROBES);
    let (kernel, parts) = dispatch(kernel, bit_array.len());
    let divisor = LaneDivisor::of_lanes(parts);
    by_kernel!(
        |lanes, bit_array: &mut [u8], divisor: LaneDivisor, probes: u8, source: LaneSource<'_>| -> () {
            kernel::insert(lanes, bit_array, divisor, probes, source);
        },
        kernel,
        scalar::set_all(bit_array, Modulus::of_parts(parts), probes, source)
    );
}

/// A stored filter.
#[derive(Debug, Clone, Copy)]
pub struct LevelDbBits<'f> {
    bit_array: &'f [u8],
    probes: u8,
    function: Option<LaneHash>,
    /// Set in a prepared filter: the kernel, and the numbers of its divisor from [`dispatch`].
    parts: Option<(KernelToken, [u64; 2])>,
}

impl<'f> LevelDbBits<'f> {
    /// Takes a bit array, which is not empty, and a probe count, at most 30; `function` hashes the keys, if kernels
    /// know it.
    #[inline(always)]
    pub(crate) const fn new(bit_array: &'f [u8], probes: u8, function: Option<LaneHash>) -> Self {
        let parts = None;
        Self {
            bit_array,
            probes,
            function,
            parts,
        }
    }

    #[inline(always)]
    fn parts(self, kernel: KernelToken) -> (KernelToken, [u64; 2]) {
        match self.parts {
            Some(parts) => parts,
            None => dispatch(kernel, self.bit_array.len()),
        }
    }

    /// Returns the bit array.
    pub(crate) const fn bit_array(&self) -> &'f [u8] {
        self.bit_array
    }

    /// Returns the kernel, the function that queries the prepared filter if kernels know how to hash, and the numbers
    /// from which [`of_numbers`](Self::of_numbers) makes it again.
    #[inline]
    pub(crate) fn prepare(self, kernel: KernelToken) -> (KernelToken, Option<Lookup>, [u64; 3]) {
        let (kernel, [divisor, reciprocal]) = self.parts(kernel);
        let (number, seed) = match self.function {
            None => (0, 0),
            Some(LaneHash::LevelDb { seed }) => (1, seed),
            Some(LaneHash::Murmur2 { seed }) => (2, seed),
            Some(LaneHash::Murmur2SignedTail { seed }) => (3, seed),
        };
        let rest = u64::from(self.probes) | number << 8 | u64::from(seed) << 32;
        let lookup = self
            .function
            .map(|function| lookup(kernel, function, self.probes));
        (kernel, lookup, [divisor, reciprocal, rest])
    }

    /// Returns the filter with this bit array, given the other results of [`prepare`](Self::prepare). Other numbers are
    /// computed anew if the kernel is in lanes, which read memory at remainders unchecked.
    #[inline(always)]
    pub(crate) fn of_numbers(
        kernel: KernelToken,
        bit_array: &'f [u8],
        [divisor, reciprocal, rest]: [u64; 3],
    ) -> Self {
        let (probes, seed) = (rest as u8, (rest >> 32) as u32);
        let function = match (rest >> 8) as u8 {
            1 => Some(LaneHash::LevelDb { seed }),
            2 => Some(LaneHash::Murmur2 { seed }),
            3 => Some(LaneHash::Murmur2SignedTail { seed }),
            _ => None,
        };
        let mut parts = (kernel, [divisor, reciprocal]);
        if !kernel.is_scalar() && LaneDivisor::of_parts(parts.1, bit_array.len()).is_none() {
            parts = dispatch(kernel, bit_array.len());
        }
        Self {
            bit_array,
            probes,
            function,
            parts: Some(parts),
        }
    }
}

impl StoredBits for LevelDbBits<'_> {
    type Hash = u32;

    const HAS_KERNELS: bool = true;

    const HASHED_INLINE: RangeInclusive<usize> = 16..=16;

    /// Checks the length: one comparison for both limits.
    #[inline(always)]
    fn may_be_usual(filter: &[u8]) -> bool {
        filter.len().wrapping_sub(2) < LaneDivisor::MAX_BYTES
    }

    #[inline(always)]
    fn may_match(self, kernel: KernelToken, hash: u32) -> bool {
        // The numbers one by one, so that all arguments are in registers.
        let (kernel, [bits, rest]) = self.parts(kernel);
        let (bit_array, probes) = (self.bit_array, self.probes.into());
        by_kernel!(
            |lanes, bit_array: &[u8], bits: u64, rest: u64, probes: u32, hash: u32| -> bool {
                kernel::may_match(lanes, bit_array, bits, rest, probes, hash)
            },
            kernel,
            scalar_may_match(bit_array, Modulus::of_parts([bits, rest]), probes, hash)
        )
    }

    fn may_match_many(self, kernel: KernelToken, source: Source<'_, u32>, answers: &mut [u64]) {
        let source = match (source, self.function) {
            (Source::Keys(keys), Some(function)) => LaneSource::Keys(keys, function),
            (Source::Hashes(hashes), _) => LaneSource::Hashes(hashes),
            // Unreachable: the policy hashes the keys.
            (Source::Keys(_), None) => return answers.fill(u64::MAX),
        };
        let (kernel, parts) = self.parts(kernel);
        let (bit_array, divisor, probes) = (
            self.bit_array,
            LaneDivisor::of_lanes(parts),
            u32::from(self.probes),
        );
        by_kernel!(
            |lanes,
             bit_array: &[u8],
             divisor: LaneDivisor,
             probes: u32,
             source: LaneSource<'_>,
             answers: &mut [u64]|
             -> () {
                many::may_match_many(lanes, bit_array, divisor, probes, source, answers);
            },
            kernel,
            scalar::answer_each(bit_array, Modulus::of_parts(parts), probes, source, answers)
        );
    }

    /// Returns true for the probe counts of code without loops.
    #[inline(always)]
    fn is_usual<T: Target>(self, _: T) -> bool {
        match T::KERNEL {
            Kernel::Scalar => self.probes == USUAL_PROBES,
            _ => self.probes <= 8 && LaneDivisor::of_bytes(self.bit_array.len()).is_some(),
        }
    }

    #[inline(always)]
    fn matches<T: Target>(self, lanes: T, hash: u32) -> bool {
        lanes.here(kernel::QueryUsual(self.bit_array, self.probes, hash))
    }
}

/// Returns the function that queries a prepared filter of this probe count: the numbers are those of `dispatch`, and the
/// probe count with the seed of the hash function above its 32 bits. The kernel is that of the parts.
fn lookup(kernel: KernelToken, function: LaneHash, probes: u8) -> Lookup {
    // Portable code takes the prepared numbers for all probe counts, and loses more by a branch than it gains.
    let is_usual = probes <= 8 && !kernel.is_scalar();
    macro_rules! by_hash {
        ($hash:ident) => {
            if is_usual {
                // Keys of 16 bytes have code without a loop. The rest is apart, so that these save no registers for it.
                lookup!(kernel, |lanes, numbers, bits, key| {
                    let key = key.first_chunk::<16>().expect("16 bytes");
                    look_up_usual(lanes, numbers, bits, |seed| $hash(key, seed))
                }
                apart (key.len() != 16) {
                    true => { look_up_usual(lanes, numbers, bits, |seed| $hash(key, seed)) }
                })
            } else {
                lookup!(kernel, |lanes, numbers, bits, key| {
                    look_up(lanes, numbers, bits, |seed| $hash(key, seed))
                })
            }
        };
    }
    match function {
        LaneHash::LevelDb { .. } => by_hash!(leveldb_hash),
        LaneHash::Murmur2 { .. } => by_hash!(murmur2),
        LaneHash::Murmur2SignedTail { .. } => by_hash!(murmur2_signed_tail),
    }
}

/// [`lookup()`], given the hash function.
#[inline(always)]
fn look_up<T: Target>(lanes: T, numbers: &[u64; 3], bits: &[u8], hash: impl FnOnce(u32) -> u32) -> bool {
    let [divisor, reciprocal, rest] = *numbers;
    let hash = hash((rest >> 32) as u32);
    lanes.here(kernel::QueryAny(
        bits,
        [divisor, reciprocal],
        u32::from(rest as u8),
        hash,
    ))
}

/// [`look_up`] for lanes, and the probe counts of code without loops. It divides anew: lanes read memory at remainders
/// unchecked, and checking the numbers takes longer.
#[inline(always)]
fn look_up_usual<T: Target>(
    lanes: T,
    [_, _, rest]: &[u64; 3],
    bits: &[u8],
    hash: impl FnOnce(u32) -> u32,
) -> bool {
    let hash = hash((rest >> 32) as u32);
    lanes.here(kernel::QueryUsual(bits, *rest as u8, hash))
}
