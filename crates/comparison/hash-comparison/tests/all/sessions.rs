//! Sessions with the program, as text in `tests/sessions`.

use std::path::{Path, PathBuf};

use super::{PROGRAM, session};

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

/// Repeats a session in a folder of its own.
#[track_caller]
pub(super) fn repeat(name: &str, paths: &[(&str, PathBuf)]) {
    let file = Path::new(CRATE).join("tests/sessions").join(name);
    let folder = tempfile::tempdir().unwrap();
    session::repeat(&file, folder.path(), Path::new(PROGRAM), paths);
}

#[test]
fn help() {
    repeat("help.md", &[]);
}

#[test]
#[cfg(target_os = "linux")]
fn mistakes() {
    repeat("mistakes.md", &[]);
}

#[test]
fn keys() {
    repeat("keys.md", &[]);
}

#[test]
fn folders() {
    repeat("folders.md", &[]);
}

#[test]
fn advice() {
    repeat("advice.md", &[]);
}

#[test]
#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
fn integers() {
    repeat("integers.md", &[]);
}

#[test]
#[cfg(target_os = "linux")]
fn functions_of_libraries() {
    repeat("own.md", &[("EXAMPLES", Path::new(CRATE).join("examples"))]);
}
