//! The model of the concurrent filter: every interleaving of a few threads.

use std::path::Path;

use super::cargo::{cargo_command, run_command, words};

/// Builds with `loom` in the place of the atomics, optimised: there are very many interleavings.
pub(super) fn check(root: &Path) -> Result<(), String> {
    let arguments = words("test --release --package guava-bloom-model");
    run_command(cargo_command(root, &arguments).env("RUSTFLAGS", "--cfg loom"))
}
