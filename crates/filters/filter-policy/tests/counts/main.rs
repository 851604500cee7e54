//! Counts the instructions of every way to build and to query, which hang on a few functions that must be inlined, and
//! compares them with the recorded counts.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod counting;
// Formats and checks the program, which the test builds.
#[cfg(clippy)]
#[expect(dead_code, reason = "a program of its own")]
mod work;

/// Engines build and query in these ways. The C library selects functions of the others by the processor.
const STRICT: [&str; 3] = ["build", "one-dyn", "one-present"];

/// A line of `counts.csv` is a kernel, policy, key lengths, way, and the instructions for a key.
#[test]
#[ignore = "builds for release and needs valgrind; `cargo xtask test` runs it"]
fn no_way_takes_more_instructions_than_recorded() {
    counting::check(|way| STRICT.contains(&way));
}
