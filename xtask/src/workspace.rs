//! The path of the workspace.

use std::path::PathBuf;

/// Returns the folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the package's folder for a program that it runs. A program started by hand uses the folder in which it
    // was built.
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map_or_else(|| package.clone(), PathBuf::from)
}

/// The environment variable that passes the workspace's path to the programs that this one starts.
pub(crate) const VARIABLE: &str = "HASH_COMPARISON_WORKSPACE";
