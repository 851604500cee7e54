//! Filters whose probes go anywhere: the portable code, with the processor's own 128-bit products, and prefetching.
//! Queries of many keys take eight at a time.

use core::arch::x86_64::*;

use super::super::Avx2;
use super::{filled_up, load_wide, splat, times};
use crate::bloom64::{MULTIPLIER, TOO_LONG, each_set};
use crate::generic::query::Words;
use crate::generic::{Lanes, tiles};
use crate::wide::WideSource;

impl Avx2 {
    pub(crate) fn insert_spread(self, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx2, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
            tiles::insert_spread(lanes, bit_array, probes, source);
        }
        // SAFETY: see the type.
        unsafe { run(self, bit_array, probes, source) }
    }

    pub(crate) fn spread_may_match_many(
        self,
        bit_array: &[u8],
        probes: u8,
        source: WideSource<'_>,
        answers: &mut [u64],
    ) {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx2, bit_array: &[u8], probes: u8, source: WideSource<'_>, answers: &mut [u64]) {
            tiles::spread_may_match_many(lanes, bit_array, probes, source, answers);
        }
        // SAFETY: see the type.
        unsafe { run(self, bit_array, probes, source, answers) }
    }
}

/// Returns the answers for these hash values, one bit each.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
pub(crate) fn ask(lanes: Avx2, bit_array: &[u8], probes: u8, hashes: &[u64]) -> u64 {
    let count = hashes.len();
    if bit_array.len() >= TOO_LONG {
        return each_set(bit_array, probes, hashes);
    }
    let words = Words::new(lanes, bit_array);
    let (mut answers, mut filled) = (0, [0; 8]);
    for (i, hashes) in hashes.chunks(8).enumerate() {
        let (first, second) = load_wide(filled_up(hashes, &mut filled));
        let mut walks = [
            _mm256_permute2x128_si256::<0x20>(first, second),
            _mm256_permute2x128_si256::<0x31>(first, second),
        ];
        let mut hits = lanes.all_hits();
        for _ in 0..probes {
            let positions = positions(bit_array, walks);
            hits = lanes.hit(hits, words.at(lanes, positions), positions);
            walks = [
                times(walks[0], splat(MULTIPLIER)),
                times(walks[1], splat(MULTIPLIER)),
            ];
        }
        answers |= u64::from(lanes.hit_bits(hits)) << (8 * i);
    }
    answers & u64::MAX >> (64 - count)
}

/// Returns the positions in the bit array of eight steps: 0, 1, 4 and 5, and 2, 3, 6 and 7.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn positions(bit_array: &[u8], [first, second]: [__m256i; 2]) -> __m256i {
    // Below 2^31, so that no sum overflows.
    let bits = splat(bit_array.len() as u64 * 8);
    let place = |walks: __m256i| {
        let low = _mm256_srli_epi64::<32>(_mm256_mul_epu32(walks, bits));
        let high = _mm256_mul_epu32(_mm256_srli_epi64::<32>(walks), bits);
        _mm256_castsi256_ps(_mm256_add_epi64(high, low))
    };
    _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(place(first), place(second)))
}
