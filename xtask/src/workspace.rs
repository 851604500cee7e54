//! Where the workspace lies.

use std::path::PathBuf;

/// The folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    // Cargo tells a program that it runs where the package is; a program started by hand is where it was built.
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map_or_else(|| package.clone(), PathBuf::from)
}

/// Tells the programs that this one starts that they run for the workspace, and where it lies.
pub(crate) const VARIABLE: &str = "HASH_COMPARISON_WORKSPACE";
