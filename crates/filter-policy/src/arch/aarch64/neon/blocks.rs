//! Split blocks: a block is two vectors.

use core::arch::aarch64::*;

use hashzoo::xxh64;

use super::Neon;
use crate::arch::generic::Lanes;
use crate::arch::generic::entries::{block_entries, entry};
use crate::arch::wide::WideSource;
use crate::arch::wide::blocks::{
    BLOCK_LEN, Block, BlockLanes, SALTS, insert_by, key_may_match_by, may_match_by, may_match_each_by,
    may_match_many_by,
};

block_entries!(Neon, "neon");

impl BlockLanes for Neon {
    type Bits = [uint8x16_t; 2];

    #[inline(always)]
    fn bits_of(self, hash: u64) -> [uint8x16_t; 2] {
        [0, 4].map(|first| {
            // SAFETY: see the type; there are four salts from `first` on.
            unsafe {
                let salts = vld1q_u32(SALTS.as_ptr().add(first));
                let products = vmulq_u32(vdupq_n_u32(hash as u32), salts);
                let places = vreinterpretq_s32_u32(vshrq_n_u32::<27>(products));
                vreinterpretq_u8_u32(vshlq_u32(vdupq_n_u32(1), places))
            }
        })
    }

    #[inline(always)]
    fn has(self, block: &Block, [low, high]: [uint8x16_t; 2]) -> bool {
        // SAFETY: see the type; a block has the length of two vectors.
        unsafe {
            let missing_low = vbicq_u8(low, vld1q_u8(block.as_ptr()));
            let missing_high = vbicq_u8(high, vld1q_u8(block.as_ptr().add(16)));
            vmaxvq_u8(vorrq_u8(missing_low, missing_high)) == 0
        }
    }

    #[inline(always)]
    fn set(self, block: &mut Block, [low, high]: [uint8x16_t; 2]) {
        let (first, second) = block.split_at_mut(16);
        for (half, bits) in [(first, low), (second, high)] {
            // SAFETY: see the type; half a block has the length of a vector.
            unsafe { vst1q_u8(half.as_mut_ptr(), vorrq_u8(vld1q_u8(half.as_ptr()), bits)) }
        }
    }

    #[inline(always)]
    fn hash(self, source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
        source.hash_by(|key| xxh64(key, 0), start, hashes);
    }

    #[inline(always)]
    fn prefetch<const WRITE: bool>(self, blocks: &[Block], index: usize) {
        Lanes::prefetch::<WRITE>(self, blocks.as_flattened(), index * BLOCK_LEN);
    }
}
