//! The clock.

use std::time::Instant;

/// What `work` gives, and how long it took, in nanoseconds.
#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock, here and nowhere else"
)]
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let start = Instant::now();
    let result = work();
    // 584 years of nanoseconds fit.
    (result, start.elapsed().as_nanos() as u64)
}
