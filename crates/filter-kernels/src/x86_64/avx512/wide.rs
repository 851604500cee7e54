//! XXPH3 for eight keys at a time, and the filters that use it.

mod blocks;
mod lines;
mod spread;

use core::arch::x86_64::*;

use hashzoo::xxph3_64;

use crate::fast_local::Line;
use crate::keys::Keys;
use crate::wide::{PRIME64_1, PRIME64_3, SECRET, TILE, WideSource, have_16_bytes};

/// Computes the hash values from `start` on. Panics if there are too few.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
fn hash(source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
    let whole = hashes.len() / 8 * 8;
    let (groups, rest) = hashes.split_at_mut(whole);
    let groups = groups.as_chunks_mut::<8>().0.iter_mut();
    match source {
        WideSource::Keys(Keys::Packed(keys)) if keys.key_len() == 16 => {
            let keys = &keys.bytes().as_chunks::<16>().0[start..start + whole];
            for (group, keys) in groups.zip(keys.as_chunks::<8>().0) {
                store(group, of_16(keys));
            }
        }
        WideSource::Keys(Keys::Packed(keys)) if (9..=32).contains(&keys.key_len()) => {
            let len = keys.key_len();
            let keys = keys.bytes()[start * len..(start + whole) * len].chunks_exact(8 * len);
            for (group, keys) in groups.zip(keys) {
                let mut keys = keys.chunks_exact(len);
                let keys = core::array::from_fn(|_| keys.next().unwrap_or_default());
                of_8(&keys, group);
            }
        }
        WideSource::Keys(Keys::Slices(keys)) => {
            let keys = &keys[start..start + whole];
            let groups = groups.zip(keys.as_chunks::<8>().0);
            if have_16_bytes(keys) {
                // SAFETY: the condition ensures that all keys have 16 bytes.
                groups.for_each(|(group, keys)| store(group, unsafe { of_16_each(keys) }));
            } else {
                groups.for_each(|(group, keys)| of_8(keys, group));
            }
        }
        _ => source.hash(start, groups.into_slice().as_flattened_mut()),
    }
    source.hash(start + whole, rest);
}

/// Hashes eight keys, together if their lengths are similar.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn of_8(keys: &[&[u8]; 8], hashes: &mut [u64; 8]) {
    let all = |first: usize, last: usize| {
        keys.iter().fold(true, |all, key| {
            all & (key.len().wrapping_sub(first) <= last - first)
        })
    };
    if all(9, 16) {
        let words = [
            each(keys, |key| word(key, 0)),
            each(keys, |key| word(key, key.len() - 8)),
        ];
        store(hashes, of_9_to_16(words, each(keys, |key| key.len() as u64)));
    } else if all(17, 32) {
        let words = [
            each(keys, |key| word(key, 0)),
            each(keys, |key| word(key, 8)),
            each(keys, |key| word(key, key.len() - 16)),
            each(keys, |key| word(key, key.len() - 8)),
        ];
        store(hashes, of_17_to_32(words, each(keys, |key| key.len() as u64)));
    } else {
        for (hash, key) in hashes.iter_mut().zip(keys) {
            *hash = xxph3_64(key, 0);
        }
    }
}

/// Hashes eight keys that need not be adjacent.
///
/// # Safety
///
/// The keys have 16 bytes each.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
unsafe fn of_16_each(keys: &[&[u8]; 8]) -> __m512i {
    // SAFETY: the caller guarantees that each key has the length of a quarter of a vector.
    let [a, b, c, d, e, f, g, h] = keys.map(|key| unsafe { _mm_loadu_si128(key.as_ptr().cast()) });
    // Each quarter of the words holds the same half of two neighbouring keys.
    let (even, odd) = (four([a, c, e, g]), four([b, d, f, h]));
    let words = [_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd)];
    of_9_to_16(words, _mm512_set1_epi64(16))
}

/// Concatenates four quarters.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn four([a, b, c, d]: [__m128i; 4]) -> __m512i {
    let all = _mm512_inserti64x2::<1>(_mm512_castsi128_si512(a), b);
    _mm512_inserti64x2::<3>(_mm512_inserti64x2::<2>(all, c), d)
}

/// Returns the eight bytes at `at`. Panics if there are fewer.
#[inline(always)]
fn word(key: &[u8], at: usize) -> u64 {
    let word = key[at..].first_chunk().expect("the key is long enough");
    u64::from_le_bytes(*word)
}

/// Returns a value for each key.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn each(keys: &[&[u8]; 8], value: impl Fn(&[u8]) -> u64) -> __m512i {
    let [a, b, c, d, e, f, g, h] = keys.map(|key| value(key).cast_signed());
    _mm512_setr_epi64(a, b, c, d, e, f, g, h)
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn of_16(keys: &[[u8; 16]; 8]) -> __m512i {
    let start: *const __m512i = keys.as_ptr().cast();
    // SAFETY: two vectors have the length of the array.
    let (first, second) = unsafe { (_mm512_loadu_si512(start), _mm512_loadu_si512(start.add(1))) };
    let low = _mm512_permutex2var_epi64(first, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), second);
    let high = _mm512_permutex2var_epi64(first, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), second);
    of_9_to_16([low, high], _mm512_set1_epi64(16))
}

/// Hashes keys of 9 to 16 bytes, given their length, their first word and their last, which may overlap the first.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn of_9_to_16([low, high]: [__m512i; 2], lens: __m512i) -> __m512i {
    let (low, high) = (keyed::<0>(low), keyed::<1>(high));
    let sum = _mm512_add_epi64(lens, _mm512_add_epi64(low, high));
    avalanche(_mm512_add_epi64(sum, fold(low, high)))
}

/// Hashes keys of 17 to 32 bytes, given their length, their first two words and their last two.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn of_17_to_32([a, b, c, d]: [__m512i; 4], lens: __m512i) -> __m512i {
    let start = _mm512_mullo_epi64(lens, _mm512_set1_epi64(PRIME64_1.cast_signed()));
    let first = fold(keyed::<0>(a), keyed::<1>(b));
    let last = fold(keyed::<2>(c), keyed::<3>(d));
    avalanche(_mm512_add_epi64(start, _mm512_add_epi64(first, last)))
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn keyed<const WORD: usize>(words: __m512i) -> __m512i {
    _mm512_xor_si512(words, _mm512_set1_epi64(SECRET[WORD].cast_signed()))
}

/// XORs both halves of the 128-bit products, which are computed from four products of halves.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn fold(a: __m512i, b: __m512i) -> __m512i {
    let (a_high, b_high) = (_mm512_srli_epi64::<32>(a), _mm512_srli_epi64::<32>(b));
    let low = _mm512_mul_epu32(a, b);
    let left = _mm512_mul_epu32(a_high, b);
    let right = _mm512_mul_epu32(a, b_high);
    let high = _mm512_mul_epu32(a_high, b_high);
    // No sum overflows: (2^32 - 1)^2 plus two 32-bit numbers is at most 2^64 - 1.
    let left = _mm512_add_epi64(left, _mm512_srli_epi64::<32>(low));
    let right = _mm512_add_epi64(right, _mm512_and_si512(left, _mm512_set1_epi64(0xffff_ffff)));
    let high = _mm512_add_epi64(high, _mm512_srli_epi64::<32>(left));
    let high = _mm512_add_epi64(high, _mm512_srli_epi64::<32>(right));
    let low = _mm512_mask_blend_epi32(0b1010_1010_1010_1010, low, _mm512_slli_epi64::<32>(right));
    _mm512_xor_si512(low, high)
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn avalanche(hashes: __m512i) -> __m512i {
    let hashes = _mm512_xor_si512(hashes, _mm512_srli_epi64::<37>(hashes));
    let hashes = _mm512_mullo_epi64(hashes, _mm512_set1_epi64(PRIME64_3.cast_signed()));
    _mm512_xor_si512(hashes, _mm512_srli_epi64::<32>(hashes))
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn load(values: &[u64; 8]) -> __m512i {
    // SAFETY: the array has the length of a vector.
    unsafe { _mm512_loadu_si512(values.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn store(values: &mut [u64; 8], vector: __m512i) {
    // SAFETY: the array has the length of a vector.
    unsafe { _mm512_storeu_si512(values.as_mut_ptr().cast(), vector) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn load_words(values: &[u32; 16]) -> __m512i {
    // SAFETY: the array has the length of a vector.
    unsafe { _mm512_loadu_si512(values.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn store_words(values: &mut [u32; 16], vector: __m512i) {
    // SAFETY: the array has the length of a vector.
    unsafe { _mm512_storeu_si512(values.as_mut_ptr().cast(), vector) }
}

/// Returns the upper halves of sixteen values, in order.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn upper_halves(first: __m512i, second: __m512i) -> __m512i {
    let odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    _mm512_permutex2var_epi32(first, odd, second)
}

/// Returns a mask of the lowest `count` bits, 1 to 64.
#[inline(always)]
fn first_bits(count: usize) -> u64 {
    u64::MAX >> (TILE - count.clamp(1, TILE))
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn whole(line: &Line) -> __m512i {
    // SAFETY: a line has the length of a vector.
    unsafe { _mm512_loadu_si512(line.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn half(values: &[u32; 8]) -> __m256i {
    // SAFETY: the array has the length of half a vector.
    unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
}
