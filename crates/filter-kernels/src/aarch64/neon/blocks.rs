//! Split blocks: a block is two vectors.

use core::arch::aarch64::*;

use super::Neon;
use crate::hash::WideSource;
use crate::lanes::Lanes;
use crate::split_block::{Block, BlockHash, BlockLanes, SALTS};

impl BlockLanes for Neon {
    type Bits = [uint32x4_t; 2];

    #[inline(always)]
    fn bits_of(self, hash: u64) -> Self::Bits {
        let products = self.mul(self.load(&SALTS), self.splat(hash as u32));
        self.bit_of(self.shift_right::<27>(products))
    }

    #[inline(always)]
    fn has(self, block: &Block, [low, high]: Self::Bits) -> bool {
        let [block_low, block_high] = words_of(block);
        // SAFETY: see the type.
        unsafe { vmaxvq_u32(vorrq_u32(vbicq_u32(low, block_low), vbicq_u32(high, block_high))) == 0 }
    }

    #[inline(always)]
    fn set(self, block: &mut Block, [low, high]: Self::Bits) {
        let [block_low, block_high] = words_of(block);
        let place: *mut u32 = block.as_mut_ptr().cast();
        // SAFETY: see the type; two vectors have the length of a block, and need no alignment.
        unsafe {
            vst1q_u32(place, vorrq_u32(block_low, low));
            vst1q_u32(place.add(4), vorrq_u32(block_high, high));
        }
    }

    #[inline(always)]
    fn hash(self, function: BlockHash, source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
        source.hash_by(|key| function.hash(key), start, hashes);
    }

    #[inline(always)]
    fn fetch<const WRITE: bool>(self, bytes: &[u8], index: usize) {
        self.prefetch::<WRITE, _>(bytes, index);
    }
}

#[inline(always)]
fn words_of(block: &Block) -> [uint32x4_t; 2] {
    let start: *const u32 = block.as_ptr().cast();
    // SAFETY: see the type; two vectors have the length of a block, and need no alignment.
    unsafe { [vld1q_u32(start), vld1q_u32(start.add(4))] }
}
