//! Split blocks: a block is a vector of AVX2, for AVX-512 as well.

use core::arch::x86_64::*;

use super::{Avx2, Avx512};
use crate::hash::{WideSource, xxh64};
use crate::lanes::Lanes;
use crate::split_block::{Block, BlockHash, BlockLanes, SALTS, may_match_by};
use crate::tiles::TileLanes;

macro_rules! block_lanes {
    ($lanes:ident, $features:literal) => {
        impl BlockLanes for $lanes {
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
                #[target_feature(enable = $features)]
                fn run(lanes: $lanes, source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
                    xxh64::hash(lanes, source, start, hashes);
                }
                match function {
                    // SAFETY: see the type.
                    BlockHash::Xxh64 => unsafe { run(self, source, start, hashes) },
                    BlockHash::Xxph3 => self.hash_tile::<false>(source, start, hashes),
                }
            }

            #[inline(always)]
            fn long_xxph3_may_match(self, blocks: &[Block], key: &[u8]) -> bool {
                #[target_feature(enable = $features)]
                #[inline(never)]
                fn run(lanes: $lanes, blocks: &[Block], key: &[u8]) -> bool {
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
    };
}

block_lanes!(Avx2, "avx2,bmi1,bmi2,popcnt");
block_lanes!(Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt");

#[target_feature(enable = "avx2")]
#[inline]
fn bits_of(hash: u64) -> __m256i {
    // SAFETY: there is a salt for each lane.
    let salts = unsafe { _mm256_loadu_si256(SALTS.as_ptr().cast()) };
    let products = _mm256_mullo_epi32(_mm256_set1_epi32((hash as u32).cast_signed()), salts);
    _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32::<27>(products))
}

#[target_feature(enable = "avx2")]
#[inline]
fn has(block: &Block, bits: __m256i) -> bool {
    // SAFETY: a block has the length of a vector.
    let block = unsafe { _mm256_loadu_si256(block.as_ptr().cast()) };
    _mm256_testc_si256(block, bits) != 0
}

#[target_feature(enable = "avx2")]
#[inline]
fn set(block: &mut Block, bits: __m256i) {
    let place: *mut __m256i = block.as_mut_ptr().cast();
    // SAFETY: a block has the length of a vector.
    unsafe { _mm256_storeu_si256(place, _mm256_or_si256(_mm256_loadu_si256(place), bits)) }
}
