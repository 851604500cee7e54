//! XXPH3 for four keys of 9 to 64 bytes at a time, and the filters that use it. Keys of other lengths are hashed one by
//! one.

pub(crate) mod blocks;
pub(crate) mod fours;
mod lines;
mod spread;
mod xxh64;

use core::arch::x86_64::*;

use hashzoo::xxph3_64;

use self::fours::Four;
use crate::keys::Keys;
use crate::wide::{PRIME64_1, PRIME64_3, SECRET, WideSource, have_16_bytes};

/// Computes the hash values from `start` on. Panics if there are too few.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn hash(source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
    match source {
        WideSource::Keys(Keys::Packed(keys)) if keys.key_len() == 16 => {
            let keys = &keys.bytes().as_chunks::<16>().0[start..start + hashes.len()];
            let (groups, rest) = hashes.as_chunks_mut();
            for (hashes, keys) in groups.iter_mut().zip(keys.as_chunks().0) {
                of_16(keys, hashes);
            }
            source.hash(start + 4 * groups.len(), rest);
        }
        WideSource::Keys(keys) => {
            fours::for_tile(keys, start, hashes, |keys, hashes| hash_slices(keys, hashes));
        }
        WideSource::Hashes(values) => hashes.copy_from_slice(&values[start..start + hashes.len()]),
    }
}

/// Hashes 1 to [`TILE`](crate::wide::TILE) keys.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn hash_slices(keys: &[&[u8]], hashes: &mut [u64]) {
    if have_16_bytes(keys) {
        let ((fours, rest), groups) = (keys.as_chunks::<4>(), hashes.as_chunks_mut::<4>());
        for (hashes, keys) in groups.0.iter_mut().zip(fours) {
            if let [Some(a), Some(b), Some(c), Some(d)] = keys.map(whole) {
                of_16(&[*a, *b, *c, *d], hashes);
            }
        }
        for (hash, key) in groups.1.iter_mut().zip(rest) {
            *hash = xxph3_64(key, 0);
        }
        return;
    }
    let [short, medium, long] = fours::classes(keys, [8, 16, 32, 64]);
    // SAFETY: there is a hash value for each key, and the keys at these places have the lengths that the functions
    // require.
    unsafe {
        fours::hash_at(short, keys, hashes, |[four]| [of_9_to_16(four)]);
        fours::hash_at(medium, keys, hashes, |[four]| [of_17_to_32(four)]);
        fours::hash_at(long, keys, hashes, |[four]| [of_33_to_64(four)]);
    }
    fours::hash_others(short | medium | long, keys, hashes, |key| xxph3_64(key, 0));
}

/// Returns eight hash values. If there are fewer, the last one is repeated, which does no harm.
#[inline(always)]
fn filled_up<'a>(hashes: &'a [u64], filled: &'a mut [u64; 8]) -> &'a [u64; 8] {
    if let Ok(hashes) = hashes.try_into() {
        return hashes;
    }
    filled.fill(hashes.last().copied().unwrap_or_default());
    filled[..hashes.len()].copy_from_slice(hashes);
    filled
}

/// Returns the bytes of a key that has 16 of them.
#[inline(always)]
fn whole(key: &[u8]) -> Option<&[u8; 16]> {
    key.try_into().ok()
}

/// # Safety
///
/// The keys have 9 to 16 bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
unsafe fn of_9_to_16(four: &Four<'_>) -> __m256i {
    // SAFETY: guaranteed by the caller.
    let (low, high) = unsafe { (four.words(|_| 0), four.words(|len| len - 8)) };
    of_two_words(low, high, four.lens())
}

/// # Safety
///
/// The keys have 17 to 32 bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
unsafe fn of_17_to_32(four: &Four<'_>) -> __m256i {
    // SAFETY: guaranteed by the caller.
    avalanche(unsafe { outer(four) })
}

/// # Safety
///
/// The keys have 33 to 64 bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
unsafe fn of_33_to_64(four: &Four<'_>) -> __m256i {
    // SAFETY: guaranteed by the caller.
    let (first, last, outer) = unsafe {
        let (first, last) = (four.two_words(|_| 16), four.two_words(|len| len - 32));
        (mix(first, 4), mix(last, 6), outer(four))
    };
    avalanche(_mm256_add_epi64(outer, _mm256_add_epi64(first, last)))
}

/// Mixes the lengths and the first and last 16 bytes.
///
/// # Safety
///
/// The keys have at least 16 bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
unsafe fn outer(four: &Four<'_>) -> __m256i {
    // SAFETY: guaranteed by the caller.
    let (first, last) = unsafe { (four.two_words(|_| 0), four.two_words(|len| len - 16)) };
    _mm256_add_epi64(
        times(four.lens(), splat(PRIME64_1)),
        _mm256_add_epi64(mix(first, 0), mix(last, 2)),
    )
}

/// Mixes 16 bytes of each key with two words of the secret.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn mix((low, high): (__m256i, __m256i), secret: usize) -> __m256i {
    fold(xor(low, SECRET[secret]), xor(high, SECRET[secret + 1]))
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn of_16(keys: &[[u8; 16]; 4], hashes: &mut [u64; 4]) {
    let start: *const __m256i = keys.as_ptr().cast();
    // SAFETY: two vectors have the length of the array.
    let (first, second) = unsafe { (_mm256_loadu_si256(start), _mm256_loadu_si256(start.add(1))) };
    // In the order of the keys 0, 2, 1 and 3.
    let (low, high) = (
        _mm256_unpacklo_epi64(first, second),
        _mm256_unpackhi_epi64(first, second),
    );
    let mixed = of_two_words(low, high, splat(16));
    let in_order = _mm256_permute4x64_epi64::<0b11_01_10_00>(mixed);
    // SAFETY: the array has the length of a vector.
    unsafe { _mm256_storeu_si256(hashes.as_mut_ptr().cast(), in_order) }
}

/// Hashes keys of 9 to 16 bytes, given their first and last eight.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn of_two_words(low: __m256i, high: __m256i, lens: __m256i) -> __m256i {
    let (low, high) = (xor(low, SECRET[0]), xor(high, SECRET[1]));
    let sum = _mm256_add_epi64(lens, _mm256_add_epi64(low, high));
    avalanche(_mm256_add_epi64(sum, fold(low, high)))
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn avalanche(sum: __m256i) -> __m256i {
    let mixed = times(
        _mm256_xor_si256(sum, _mm256_srli_epi64::<37>(sum)),
        splat(PRIME64_3),
    );
    _mm256_xor_si256(mixed, _mm256_srli_epi64::<32>(mixed))
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn xor(values: __m256i, value: u64) -> __m256i {
    _mm256_xor_si256(values, splat(value))
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn splat(value: u64) -> __m256i {
    _mm256_set1_epi64x(value.cast_signed())
}

/// XORs both halves of the 128-bit products, which are computed from four products of halves.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn fold(a: __m256i, b: __m256i) -> __m256i {
    let (a_high, b_high) = (_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
    let low = _mm256_mul_epu32(a, b);
    let left = _mm256_mul_epu32(a_high, b);
    let right = _mm256_mul_epu32(a, b_high);
    let high = _mm256_mul_epu32(a_high, b_high);
    // No sum overflows: (2^32 - 1)^2 plus two 32-bit numbers is at most 2^64 - 1.
    let left = _mm256_add_epi64(left, _mm256_srli_epi64::<32>(low));
    let right = _mm256_add_epi64(right, _mm256_and_si256(left, splat(0xffff_ffff)));
    let high = _mm256_add_epi64(high, _mm256_srli_epi64::<32>(left));
    let high = _mm256_add_epi64(high, _mm256_srli_epi64::<32>(right));
    let low = _mm256_blend_epi32::<0b1010_1010>(low, _mm256_slli_epi64::<32>(right));
    _mm256_xor_si256(low, high)
}

/// Returns the low halves of the products.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn times(a: __m256i, b: __m256i) -> __m256i {
    let low = _mm256_mul_epu32(a, b);
    let left = _mm256_mul_epu32(_mm256_srli_epi64::<32>(a), b);
    let right = _mm256_mul_epu32(a, _mm256_srli_epi64::<32>(b));
    _mm256_add_epi64(low, _mm256_slli_epi64::<32>(_mm256_add_epi64(left, right)))
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn load_wide(values: &[u64; 8]) -> (__m256i, __m256i) {
    let start: *const __m256i = values.as_ptr().cast();
    // SAFETY: two vectors have the length of the array.
    unsafe { (_mm256_loadu_si256(start), _mm256_loadu_si256(start.add(1))) }
}
