//! The example program with custom functions.

use std::path::PathBuf;
use std::process::Command;

use super::sessions::repeat;

/// Returns the example program, which is in a folder next to that of the tests.
fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let name = format!("custom_function{}", std::env::consts::EXE_SUFFIX);
    let path = tests.ancestors().nth(2).unwrap().join("examples").join(name);
    if !path.is_file() {
        // `cargo test` builds examples, except when it runs selected test targets.
        let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--package", "measuring", "--example", "custom_function"]);
        assert!(build.args(["--profile", profile]).status().unwrap().success());
    }
    path
}

#[test]
fn two_custom_functions_are_judged_beside_built_in_ones() {
    repeat("custom_function.md", &[("CUSTOM_FUNCTION", program())]);
}
