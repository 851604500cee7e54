//! The instructions of x86-64.
#![expect(
    unsafe_code,
    reason = "instructions that not every processor has, and loads of parts of vectors"
)]

mod avx2;
mod avx512;
mod entries;
mod found;
mod single;

pub(crate) use avx2::Avx2;
pub(crate) use avx512::Avx512;
pub(crate) use found::Found;
