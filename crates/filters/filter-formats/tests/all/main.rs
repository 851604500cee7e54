//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
// What does not depend on the processor is not built for an emulator.
#![cfg_attr(emulated, allow(dead_code, unused_imports))]

#[cfg(not(emulated))]
mod broken;
#[cfg(not(emulated))]
mod budget;
#[cfg(not(emulated))]
mod contract;
#[cfg(not(emulated))]
mod fuse;
mod golden;
mod golden_parquet;
#[cfg(any(not(emulated), target_arch = "aarch64"))]
mod kernels;
#[cfg(not(emulated))]
mod places;
mod policies;
#[cfg(not(emulated))]
mod rates;
mod support;
#[cfg(not(emulated))]
mod view;
