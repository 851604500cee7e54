//! Checks the formatting of every Rust file.

use std::path::Path;

use super::Offence;
use crate::cargo::cargo_command;

/// The workspace, and the packages outside of it.
pub(super) const MANIFESTS: [&str; 3] = [
    "Cargo.toml",
    "crates/filter-formats/freestanding/Cargo.toml",
    "crates/fuzz/Cargo.toml",
];

/// Runs rustfmt over the packages of a workspace.
pub(super) fn check(root: &Path, manifest: &str) -> Result<Vec<Offence>, String> {
    let mut command = cargo_command(root, &["fmt", "--manifest-path", manifest]);
    // Outside of the workspace, the packages that are depended on would be all of it.
    command.args((manifest == "Cargo.toml").then_some("--all"));
    let output = command
        .args(["--", "--check", "--files-with-diff"])
        .output()
        .map_err(|error| format!("cargo fmt: {error}"))?;
    let listed = String::from_utf8_lossy(&output.stdout);
    let mut files: Vec<&Path> = listed.lines().map(Path::new).collect();
    // A file is listed once for each file that leads to it.
    files.sort();
    files.dedup();
    if files.is_empty() && !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo fmt: {}", reason.trim()));
    }
    let offence = |file: &Path| {
        let path = file.strip_prefix(root).unwrap_or(file).to_string_lossy();
        Offence::new(&path, 0, "not formatted: run `cargo fmt` in its workspace")
    };
    Ok(files.into_iter().map(offence).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unformatted_file_is_named_and_one_that_is_no_rust_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let run = |text: &str| {
            let manifest =
                "[workspace]\n[package]\nname = \"a\"\nedition = \"2024\"\n[lib]\npath = \"a.rs\"\n";
            std::fs::write(root.join("Cargo.toml"), manifest).unwrap();
            std::fs::write(root.join("a.rs"), text).unwrap();
            check(&root, "Cargo.toml").map(|offences| offences.iter().map(ToString::to_string).collect())
        };
        let found: Vec<String> = run("fn  f( ) { }\n").unwrap();
        assert_eq!(found, ["a.rs: not formatted: run `cargo fmt` in its workspace"]);
        assert!(run("fn f() {}\n").unwrap().is_empty());
        assert!(run("fn {{{\n").unwrap_err().starts_with("cargo fmt: "));
    }
}
