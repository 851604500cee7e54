//! The examples as processes.

mod dedup;
mod read_through;
mod set;

use std::path::{Path, PathBuf};

/// Cargo builds examples beside the folder of the tests.
fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let path = folder
        .join("examples")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.exists(),
        "{} is missing: cargo test builds it",
        path.display()
    );
    path
}

fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).unwrap()
}
