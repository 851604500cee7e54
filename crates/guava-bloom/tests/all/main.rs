//! All tests in one program, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod applications;
mod concurrent;
mod contract;
mod golden_filters;
mod golden_sizing;
mod golden_spark;
mod golden_streams;
#[cfg(all(feature = "huge-pages", target_os = "linux", not(miri)))]
mod huge_pages;
mod merge;
#[cfg(feature = "rayon")]
mod parallel;
mod properties;
mod published;
#[cfg(feature = "save")]
mod save;
#[cfg(feature = "slot")]
mod slot;
mod support;
