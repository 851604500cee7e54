//! The kernels as [`Target`]s, and operations on single bytes and words.

use core::arch::asm;
use core::arch::x86_64::*;

use super::parities::parities;
use crate::kernel::Kernel;
use crate::lanes::{Target, Work, compiled};

/// The kernel of AVX2. A value exists only if the processor and the operating system support the instructions, so calling
/// them is sound; "see the type" in the comments refers to this.
#[derive(Debug, Clone, Copy)]
pub struct Avx2(());

/// The kernel of AVX-512, like [`Avx2`].
#[derive(Debug, Clone, Copy)]
pub struct Avx512(());

/// What lanes have whatever their number.
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

/// Returns the bytes that hold the bits at these positions: all 8, or the first 6 if at most 6 count. The
/// others are 0.
///
/// Separate loads are faster than one gather, which reads whole words and so would read beyond the end of the slice.
///
/// # Safety
///
/// The processor has AVX2, and the positions are below the number of bits.
#[inline(always)]
pub(super) unsafe fn bytes_at(bytes: &[u8], positions: __m256i, count: u32) -> __m128i {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let places = _mm256_srli_epi32::<3>(positions);
        let low = _mm256_castsi256_si128(places);
        let high = _mm256_extracti128_si256::<1>(places);
        // Two places in each number. Going through memory would take longer.
        let places_0_1 = _mm_cvtsi128_si64(low).cast_unsigned();
        let places_2_3 = _mm_extract_epi64::<1>(low).cast_unsigned();
        let places_4_5 = _mm_cvtsi128_si64(high).cast_unsigned();
        let byte = |place: u64| i32::from(*bytes.get_unchecked(place as u32 as usize));
        let found = _mm_cvtsi32_si128(byte(places_0_1));
        let found = _mm_insert_epi8::<1>(found, byte(places_0_1 >> 32));
        let found = _mm_insert_epi8::<2>(found, byte(places_2_3));
        let found = _mm_insert_epi8::<3>(found, byte(places_2_3 >> 32));
        let found = _mm_insert_epi8::<4>(found, byte(places_4_5));
        let found = _mm_insert_epi8::<5>(found, byte(places_4_5 >> 32));
        if count <= 6 {
            return found;
        }
        let places_6_7 = _mm_extract_epi64::<1>(high).cast_unsigned();
        let found = _mm_insert_epi8::<6>(found, byte(places_6_7));
        _mm_insert_epi8::<7>(found, byte(places_6_7 >> 32))
    }
}

/// Returns the number of bits that are one.
///
/// As an instruction by name: compilers would replace four of these by vectors, which take three times as long.
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
