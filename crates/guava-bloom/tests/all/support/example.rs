//! Examples as programs that tests run.

use std::path::{Path, PathBuf};

/// The program of an example: cargo builds examples beside the folder of the tests.
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
