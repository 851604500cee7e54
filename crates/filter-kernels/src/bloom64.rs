//! Filters whose probes go anywhere: each number of a 64-bit walk selects the bit at the same relative place.

mod kernel;

use hashzoo::xxph3_64;

use crate::MAX_PROBES;
use crate::bits::{MAP_BITS, set_rest, usual};
use crate::choose::KernelToken;
use crate::compile::{Asker, asker, by_kernel};
use crate::hash::tile;
use crate::hash::xxph3::Xxph3;
use crate::lanes::{MAX_LANES, Target};
use crate::source::WideSource;
use crate::tiles::each_tile;
use kernel::{Ask, AskTile, CreateByMap, SetTile, prefetch};

/// The factor of the walk from one probe to the next: a multiplier that was found to spread well for 64-bit generators
/// without an addend (Steele and Vigna, "Computationally easy, spectrally good multipliers for congruential
/// pseudorandom number generators", 2022).
pub(crate) const MULTIPLIER: u64 = 0xf135_7aea_2e62_a9c5;

/// Returns the bit, out of `bits`, that a step of the walk selects.
#[inline(always)]
pub(crate) const fn position(walk: u64, bits: u64) -> u64 {
    ((walk as u128 * bits as u128) >> 64) as u64
}

/// Returns the positions of a hash value's bits in an array of this many bits.
pub fn positions(bits: u64, probes: u8, hash: u64) -> impl Iterator<Item = u64> {
    let walk = core::iter::successors(Some(hash), |walk| Some(walk.wrapping_mul(MULTIPLIER)));
    walk.take(probes.into()).map(move |walk| position(walk, bits))
}

/// Sets the bits of all keys.
#[inline(always)]
fn set_all(bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
    let bits = bit_array.len() as u64 * 8;
    let (words, rest) = bit_array.as_chunks_mut::<4>();
    let mut beyond = 0_u32;
    source.for_each(|hash| {
        let mut walk = hash;
        for _ in 0..probes {
            let position = position(walk, bits);
            let bit = 1 << (position % 32);
            match words.get_mut((position / 32) as usize) {
                Some(word) => *word = (u32::from_le_bytes(*word) | bit).to_le_bytes(),
                None => beyond |= bit,
            }
            walk = walk.wrapping_mul(MULTIPLIER);
        }
    });
    set_rest(rest, beyond);
}

/// Returns true if the bits of a hash value are set. Runs to the end even if a bit is missing: an early exit would be
/// mispredicted for half of the absent keys.
#[inline(always)]
fn all_of(bit_array: &[u8], probes: u8, hash: u64) -> bool {
    let bits = bit_array.len() as u64 * 8;
    let mut walk = hash;
    let mut all = 1;
    for _ in 0..probes {
        let position = position(walk, bits);
        let byte = usize::try_from(position / 8)
            .ok()
            .and_then(|at| bit_array.get(at))
            .copied()
            .unwrap_or_default();
        all &= byte >> (position % 8);
        walk = walk.wrapping_mul(MULTIPLIER);
    }
    all & 1 != 0
}

/// The probe count at 10 bits per key, for which loops are unrolled.
pub(crate) const USUAL_PROBES: u8 = 7;

/// The length in bytes from which bit arrays are prefetched before use.
pub(crate) const PREFETCHED: usize = 4 << 20;

/// The length in bytes from which positions do not fit into lanes.
pub(crate) const TOO_LONG: usize = 1 << 28;

/// [`insert`] in portable code.
#[inline(always)]
fn set(bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
    usual!(probes == USUAL_PROBES, |_MOST| set_all(bit_array, probes, source));
}

/// [`may_match`] in portable code.
#[inline(always)]
fn all_set(bit_array: &[u8], probes: u8, hash: u64) -> bool {
    usual!(probes == USUAL_PROBES, |_MOST| all_of(bit_array, probes, hash))
}

/// Returns the answers for at most 64 hash values, one bit each.
#[inline(always)]
pub(crate) fn each_set(bit_array: &[u8], probes: u8, hashes: &[u64]) -> u64 {
    hashes.iter().rev().fold(0, |answers, &hash| {
        answers << 1 | u64::from(all_set(bit_array, probes, hash))
    })
}

/// Writes the bits of all keys, with 1 to 30 probes each (other counts become the nearest), over whatever `bit_array` holds; it must not be empty.
pub fn create(kernel: KernelToken, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
    let probes = probes.clamp(1, MAX_PROBES);
    if bit_array.len() * 8 > MAP_BITS {
        bit_array.fill(0);
        return insert(kernel, bit_array, probes, source);
    }
    by_kernel!(
        |lanes, bit_array: &mut [u8], probes: u8, source: WideSource<'_>| -> () {
            lanes.here(CreateByMap(bit_array, probes, source));
        },
        kernel
    );
}

/// Adds the bits of all keys to `bit_array`; otherwise like [`create`].
pub fn insert(kernel: KernelToken, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
    let probes = probes.clamp(1, MAX_PROBES);
    by_kernel!(
        |lanes, bit_array: &mut [u8], probes: u8, source: WideSource<'_>| -> () {
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

/// Returns true if all bits of a hash value are set. The limits are those of [`create`].
#[inline(always)]
pub fn may_match(kernel: KernelToken, bit_array: &[u8], probes: u8, hash: u64) -> bool {
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

/// [`may_match`] for a key, hashed in the same call.
#[inline(always)]
pub fn key_may_match(kernel: KernelToken, bit_array: &[u8], probes: u8, key: &[u8]) -> bool {
    if bit_array.len() < TOO_LONG && kernel.lanes() == MAX_LANES {
        return by_kernel!(
            |lanes, bit_array: &[u8], probes: u8, key: &[u8]| -> bool {
                lanes.here(Ask(bit_array, probes, xxph3_64(key, 0)))
            },
            kernel
        );
    }
    key_all_set(bit_array, probes, key)
}

fn key_all_set(bit_array: &[u8], probes: u8, key: &[u8]) -> bool {
    all_set(bit_array, probes, xxph3_64(key, 0))
}

/// Returns the function that asks a prepared filter; the first number is the probe count.
pub fn asker(kernel: KernelToken) -> Asker {
    asker!(kernel, |lanes, numbers, bits, key| {
        key_may_match(KernelToken::with(lanes), bits, numbers[0] as u8, key)
    })
}

/// Writes the answers for all keys, one bit each, least significant first, over whatever `answers` holds; it has a word
/// for every 64 keys. Bits beyond the last key are 0.
pub fn may_match_many(
    kernel: KernelToken,
    bit_array: &[u8],
    probes: u8,
    source: WideSource<'_>,
    answers: &mut [u64],
) {
    by_kernel!(
        |lanes, bit_array: &[u8], probes: u8, source: WideSource<'_>, answers: &mut [u64]| -> () {
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
