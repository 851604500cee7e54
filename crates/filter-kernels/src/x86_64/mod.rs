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

pub(crate) mod avx2;
mod avx512;
mod found;
mod single;

pub(crate) use avx2::Avx2;
pub(crate) use avx512::Avx512;
pub(crate) use found::Found;
