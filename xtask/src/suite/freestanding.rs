//! Checks that the program that proves `no_std` builds and runs. It has no allocator: the compiler refuses a crate that
//! wants one.

use std::path::Path;
use std::process::Command;

use super::lints;
use crate::Failure;
use crate::cargo::{cargo, run_command, words};

/// The arguments of cargo for the program, which is a workspace of its own, and the program that cargo builds.
const PLACE: &str = "--release --locked --target-dir target/freestanding \
                     --manifest-path crates/filters/filter-policy/freestanding/Cargo.toml";
const PROGRAM: &str = "target/freestanding/release/filter-policy-freestanding";

/// Lints, builds and runs the program.
pub(super) fn check(root: &Path) -> Result<(), Failure> {
    lints::check(root, &words(PLACE))?;
    cargo(root, &[&["build"], &words(PLACE)[..]].concat())?;
    run_command(&mut Command::new(root.join(PROGRAM)))
}
