//! Paths of the examples' programs.

use std::path::{Path, PathBuf};

/// Returns the program of an example, which cargo builds next to the folder of the tests.
pub(crate) fn program(example: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let path = folder
        .join("examples")
        .join(format!("{example}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.exists(),
        "{} is missing: cargo test builds it",
        path.display()
    );
    path
}
