//! Filters whose probes go anywhere: the portable code, with the processor's own products of 128 bits, and memory that is
//! asked for ahead.

use super::super::Avx2;
use crate::arch::generic::tiles;
use crate::arch::wide::WideSource;

impl Avx2 {
    pub(in crate::arch) fn insert_spread(self, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx2, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
            tiles::insert_spread(lanes, bit_array, probes, source);
        }
        // SAFETY: see the type.
        unsafe { run(self, bit_array, probes, source) }
    }

    pub(in crate::arch) fn spread_may_match_many(
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
