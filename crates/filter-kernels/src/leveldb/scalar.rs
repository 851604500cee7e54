//! Portable code: no division, no data-dependent branch, no intrinsics.

use core::mem::MaybeUninit;

use hashzoo::{leveldb_hash, murmur2, murmur2_signed_tail};

use super::{USUAL_PROBES, may_match_stored};
use crate::bits::{Aligned, cleared, set_rest, usual};
use crate::choose::KernelToken;
use crate::keys::Keys;
use crate::modulus::Modulus;
use crate::source::{LaneHash, Source, answering};

/// Passes the positions of the bits of a hash value: the distance from one probe to the next is a rotation of it.
#[inline(always)]
pub(crate) fn positions(modulus: Modulus, probes: u8, hash: u32, visit: &mut impl FnMut(u32)) {
    let stride = hash.rotate_right(17);
    let mut hash = hash;
    for _ in 0..probes {
        visit(modulus.remainder(hash));
        hash = hash.wrapping_add(stride);
    }
}

/// Sets the bits of all keys.
pub(crate) fn insert(bit_array: &mut [u8], modulus: Modulus, probes: u8, source: Source<'_>) {
    let (words, rest) = bit_array.as_chunks_mut::<4>();
    let mut beyond = 0_u32;
    for_each_position(source, modulus, probes, |position| {
        let bit = 1 << (position % 32);
        match words.get_mut((position / 32) as usize) {
            Some(word) => *word = (u32::from_le_bytes(*word) | bit).to_le_bytes(),
            None => beyond |= bit,
        }
    });
    set_rest(rest, beyond);
}

/// Returns true if the bits of a hash value are set.
#[inline(always)]
fn all_are_set(bit_array: &[u8], modulus: Modulus, probes: u32, hash: u32) -> bool {
    let stride = hash.rotate_right(17);
    let mut hash = hash;
    let mut all = 1;
    // Runs to the end even if a bit is missing: an early exit would be mispredicted for half of the absent keys.
    for _ in 0..probes {
        let position = modulus.remainder(hash);
        let byte = bit_array
            .get((position / 8) as usize)
            .copied()
            .unwrap_or_else(never_absent);
        // The rotation counts modulo 8.
        all &= byte.rotate_right(position);
        hash = hash.wrapping_add(stride);
    }
    all & 1 != 0
}

/// Returns the byte of a position at or above the number of bits, which never occurs.
///
/// With a function that is never called, the check takes one comparison per probe. An exit from the loop would move all
/// loads after all comparisons, and the positions to the stack and back.
#[cold]
#[inline(never)]
fn never_absent() -> u8 {
    0
}

#[inline(always)]
fn for_each_position(source: Source<'_>, modulus: Modulus, probes: u8, mut visit: impl FnMut(u32)) {
    usual!(probes == USUAL_PROBES, |_MOST| {
        for_each_hash(source, |hash| positions(modulus, probes, hash, &mut visit));
    });
}

/// Builds a filter of at most [`MAP_BITS`](crate::bits::MAP_BITS) over whatever `bit_array` holds.
pub(crate) fn create(bit_array: &mut [u8], modulus: Modulus, probes: u8, source: Source<'_>) {
    let mut room = Aligned(MaybeUninit::uninit());
    let map = cleared(&mut room, bit_array.len() * 8);
    for_each_position(source, modulus, probes, |position| {
        // Always present.
        if let Some(byte) = map.get_mut(position as usize) {
            *byte = 1;
        }
    });
    for (bits, eight) in bit_array.iter_mut().zip(map.as_chunks::<8>().0) {
        // The product collects the eight bits in the highest byte.
        let [.., byte] = u64::from_le_bytes(*eight)
            .wrapping_mul(0x0102_0408_1020_4080)
            .to_le_bytes();
        *bits = byte;
    }
}

#[inline]
pub(crate) fn may_match(bit_array: &[u8], modulus: Modulus, probes: u32, hash: u32) -> bool {
    const USUAL: u32 = USUAL_PROBES as u32;
    usual!(probes == USUAL, |_MOST| all_are_set(
        bit_array, modulus, probes, hash
    ))
}

/// Returns true if a stored filter may hold a key, without loops for the usual probe count and keys of 16 bytes. Rare
/// filters are handled out of line.
pub(crate) fn may_match_key<H: Fn(&[u8]) -> u32 + Copy>(hash: H, key: &[u8], filter: &[u8]) -> bool {
    if let [bit_array @ .., USUAL_PROBES] = filter
        && !bit_array.is_empty()
    {
        let Ok(key) = <&[u8; 16]>::try_from(key) else {
            return may_match_any_key(hash, key, bit_array);
        };
        let modulus = Modulus::of_bytes(bit_array.len());
        all_are_set(bit_array, modulus, u32::from(USUAL_PROBES), hash(key))
    } else {
        may_match_stored(hash, key, filter, KernelToken::Scalar)
    }
}

/// Handles keys of any length, for filters with the usual probe count.
#[inline(never)]
fn may_match_any_key<H: Fn(&[u8]) -> u32 + Copy>(hash: H, key: &[u8], bit_array: &[u8]) -> bool {
    let modulus = Modulus::of_bytes(bit_array.len());
    all_are_set(bit_array, modulus, USUAL_PROBES.into(), hash(key))
}

pub(crate) fn may_match_many(
    bit_array: &[u8],
    modulus: Modulus,
    probes: u32,
    source: Source<'_>,
    answers: &mut [u64],
) {
    let mut answer = answering(answers);
    for_each_hash(source, |hash| answer(may_match(bit_array, modulus, probes, hash)));
}

/// Hashes a key, without a loop if it has 16 bytes.
#[inline(always)]
fn by_length(key: &[u8], hash: impl Fn(&[u8]) -> u32) -> u32 {
    match <&[u8; 16]>::try_from(key) {
        Ok(key) => hash(key),
        Err(_) => hash(key),
    }
}

/// Selects the function once for all keys.
#[inline(always)]
fn for_each_hash(source: Source<'_>, mut visit: impl FnMut(u32)) {
    match source {
        Source::Keys(Keys::Slices(keys), LaneHash::LevelDb { seed }) => {
            keys.iter()
                .for_each(|key| visit(by_length(key, |key| leveldb_hash(key, seed))));
        }
        Source::Keys(Keys::Slices(keys), LaneHash::Murmur2 { seed }) => {
            keys.iter()
                .for_each(|key| visit(by_length(key, |key| murmur2(key, seed))));
        }
        Source::Keys(Keys::Slices(keys), LaneHash::Murmur2SignedTail { seed }) => {
            keys.iter()
                .for_each(|key| visit(by_length(key, |key| murmur2_signed_tail(key, seed))));
        }
        Source::Keys(Keys::Packed(keys), LaneHash::LevelDb { seed }) => {
            keys.iter()
                .for_each(|key| visit(by_length(key, |key| leveldb_hash(key, seed))));
        }
        Source::Keys(Keys::Packed(keys), LaneHash::Murmur2 { seed }) => {
            keys.iter()
                .for_each(|key| visit(by_length(key, |key| murmur2(key, seed))));
        }
        Source::Keys(Keys::Packed(keys), LaneHash::Murmur2SignedTail { seed }) => {
            keys.iter()
                .for_each(|key| visit(by_length(key, |key| murmur2_signed_tail(key, seed))));
        }
        Source::Hashes(hashes) => hashes.iter().copied().for_each(visit),
    }
}
