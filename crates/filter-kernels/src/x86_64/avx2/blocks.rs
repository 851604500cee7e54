//! Split blocks: a block is a vector.

use core::arch::x86_64::*;

use super::Avx2;
use crate::hash::{WideSource, xxh64};
use crate::lanes::Lanes;
use crate::lanes::entries::{block_entries, entry};
use crate::split_block::{
    Block, BlockHash, BlockLanes, SALTS, SplitBlocks, insert_by, insert_hash_by, key_may_match_by,
    may_match_by, may_match_each_by, may_match_many_by, xxph3_may_match_by,
};
use crate::tiles::TileLanes;

block_entries!(Avx2, "avx2,bmi1,bmi2,popcnt");

impl BlockLanes for Avx2 {
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
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx2, source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
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
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        #[inline(never)]
        fn run(lanes: Avx2, blocks: &[Block], key: &[u8]) -> bool {
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

#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn bits_of(hash: u64) -> __m256i {
    // SAFETY: there is a salt for each lane.
    let salts = unsafe { _mm256_loadu_si256(SALTS.as_ptr().cast()) };
    let products = _mm256_mullo_epi32(_mm256_set1_epi32((hash as u32).cast_signed()), salts);
    _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32::<27>(products))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn has(block: &Block, bits: __m256i) -> bool {
    // SAFETY: a block has the length of a vector.
    let block = unsafe { _mm256_loadu_si256(block.as_ptr().cast()) };
    _mm256_testc_si256(block, bits) != 0
}

#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn set(block: &mut Block, bits: __m256i) {
    let place: *mut __m256i = block.as_mut_ptr().cast();
    // SAFETY: a block has the length of a vector.
    unsafe { _mm256_storeu_si256(place, _mm256_or_si256(_mm256_loadu_si256(place), bits)) }
}
