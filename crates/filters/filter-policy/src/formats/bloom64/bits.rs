//! Filters whose probes go anywhere: each number of a 64-bit walk selects the bit at the same relative place.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

use core::ops::RangeInclusive;

use hashzoo::xxph3_64;

use super::definition::{all_set, set};
use super::kernel::{Ask, AskTile, CreateByMap, SetTile, TOO_LONG, prefetch};
#[cfg(feature = "alloc")]
use crate::building::parts::PartSizes;
use crate::key_hash::XXPH3_INLINE;
use crate::simd::bits::{MAP_BITS, MAX_PROBES};
use crate::simd::choose::KernelToken;
use crate::simd::compile::{Lookup, by_kernel, lookup};
use crate::simd::hash::tile;
use crate::simd::hash::xxph3::Xxph3;
use crate::simd::lanes::{MAX_LANES, Target as _};
use crate::simd::source::Source;
use crate::simd::stored_bits::StoredBits;
use crate::simd::tiles::each_tile;

/// The length in bytes from which bit arrays are prefetched before use.
const PREFETCHED: usize = 4 << 20;

/// Writes the bits of all keys, with 1 to 30 probes each (other counts become the nearest), over whatever `bit_array`
/// holds; it must not be empty.
pub(crate) fn create(kernel: KernelToken, bit_array: &mut [u8], probes: u8, source: Source<'_, u64>) {
    let probes = probes.clamp(1, MAX_PROBES);
    if bit_array.is_empty() || bit_array.len() as u64 * 8 > MAP_BITS as u64 {
        bit_array.fill(0);
        return insert(kernel, bit_array, probes, source);
    }
    by_kernel!(
        |lanes, bit_array: &mut [u8], probes: u8, source: Source<'_, u64>| -> () {
            lanes.here(CreateByMap(bit_array, probes, source));
        },
        kernel
    );
}

/// Adds the bits of all keys to `bit_array`; otherwise like [`create`].
pub(crate) fn insert(kernel: KernelToken, bit_array: &mut [u8], probes: u8, source: Source<'_, u64>) {
    let probes = probes.clamp(1, MAX_PROBES);
    #[cfg(feature = "alloc")]
    if bit_array.len() >= PartSizes::BEST.least
        && super::large::insert(PartSizes::BEST, kernel, bit_array, probes, source)
    {
        return;
    }
    by_kernel!(
        |lanes, bit_array: &mut [u8], probes: u8, source: Source<'_, u64>| -> () {
            each_tile!(
                source.len(),
                bit_array.len() >= PREFETCHED,
                |start, hashes| tile::hash::<Xxph3<false>, _>(lanes, source, start, hashes),
                |hashes| prefetch::<_, true>(lanes, bit_array, probes, hashes),
                |_, tile| lanes.here(SetTile(bit_array, probes, tile))
            );
        },
        kernel,
        set(bit_array, probes, source)
    );
}

/// A stored filter: the bit array, which is not empty, and 1 to 30 probes.
#[derive(Debug, Clone, Copy)]
pub struct Bloom64Bits<'f>(pub &'f [u8], pub u8);

impl StoredBits for Bloom64Bits<'_> {
    type Hash = u64;

    const HAS_KERNELS: bool = true;

    const HASHED_INLINE: RangeInclusive<usize> = XXPH3_INLINE;

    #[inline(always)]
    fn may_be_usual(filter: &[u8]) -> bool {
        filter.len() >= 2
    }

    #[inline(always)]
    fn may_match(self, kernel: KernelToken, hash: u64) -> bool {
        let Self(bit_array, probes) = self;
        // Shorter vectors hold fewer walks than there are probes, and a call would take longer.
        if bit_array.len() < TOO_LONG && kernel.lanes() == MAX_LANES {
            return by_kernel!(
                |lanes, bit_array: &[u8], probes: u8, hash: u64| -> bool {
                    lanes.here(Ask(bit_array, probes, hash))
                },
                kernel
            );
        }
        all_set(bit_array, probes, hash)
    }

    fn may_match_many(self, kernel: KernelToken, source: Source<'_, u64>, answers: &mut [u64]) {
        let Self(bit_array, probes) = self;
        by_kernel!(
            |lanes, bit_array: &[u8], probes: u8, source: Source<'_, u64>, answers: &mut [u64]| -> () {
                each_tile!(
                    source.len(),
                    bit_array.len() >= PREFETCHED,
                    |start, hashes| tile::hash::<Xxph3<false>, _>(lanes, source, start, hashes),
                    |hashes| prefetch::<_, false>(lanes, bit_array, probes, hashes),
                    |number, tile| answers[number] = lanes.here(AskTile(bit_array, probes, tile))
                );
            },
            kernel,
            source.answer_each(answers, |hash| all_set(bit_array, probes, hash))
        );
    }
}

/// Returns the function that queries a prepared filter; the first number is the probe count.
pub(crate) fn lookup(kernel: KernelToken) -> Lookup {
    lookup!(
        kernel,
        |lanes, numbers, bits, key| {
            // Inline, so that no register is saved for a call.
            let key = key.first_chunk::<16>().expect("16 bytes");
            Bloom64Bits(bits, numbers[0] as u8).matches(lanes, xxph3_64(key, 0))
        }
        apart (key.len() != 16) { true => { Bloom64Bits(bits, numbers[0] as u8).matches(lanes, xxph3_64(key, 0)) } }
    )
}
