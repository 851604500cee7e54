//! Queries one key, whose probes are the lanes.

use core::arch::x86_64::*;

use hashzoo::xxph3_64;

use super::super::Avx512;
use super::{half, load_words, whole};
use crate::fast_local::{Line, POWERS, Stored, line_of, walk_of};
use crate::lanes::entries::line_entries;

line_entries!(Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt");

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn all_set(line: &Line, probes: u8, walk: u32) -> bool {
    if probes <= 8 {
        all_of_8(line, probes, walk)
    } else {
        all_of_32(line, probes, walk)
    }
}

/// Returns true if the line has the bits of at most 8 probes, tested in half a vector.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn all_of_8(line: &Line, probes: u8, walk: u32) -> bool {
    let [powers, ..] = POWERS.as_chunks().0 else {
        unreachable!("there are 32 powers")
    };
    let walks = _mm256_mullo_epi32(_mm256_set1_epi32(walk.cast_signed()), half(powers));
    let indices = _mm512_castsi256_si512(_mm256_srli_epi32::<28>(walks));
    let words = _mm512_castsi512_si256(_mm512_permutexvar_epi32(indices, whole(line)));
    let bits = _mm256_rolv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32::<23>(walks));
    let live = _bzhi_u32(0xff, u32::from(probes)) as __mmask8;
    _mm256_mask_testn_epi32_mask(live, words, bits) == 0
}

/// Returns true if the line has the bits of at most 32 probes, tested in two vectors.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline(never)]
pub(crate) fn all_of_32(line: &Line, probes: u8, walk: u32) -> bool {
    let line = whole(line);
    let live = _bzhi_u32(u32::MAX, u32::from(probes)).to_le_bytes();
    let mut missing = 0;
    for (powers, live) in POWERS.as_chunks().0.iter().zip(live.as_chunks().0) {
        let walks = _mm512_mullo_epi32(_mm512_set1_epi32(walk.cast_signed()), load_words(powers));
        let words = _mm512_permutexvar_epi32(_mm512_srli_epi32::<28>(walks), line);
        let bits = _mm512_rolv_epi32(_mm512_set1_epi32(1), _mm512_srli_epi32::<23>(walks));
        missing |= _mm512_mask_testn_epi32_mask(u16::from_le_bytes(*live), words, bits);
    }
    missing == 0
}
