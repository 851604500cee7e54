//! The kernels for x86-64.

/// Operations on vectors, each an expression of intrinsics.
macro_rules! operations {
    ($(fn $name:ident($($vector:ident),+) = $expression:expr;)+) => {$(
        #[inline(always)]
        fn $name(self, $($vector: Self::Vector),+) -> Self::Vector {
            // SAFETY: see the type.
            unsafe { $expression }
        }
    )+};
}

/// Operations that have nothing to do with the length of vectors.
macro_rules! single_operations {
    () => {
        #[inline(always)]
        fn hash(self, keys: Keys<'_>, function: LaneHash, start: usize, hashes: &mut [u32]) {
            self.hash_keys(keys, function, start, hashes);
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
        fn count_bits(self, word: u64) -> u32 {
            // SAFETY: see the type.
            unsafe { $crate::x86_64::single::count_bits(word) }
        }
    };
}

mod avx2;
mod avx512;
mod blocks;
mod found;
mod single;

pub(crate) use avx2::Avx2;
pub(crate) use avx512::Avx512;
pub(crate) use found::Found;
