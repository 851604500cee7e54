//! The kernels for x86-64.

mod avx2;
mod avx512;
pub(crate) mod found;
mod target;

pub(crate) use target::{Avx2, Avx512};
