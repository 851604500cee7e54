//! The walks from which positions are computed.

use core::arch::x86_64::*;

use super::super::{load, upper_halves};
use crate::bloom64::MULTIPLIER;

/// The walks of 16 keys, in two vectors of 8.
#[derive(Clone, Copy)]
pub(crate) struct Walks {
    first: __m512i,
    second: __m512i,
    bits: __m512i,
}

impl Walks {
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
    #[inline]
    pub(crate) fn new(hashes: &[u64; 16], bits: usize) -> Self {
        let [first, second] = hashes.as_chunks().0 else {
            unreachable!("16 are two times 8")
        };
        Self {
            first: load(first),
            second: load(second),
            bits: _mm512_set1_epi64(bits as i64),
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
    #[inline]
    pub(crate) fn positions(&self) -> __m512i {
        upper_halves(scaled(self.first, self.bits), scaled(self.second, self.bits))
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
    #[inline]
    pub(crate) fn advance(&mut self) {
        let multiplier = _mm512_set1_epi64(MULTIPLIER.cast_signed());
        self.first = _mm512_mullo_epi64(self.first, multiplier);
        self.second = _mm512_mullo_epi64(self.second, multiplier);
    }
}

/// Returns positions in the upper halves of the lanes; `bits` has at most 32 bits.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
pub(crate) fn scaled(walks: __m512i, bits: __m512i) -> __m512i {
    let low = _mm512_mul_epu32(walks, bits);
    let high = _mm512_mul_epu32(_mm512_srli_epi64::<32>(walks), bits);
    _mm512_add_epi64(high, _mm512_srli_epi64::<32>(low))
}
