//! XXPH3 for four keys of 16 bytes at a time, and the filters that take its values. Keys of other lengths are hashed one
//! by one.

pub(in super::super) mod blocks;
mod lines;
mod spread;

use core::arch::x86_64::*;

use crate::arch::wide::{PRIME64_3, SECRET, WideSource};
use crate::keys::Keys;

/// The hash values from `start` on. Panics if there are too few.
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
        WideSource::Keys(Keys::Slices(keys)) => {
            let keys = &keys[start..start + hashes.len()];
            let (groups, rest) = hashes.as_chunks_mut::<4>();
            for (i, (hashes, keys)) in groups.iter_mut().zip(keys.as_chunks::<4>().0).enumerate() {
                let [Some(a), Some(b), Some(c), Some(d)] = keys.map(whole) else {
                    source.hash(start + 4 * i, hashes);
                    continue;
                };
                of_16(&[*a, *b, *c, *d], hashes);
            }
            source.hash(start + 4 * groups.len(), rest);
        }
        _ => source.hash(start, hashes),
    }
}

/// The bytes of a key of 16.
#[inline(always)]
fn whole(key: &[u8]) -> Option<&[u8; 16]> {
    key.try_into().ok()
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn of_16(keys: &[[u8; 16]; 4], hashes: &mut [u64; 4]) {
    let start: *const __m256i = keys.as_ptr().cast();
    // SAFETY: two vectors have the length of the array.
    let (first, second) = unsafe { (_mm256_loadu_si256(start), _mm256_loadu_si256(start.add(1))) };
    // Of the keys 0, 2, 1 and 3.
    let low = _mm256_xor_si256(_mm256_unpacklo_epi64(first, second), splat(SECRET[0]));
    let high = _mm256_xor_si256(_mm256_unpackhi_epi64(first, second), splat(SECRET[1]));
    let sum = _mm256_add_epi64(splat(16), _mm256_add_epi64(low, high));
    let sum = _mm256_add_epi64(sum, fold(low, high));
    let mixed = _mm256_xor_si256(sum, _mm256_srli_epi64::<37>(sum));
    let mixed = times_prime(mixed);
    let mixed = _mm256_xor_si256(mixed, _mm256_srli_epi64::<32>(mixed));
    let in_order = _mm256_permute4x64_epi64::<0b11_01_10_00>(mixed);
    // SAFETY: the array has the length of a vector.
    unsafe { _mm256_storeu_si256(hashes.as_mut_ptr().cast(), in_order) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn splat(value: u64) -> __m256i {
    _mm256_set1_epi64x(value.cast_signed())
}

/// Both halves of the products of 128 bits, one upon the other. By four products of halves.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn fold(a: __m256i, b: __m256i) -> __m256i {
    let (a_high, b_high) = (_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
    let low = _mm256_mul_epu32(a, b);
    let left = _mm256_mul_epu32(a_high, b);
    let right = _mm256_mul_epu32(a, b_high);
    let high = _mm256_mul_epu32(a_high, b_high);
    // No sum overflows: (2^32 - 1)^2 and two numbers of 32 bits are 2^64 - 1 together.
    let left = _mm256_add_epi64(left, _mm256_srli_epi64::<32>(low));
    let right = _mm256_add_epi64(right, _mm256_and_si256(left, splat(0xffff_ffff)));
    let high = _mm256_add_epi64(high, _mm256_srli_epi64::<32>(left));
    let high = _mm256_add_epi64(high, _mm256_srli_epi64::<32>(right));
    let low = _mm256_blend_epi32::<0b1010_1010>(low, _mm256_slli_epi64::<32>(right));
    _mm256_xor_si256(low, high)
}

/// The low halves of the products with the prime.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn times_prime(values: __m256i) -> __m256i {
    let low = _mm256_mul_epu32(values, splat(PRIME64_3));
    let left = _mm256_mul_epu32(_mm256_srli_epi64::<32>(values), splat(PRIME64_3));
    let right = _mm256_mul_epu32(values, splat(PRIME64_3 >> 32));
    _mm256_add_epi64(low, _mm256_slli_epi64::<32>(_mm256_add_epi64(left, right)))
}
