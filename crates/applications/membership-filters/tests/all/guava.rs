//! The filters of Guava and of Spark.

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
mod positions;
#[cfg(all(feature = "slot", not(emulated)))]
mod slot;
mod support;
