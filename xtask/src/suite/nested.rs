//! Packages that need an engine or a peer, which must not enter the lock file of the main workspace: each is one of its own.

use std::fs;
use std::path::Path;

use super::cargo::cargo;
use super::{document, lint};

/// The crate that links LevelDB only when it is asked to.
const LEVELDB: [&str; 4] = ["--package", "filter-policy-leveldb", "--features", "leveldb"];

/// Lints, documents and tests each of them against its engine.
pub(super) fn check(root: &Path) -> Result<(), String> {
    lint(root, &[&LEVELDB[..], &["--all-targets"]].concat())?;
    cargo(root, &[&["test", "--doc"], &LEVELDB[..]].concat())?;
    for workspace in workspaces(root)? {
        let manifest = format!("{workspace}/Cargo.toml");
        let place = ["--workspace", "--locked", "--manifest-path", &manifest];
        lint(root, &[&place[..], &["--all-targets"]].concat())?;
        document(root, &place)?;
        cargo(root, &[&["test"], &place[..]].concat())?;
    }
    Ok(())
}

/// What the main workspace excludes, but for the program that has a step of its own.
fn workspaces(root: &Path) -> Result<Vec<String>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("Cargo.toml: {error}");
    let text = fs::read_to_string(root.join("Cargo.toml")).map_err(|error| failed(&error))?;
    let manifest: toml::Table = text.parse().map_err(|error| failed(&error))?;
    let excluded = manifest["workspace"]["exclude"].clone().try_into();
    let mut excluded: Vec<String> = excluded.map_err(|error| failed(&error))?;
    excluded.retain(|path| !path.ends_with("/freestanding"));
    Ok(excluded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engines_are_among_the_workspaces() {
        let found = workspaces(&crate::workspace::root()).unwrap();
        assert!(
            found
                .iter()
                .any(|path| path == "crates/filter-policy-rusty-leveldb"),
            "{found:?}"
        );
    }
}
