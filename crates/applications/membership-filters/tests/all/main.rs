//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
// What does not depend on the processor is not built for an emulator.
#![cfg_attr(emulated, allow(dead_code, unused_imports))]

#[cfg(not(emulated))]
mod blocked;
#[cfg(not(emulated))]
mod counting;
#[cfg(not(emulated))]
mod cuckoo;
#[cfg(not(emulated))]
mod every;
mod ffi;
mod funnels;
mod guava;
#[cfg(not(emulated))]
mod rates;
mod redisbloom;
#[cfg(not(emulated))]
mod rotating;
#[cfg(all(feature = "serde", not(emulated)))]
mod serde;
#[cfg(all(feature = "save", not(emulated)))]
mod stored;
mod support;
