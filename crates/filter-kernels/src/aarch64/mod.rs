//! The kernel for 64-bit Arm.

mod neon;

pub(crate) use neon::Neon;
