//! The kernels for x86-64.

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
                unsafe { single::count_ones(word) }
            }

            #[inline(always)]
            fn parities(self, first: &[[u8; 16]], second: &[[u8; 16]], masks: [u128; 2]) -> u32 {
                // SAFETY: see the type.
                unsafe { avx2::parities(first, second, masks) }
            }
        }
    };
}

mod avx2;
mod avx512;
pub(crate) mod found;
mod single;

use core::arch::x86_64::*;

use crate::Kernel;
use crate::lanes::{Target, Work, compiled};

/// The kernel of AVX2. A value exists only if the processor and the operating system support the instructions, so calling
/// them is sound; "see the type" in the comments refers to this.
#[derive(Debug, Clone, Copy)]
pub struct Avx2(());

/// The kernel of AVX-512, like [`Avx2`].
#[derive(Debug, Clone, Copy)]
pub struct Avx512(());

target!(Avx2, avx2);
target!(Avx512, avx512);
