//! The kernel for 64-bit Arm.
#![expect(
    unsafe_code,
    reason = "instructions are called as if some processors did not have them, and loads of vectors"
)]

mod neon;

pub(crate) use neon::Neon;
