//! The kernels as [`Target`]s, and operations on single words.

use core::arch::asm;
use core::arch::x86_64::*;

use crate::simd::compile::compiled;
use crate::simd::kernel::Kernel;
use crate::simd::lanes::{Target, Work};

/// The kernel of AVX2. A value exists only if the processor and the operating system support the instructions, so
/// calling them is sound; "see the type" in the comments refers to this.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2(());

/// The kernel of AVX-512, like [`Avx2`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512(());

/// Implements what lanes of any number have in common.
macro_rules! target {
    ($lanes:ident, $features:ident) => {
        impl Target for $lanes {
            const KERNEL: Kernel = Kernel::$lanes;
            const PARITIES: bool = true;

            #[inline(always)]
            unsafe fn assumed() -> Self {
                Self(())
            }

            #[inline(always)]
            fn call<W: Work>(self, work: W) -> W::Out {
                compiled! { $features
                    fn run<W: Work>(lanes: $lanes, work: W) -> W::Out {
                        work.wide(lanes)
                    }
                }
                // SAFETY: see the type.
                unsafe { run(self, work) }
            }

            #[inline(always)]
            fn here<W: Work>(self, work: W) -> W::Out {
                work.wide(self)
            }

            #[inline(always)]
            fn prefetch<const WRITE: bool, T>(self, items: &[T], index: usize) {
                let place = items.as_ptr().wrapping_add(index).cast();
                // SAFETY: a prefetch is a hint, valid for any address, and every x86-64 processor decodes it.
                unsafe {
                    if WRITE {
                        _mm_prefetch::<_MM_HINT_ET0>(place);
                    } else {
                        _mm_prefetch::<_MM_HINT_T0>(place);
                    }
                }
            }

            #[inline(always)]
            fn count_ones(self, word: u64) -> u32 {
                // SAFETY: see the type.
                unsafe { count_ones(word) }
            }

            #[inline(always)]
            fn parities(self, first: &[[u8; 16]], second: &[[u8; 16]], masks: [u128; 2]) -> u32 {
                // SAFETY: see the type.
                unsafe { parities(first, second, masks) }
            }
        }
    };
}

target!(Avx2, avx2);
target!(Avx512, avx512);

/// Returns the number of bits that are one.
///
/// Names the instruction, because compilers would replace four of these by vectors, which take three times as long.
///
/// # Safety
///
/// The processor has POPCNT.
#[inline(always)]
unsafe fn count_ones(word: u64) -> u32 {
    let count: u64;
    // SAFETY: guaranteed by the caller; the instruction only changes the register and flags.
    unsafe {
        asm!("popcnt {}, {}", out(reg) count, in(reg) word, options(pure, nomem, nostack));
    }
    count as u32
}

/// The most rows of which [`parities`] takes the sums.
const ROWS: usize = 8;

compiled! { avx2
/// [`Target::parities`]: four vectors of each side.
///
/// Stored keys of Ribbon filters take 1.2 to 1.5 times as long with two sums at a time, on AMD Zen 3 with AVX2.
#[inline]
pub(super) fn parities(first: &[[u8; 16]], second: &[[u8; 16]], [here, next]: [u128; 2]) -> u32 {
    /// From each place on, as many lanes to read as halves of words are left.
    const LIVE: [i64; 4 * ROWS] = {
        let mut live = [0; 4 * ROWS];
        let mut i = 0;
        while i < 2 * ROWS {
            live[i] = -1;
            i += 1;
        }
        live
    };
    let rows = first.len().min(second.len()).min(ROWS);
    let coefficients = |word: u128| {
        let halves = _mm_set_epi64x((word >> 64) as i64, word as i64);
        _mm256_broadcastsi128_si256(halves)
    };
    let (here, next) = (coefficients(here), coefficients(next));
    // The selected bits of two rows.
    let selected = |from: usize| {
        // SAFETY: the start is at most 4 * ROWS - 4, so four lanes follow; under the mask, only words of the slices are
        // read.
        let (first, second) = unsafe {
            let live = _mm256_loadu_si256(LIVE.as_ptr().add(2 * (ROWS - rows + from)).cast());
            (
                _mm256_maskload_epi64(first.as_ptr().wrapping_add(from).cast(), live),
                _mm256_maskload_epi64(second.as_ptr().wrapping_add(from).cast(), live),
            )
        };
        _mm256_xor_si256(_mm256_and_si256(first, here), _mm256_and_si256(second, next))
    };
    // The sums of four rows' halves, in the order of the rows 0, 2, 1 and 3, gather in the upper halves.
    let halves = |from| {
        let (a, b) = (selected(from), selected(from + 2));
        let sum = _mm256_xor_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        _mm256_castsi256_ps(_mm256_xor_si256(sum, _mm256_slli_epi64::<32>(sum)))
    };
    let both = _mm256_shuffle_ps::<0b11_01_11_01>(halves(0), halves(4));
    let sum = _mm256_permutevar8x32_epi32(
        _mm256_castps_si256(both),
        _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7),
    );
    odd_lanes(sum)
}
}

compiled! { avx2
/// Returns true if the bits of each lane are odd in number.
#[inline]
fn odd_lanes(sum: __m256i) -> u32 {
    // The sum of a lane's bits gathers in its highest.
    let sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<16>(sum));
    let sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<8>(sum));
    let sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<4>(sum));
    let sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<2>(sum));
    let sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<1>(sum));
    _mm256_movemask_ps(_mm256_castsi256_ps(sum)).cast_unsigned()
}
}
