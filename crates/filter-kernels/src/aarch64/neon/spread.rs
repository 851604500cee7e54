//! Filters whose probes go anywhere: the portable code with prefetching.

use super::Neon;
use crate::generic::tiles;
use crate::wide::WideSource;

impl Neon {
    pub(crate) fn insert_spread(self, bit_array: &mut [u8], probes: u8, source: WideSource<'_>) {
        tiles::insert_spread(self, bit_array, probes, source);
    }

    pub(crate) fn spread_may_match_many(
        self,
        bit_array: &[u8],
        probes: u8,
        source: WideSource<'_>,
        answers: &mut [u64],
    ) {
        tiles::spread_may_match_many(self, bit_array, probes, source, answers);
    }
}
