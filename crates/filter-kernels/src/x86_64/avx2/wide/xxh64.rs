//! Computes XXH64 with the seed 0 for eight keys of 8 to 63 bytes at a time.
//!
//! A 64-bit product takes seven instructions, and the steps of one key depend on each other, so four keys would leave
//! most of the processor idle.

use core::arch::x86_64::*;

use hashzoo::xxh64;

use super::fours::{self, Four};
use crate::wide::{PRIME64_1, PRIME64_3, WideSource};

const PRIME64_2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const PRIME64_4: u64 = 0x85eb_ca77_c2b2_ae63;
const PRIME64_5: u64 = 0x27d4_eb2f_1656_67c5;

/// The number of bytes that XXH64 consumes at once.
const STRIPE: usize = 32;

/// Computes at most [`TILE`](crate::wide::TILE) hash values from `start` on. Panics if there are too few.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
pub(crate) fn hash(source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
    match source {
        WideSource::Keys(keys) => {
            fours::for_tile(keys, start, hashes, |keys, hashes| hash_slices(keys, hashes));
        }
        WideSource::Hashes(values) => hashes.copy_from_slice(&values[start..start + hashes.len()]),
    }
}

/// Hashes 1 to [`TILE`](crate::wide::TILE) keys.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn hash_slices(keys: &[&[u8]], hashes: &mut [u64]) {
    let [short, long] = fours::classes(keys, [7, 31, 63]);
    // SAFETY: there is a hash value for each key, and the keys at these places have the lengths that the functions
    // require.
    unsafe {
        fours::hash_at(short, keys, hashes, |eight| of_8_to_31(eight));
        fours::hash_at(long, keys, hashes, |eight| of_32_to_63(eight));
    }
    fours::hash_others(short | long, keys, hashes, |key| xxh64(key, 0));
}

/// # Safety
///
/// The keys have 8 to 31 bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
unsafe fn of_8_to_31(eight: &[Four<'_>; 2]) -> Lanes {
    // SAFETY: guaranteed by the caller.
    unsafe { of_rest::<0>(eight, splat(PRIME64_5)) }
}

/// # Safety
///
/// The keys have 32 to 63 bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
unsafe fn of_32_to_63(eight: &[Four<'_>; 2]) -> Lanes {
    let stripe = |word: usize, start: u64| {
        // SAFETY: guaranteed by the caller.
        let words = unsafe { words(eight, |_| word) };
        round(splat(start), words)
    };
    let lanes = [
        stripe(0, PRIME64_1.wrapping_add(PRIME64_2)),
        stripe(8, PRIME64_2),
        stripe(16, 0),
        stripe(24, PRIME64_1.wrapping_neg()),
    ];
    let [a, b, c, d] = lanes;
    let mut sum = add(
        add(rotated::<1, 63>(a), rotated::<7, 57>(b)),
        add(rotated::<12, 52>(c), rotated::<18, 46>(d)),
    );
    for lane in lanes {
        let mixed = times::<PRIME64_1>(xor(sum, round(splat(0), lane)));
        sum = add(mixed, splat(PRIME64_4));
    }
    // SAFETY: guaranteed by the caller.
    unsafe { of_rest::<STRIPE>(eight, sum) }
}

/// Finishes the hash values after the first `DONE` bytes.
///
/// # Safety
///
/// The keys have at least 8 bytes, at least `DONE`, and less than a stripe after these.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
unsafe fn of_rest<const DONE: usize>(eight: &[Four<'_>; 2], start: Lanes) -> Lanes {
    let lens = [eight[0].lens(), eight[1].lens()];
    let mut hash = add(start, lens);
    for word in [DONE, DONE + 8, DONE + 16] {
        let there = above(lens, word as u64 + 7);
        if none(there) {
            break;
        }
        // SAFETY: guaranteed by the caller; for keys that end earlier, it is the last word.
        let words = unsafe { words(eight, |len| word.min(len - 8)) };
        let mixed = rotated::<27, 37>(xor(hash, round(splat(0), words)));
        let mixed = add(times::<PRIME64_1>(mixed), splat(PRIME64_4));
        hash = chosen(there, mixed, hash);
    }
    let left = and(lens, 7);
    if !none(left) {
        // SAFETY: guaranteed by the caller.
        let last = unsafe { words(eight, |len| len - 8) };
        hash = with_tail(hash, last, left);
    }
    hash = times::<PRIME64_2>(xor(hash, right::<33>(hash)));
    hash = times::<PRIME64_3>(xor(hash, right::<29>(hash)));
    xor(hash, right::<32>(hash))
}

/// Consumes the `left` bytes after the last whole word, which are the end of the key's last eight bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn with_tail(mut hash: Lanes, last: Lanes, left: Lanes) -> Lanes {
    // For a key without such bytes, all bits are shifted out.
    let tail = each(|i| {
        _mm256_srlv_epi64(
            last[i],
            _mm256_sub_epi64(super::splat(64), _mm256_slli_epi64::<3>(left[i])),
        )
    });
    let half = times::<PRIME64_1>(and(tail, 0xffff_ffff));
    let mixed = times::<PRIME64_2>(rotated::<23, 41>(xor(hash, half)));
    hash = chosen(above(left, 3), add(mixed, splat(PRIME64_3)), hash);
    let mut bytes = each(|i| {
        let taken = _mm256_slli_epi64::<3>(_mm256_and_si256(left[i], super::splat(4)));
        _mm256_srlv_epi64(tail[i], taken)
    });
    let left = and(left, 3);
    for count in 0..3 {
        let byte = times::<PRIME64_5>(and(bytes, 0xff));
        let mixed = times::<PRIME64_1>(rotated::<11, 53>(xor(hash, byte)));
        hash = chosen(above(left, count), mixed, hash);
        bytes = right::<8>(bytes);
    }
    hash
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn round(sums: Lanes, words: Lanes) -> Lanes {
    times::<PRIME64_1>(rotated::<31, 33>(add(sums, times::<PRIME64_2>(words))))
}

/// One value for each of eight keys.
type Lanes = [__m256i; 2];

/// Reads an eight-byte word from each key, at a place that depends on the key's length.
///
/// # Safety
///
/// Each key has eight bytes from its place on.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
unsafe fn words(eight: &[Four<'_>; 2], place: impl Fn(usize) -> usize) -> Lanes {
    // SAFETY: guaranteed by the caller.
    unsafe { [eight[0].words(&place), eight[1].words(&place)] }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn each(values: impl Fn(usize) -> __m256i) -> Lanes {
    [values(0), values(1)]
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn splat(value: u64) -> Lanes {
    each(|_| super::splat(value))
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn times<const FACTOR: u64>(a: Lanes) -> Lanes {
    each(|i| super::times(a[i], super::splat(FACTOR)))
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn add(a: Lanes, b: Lanes) -> Lanes {
    each(|i| _mm256_add_epi64(a[i], b[i]))
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn xor(a: Lanes, b: Lanes) -> Lanes {
    each(|i| _mm256_xor_si256(a[i], b[i]))
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn and(a: Lanes, value: u64) -> Lanes {
    each(|i| _mm256_and_si256(a[i], super::splat(value)))
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn right<const BY: i32>(a: Lanes) -> Lanes {
    each(|i| _mm256_srli_epi64::<BY>(a[i]))
}

/// Rotates left by `LEFT` bits, which is right by `RIGHT`.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn rotated<const LEFT: i32, const RIGHT: i32>(a: Lanes) -> Lanes {
    const { assert!(LEFT + RIGHT == 64) };
    each(|i| _mm256_or_si256(_mm256_slli_epi64::<LEFT>(a[i]), _mm256_srli_epi64::<RIGHT>(a[i])))
}

/// Sets all bits of each number above the bound; numbers must be below 2^63.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn above(a: Lanes, bound: u64) -> Lanes {
    each(|i| _mm256_cmpgt_epi64(a[i], super::splat(bound)))
}

/// Selects `yes` where all bits of `choice` are set and `no` where none is.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn chosen(choice: Lanes, yes: Lanes, no: Lanes) -> Lanes {
    each(|i| _mm256_blendv_epi8(no[i], yes[i], choice[i]))
}

/// Returns whether no bit is set.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn none([a, b]: Lanes) -> bool {
    let any = _mm256_or_si256(a, b);
    _mm256_testz_si256(any, any) != 0
}
