//! `BloomFilter64` filters, for one key whose probes are the lanes.

use core::arch::x86_64::*;

use hashzoo::xxph3_64;

use super::Avx512;
use crate::bloom64::{POWERS, TOO_LONG};
use crate::lanes::{Lanes, Lanes64, WideLanes};

impl Avx512 {
    #[inline]
    pub(crate) fn bits_may_match(self, bit_array: &[u8], probes: u8, hash: u64) -> bool {
        // SAFETY: see the type.
        unsafe { all_set(self, bit_array, probes, hash) }
    }

    #[inline]
    pub(crate) fn bits_may_match_key(self, bit_array: &[u8], probes: u8, key: &[u8]) -> bool {
        // SAFETY: see the type.
        unsafe { key_may_match(self, bit_array, probes, key) }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
fn key_may_match(lanes: Avx512, bit_array: &[u8], probes: u8, key: &[u8]) -> bool {
    all_set(lanes, bit_array, probes, xxph3_64(key, 0))
}

/// Returns the start of the last four bytes of an array that has at least four. For an array that is too long, the
/// result is not negative and still within the array.
#[inline(always)]
fn last_four(bit_array: &[u8]) -> i32 {
    assert!(bit_array.len() >= 4, "shorter ones are looked up in registers");
    (bit_array.len() - 4).min(TOO_LONG) as i32
}

/// Returns true if all bits of a hash value are set, tested eight probes at a time.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn all_set(lanes: Avx512, bit_array: &[u8], probes: u8, hash: u64) -> bool {
    let wide = lanes.wide();
    let bits = wide.splat(bit_array.len() as u64 * 8);
    let hash = _mm512_set1_epi64(hash.cast_signed());
    let mut left = u32::from(probes);
    for powers in POWERS.as_chunks().0 {
        let walks = _mm512_mullo_epi64(hash, load(powers));
        let low = _mm512_srli_epi64::<32>(wide.mul_halves(walks, bits));
        let high = wide.mul_halves(_mm512_srli_epi64::<32>(walks), bits);
        let positions = _mm512_cvtepi64_epi32(_mm512_srli_epi64::<32>(_mm512_add_epi64(high, low)));
        let live = _bzhi_u32(0xff, left) as __mmask8;
        let vector = _mm512_castsi256_si512(positions);
        let (words, positions) = if bit_array.len() <= 64 {
            let words = lanes.table_words(&lanes.table::<1>(bit_array), vector);
            (_mm512_castsi512_si256(words), positions)
        } else if bit_array.len() <= 128 {
            let words = lanes.table_words(&lanes.table::<2>(bit_array), vector);
            (_mm512_castsi512_si256(words), positions)
        } else if bit_array.len() <= 256 {
            let words = lanes.table_words(&lanes.table::<4>(bit_array), vector);
            (_mm512_castsi512_si256(words), positions)
        } else {
            // Four bytes from the byte with the bit on, or the last four.
            let last = _mm256_set1_epi32(last_four(bit_array));
            let bytes = _mm256_min_epu32(_mm256_srli_epi32::<3>(positions), last);
            let start = bit_array.as_ptr().cast();
            // SAFETY: each read takes four bytes, none of them after the slice, whatever the positions are.
            let words =
                unsafe { _mm256_mmask_i32gather_epi32::<1>(_mm256_setzero_si256(), live, bytes, start) };
            (words, _mm256_sub_epi32(positions, _mm256_slli_epi32::<3>(bytes)))
        };
        let wanted = _mm256_rolv_epi32(_mm256_set1_epi32(1), positions);
        let all = _mm256_mask_testn_epi32_mask(live, words, wanted) == 0;
        // Avoids a branch on the last answer.
        if left <= 8 || !all {
            return all;
        }
        left -= 8;
    }
    true
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn load(values: &[u64; 8]) -> __m512i {
    // SAFETY: the array has the length of a vector.
    unsafe { _mm512_loadu_si512(values.as_ptr().cast()) }
}
