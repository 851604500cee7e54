//! The model of the concurrent filter: every interleaving of a few threads.

use std::path::Path;

use super::{cargo_command, run_command};

/// Builds with `loom` in the place of the atomics, in a target folder of its own: the flag would rebuild everything.
pub(super) fn check(root: &Path) -> Result<(), String> {
    let target = root.join("target").join("loom");
    let target = target.to_string_lossy();
    let arguments = [
        "test",
        "--package",
        "guava-bloom",
        "--release",
        "--no-default-features",
        "--test",
        "loom",
        "--target-dir",
        &target,
    ];
    let mut command = cargo_command(root, &arguments);
    command.env("RUSTFLAGS", "--cfg loom");
    run_command(&mut command)
}
