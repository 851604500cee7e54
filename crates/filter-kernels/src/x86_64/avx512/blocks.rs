//! Split blocks: a block is half a vector, as in AVX2.

use core::arch::x86_64::*;

use super::Avx512;
use crate::hash::{WideSource, xxh64};
use crate::lanes::Lanes;
use crate::lanes::entries::{block_entries, entry};
use crate::split_block::{
    Block, BlockHash, BlockLanes, SplitBlocks, insert_by, insert_hash_by, key_may_match_by, may_match_by,
    may_match_each_by, may_match_many_by, xxph3_may_match_by,
};
use crate::tiles::TileLanes;
use crate::x86_64::avx2::blocks::{bits_of, has, set};

block_entries!(Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt");

impl BlockLanes for Avx512 {
    type Bits = __m256i;

    #[inline(always)]
    fn bits_of(self, hash: u64) -> __m256i {
        // SAFETY: see the type.
        unsafe { bits_of(hash) }
    }

    #[inline(always)]
    fn has(self, block: &Block, bits: __m256i) -> bool {
        // SAFETY: see the type.
        unsafe { has(block, bits) }
    }

    #[inline(always)]
    fn set(self, block: &mut Block, bits: __m256i) {
        // SAFETY: see the type.
        unsafe { set(block, bits) }
    }

    #[inline(always)]
    fn hash(self, function: BlockHash, source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx512, source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
            xxh64::hash(lanes, source, start, hashes);
        }
        match function {
            // SAFETY: see the type.
            BlockHash::Xxh64 => unsafe { run(self, source, start, hashes) },
            BlockHash::Xxph3 => self.hash_tile(source, start, hashes),
        }
    }

    #[inline(always)]
    fn long_xxph3_may_match(self, blocks: &[Block], key: &[u8]) -> bool {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
        #[inline(never)]
        fn run(lanes: Avx512, blocks: &[Block], key: &[u8]) -> bool {
            may_match_by(lanes, blocks, BlockHash::Xxph3.hash(key))
        }
        // SAFETY: see the type.
        unsafe { run(self, blocks, key) }
    }

    #[inline(always)]
    fn fetch<const WRITE: bool>(self, bytes: &[u8], index: usize) {
        self.prefetch::<WRITE, _>(bytes, index);
    }
}
