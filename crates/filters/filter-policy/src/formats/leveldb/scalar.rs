//! Portable code for many keys, one by one: no division, no data-dependent branch, no intrinsics.

use core::mem::MaybeUninit;

use hashzoo::{leveldb_hash, murmur2, murmur2_signed_tail};

use super::definition::{USUAL_PROBES, each_position, scalar_may_match};
use crate::simd::bits::{Aligned, cleared, set_rest, usual};
use crate::simd::keys::Keys;
use crate::simd::modulus::Modulus;
use crate::simd::source::{LaneHash, LaneSource, answering};

#[inline(always)]
fn for_each_position(source: LaneSource<'_>, modulus: Modulus, probes: u8, mut visit: impl FnMut(u32)) {
    usual!(probes == USUAL_PROBES, |_MOST| {
        for_each_hash(source, |hash| each_position(modulus, probes, hash, &mut visit));
    });
}

/// Sets the bits of all keys. Out of line, so that doors need not save registers for it.
#[inline(never)]
pub(super) fn set_all(bit_array: &mut [u8], modulus: Modulus, probes: u8, source: LaneSource<'_>) {
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

/// Builds a filter of at most [`MAP_BITS`](crate::simd::bits::MAP_BITS) over whatever `bit_array` holds.
pub(super) fn create(bit_array: &mut [u8], modulus: Modulus, probes: u8, source: LaneSource<'_>) {
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

/// Answers for all keys, out of line like [`set_all`].
#[inline(never)]
pub(super) fn answer_each(
    bit_array: &[u8],
    modulus: Modulus,
    probes: u32,
    source: LaneSource<'_>,
    answers: &mut [u64],
) {
    let mut answer = answering(answers);
    for_each_hash(source, |hash| {
        answer(scalar_may_match(bit_array, modulus, probes, hash))
    });
}

/// Hashes a key, without a loop if it has 16 bytes.
#[inline(always)]
fn by_length(key: &[u8], hash: impl Fn(&[u8]) -> u32) -> u32 {
    match <&[u8; 16]>::try_from(key) {
        Ok(key) => hash(key),
        Err(_) => hash(key),
    }
}

/// Passes the hash values of all keys. The function is selected once for all of them.
#[inline(always)]
fn hash_each(keys: impl Iterator<Item = impl AsRef<[u8]>>, function: LaneHash, mut visit: impl FnMut(u32)) {
    match function {
        LaneHash::LevelDb { seed } => {
            keys.for_each(|key| visit(by_length(key.as_ref(), |key| leveldb_hash(key, seed))));
        }
        LaneHash::Murmur2 { seed } => {
            keys.for_each(|key| visit(by_length(key.as_ref(), |key| murmur2(key, seed))));
        }
        LaneHash::Murmur2SignedTail { seed } => {
            keys.for_each(|key| visit(by_length(key.as_ref(), |key| murmur2_signed_tail(key, seed))));
        }
    }
}

#[inline(always)]
fn for_each_hash(source: LaneSource<'_>, visit: impl FnMut(u32)) {
    match source {
        LaneSource::Keys(Keys::Slices(keys), function) => hash_each(keys.iter(), function, visit),
        LaneSource::Keys(Keys::Packed(keys), function) => hash_each(keys.iter(), function, visit),
        LaneSource::Hashes(hashes) => hashes.iter().copied().for_each(visit),
    }
}
