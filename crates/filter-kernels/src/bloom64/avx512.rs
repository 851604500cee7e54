//! One key in eight 64-bit lanes: AVX-512 alone multiplies those, and takes half as long as portable code.

use core::arch::x86_64::*;

use hashzoo::xxph3_64;

use super::POWERS;
use crate::lanes::{Lanes, Lanes64, WideLanes, compiled};
use crate::x86_64::Avx512;

/// [`super::may_match`] for an array that is shorter than [`super::TOO_LONG`].
#[inline]
pub(super) fn may_match(lanes: Avx512, bit_array: &[u8], probes: u8, hash: u64) -> bool {
    compiled! { avx512
        fn run(lanes: Avx512, bit_array: &[u8], probes: u8, hash: u64) -> bool {
            all_set(lanes, bit_array, probes, hash)
        }
    }
    // SAFETY: the lanes prove that the processor has the instructions.
    unsafe { run(lanes, bit_array, probes, hash) }
}

/// [`super::key_may_match`] for an array that is shorter than [`super::TOO_LONG`].
#[inline]
pub(super) fn key_may_match(lanes: Avx512, bit_array: &[u8], probes: u8, key: &[u8]) -> bool {
    compiled! { avx512
        fn run(lanes: Avx512, bit_array: &[u8], probes: u8, key: &[u8]) -> bool {
            all_set(lanes, bit_array, probes, xxph3_64(key, 0))
        }
    }
    // SAFETY: the lanes prove that the processor has the instructions.
    unsafe { run(lanes, bit_array, probes, key) }
}

/// Returns true if all bits of a hash value are set, tested eight probes at a time.
#[inline(always)]
fn all_set(lanes: Avx512, bit_array: &[u8], probes: u8, hash: u64) -> bool {
    let wide = lanes.wide();
    let bits = wide.splat(bit_array.len() as u64 * 8);
    let hash = wide.splat(hash);
    let mut left = u32::from(probes);
    for powers in POWERS.as_chunks::<8>().0 {
        // SAFETY: the lanes prove that the processor has the instructions; the array has the length of a vector.
        let walks = wide.mul(hash, unsafe { _mm512_loadu_si512(powers.as_ptr().cast()) });
        let low = wide.shift_right::<32>(wide.mul_halves(walks, bits));
        let high = wide.mul_halves(wide.shift_right::<32>(walks), bits);
        // SAFETY: the lanes prove that the processor has the instructions; the positions are below the number of bits.
        let all = unsafe {
            let positions = _mm512_cvtepi64_epi32(wide.shift_right::<32>(wide.add(high, low)));
            lanes.all_set(bit_array, _mm512_castsi256_si512(positions), left)
        };
        // Avoids a branch on the last answer.
        if left <= 8 || !all {
            return all;
        }
        left -= 8;
    }
    true
}
