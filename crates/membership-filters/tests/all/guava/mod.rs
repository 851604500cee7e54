//! All tests in one program, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
// What does not depend on the processor is not built for an emulator.
#![cfg_attr(emulated, allow(dead_code, unused_imports))]

#[cfg(not(emulated))]
mod concurrent;
#[cfg(not(emulated))]
mod contract;
mod golden_filters;
mod golden_sizing;
mod golden_spark;
mod golden_streams;
#[cfg(all(feature = "huge-pages", target_os = "linux", not(miri), not(emulated)))]
mod huge_pages;
#[cfg(not(emulated))]
mod properties;
#[cfg(not(emulated))]
mod published;
#[cfg(all(feature = "save", not(emulated)))]
mod save;
#[cfg(all(feature = "slot", not(emulated)))]
mod slot;
mod support;
