//! Counts the instructions of every way to fill, query and store a filter, which hang on a few functions that must be inlined,
//! and compares them with the recorded counts.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../../../filters/filter-policy/tests/counts/counting.rs"]
mod counting;
// Formats and checks the program, which the test builds.
#[cfg(clippy)]
#[expect(dead_code, reason = "a program of its own")]
mod work;

/// These ways copy whole filters. The C library does that, and selects its functions by the processor.
const WHOLE: [&str; 3] = ["merge", "to_bytes", "from_bytes"];

/// A line of `counts.csv` is a kernel, kind, size, key lengths, way, and the instructions for a key, or for a KiB of a way that
/// stores or merges filters.
#[test]
#[ignore = "builds for release and needs valgrind; `cargo xtask test` runs it"]
fn no_way_takes_more_instructions_than_recorded() {
    counting::check(|way| !WHOLE.contains(&way));
}
