//! Crates that need a storage engine or the real Guava, or another allocator: workspaces of their own, so
//! that the main build stays quick.

use std::path::Path;

use super::{cargo, cargo_command, run_command};

/// Their manifests.
const MANIFESTS: [&str; 6] = [
    "crates/filter-policy-leveldb/real-engine/Cargo.toml",
    "crates/filter-policy-rusty-leveldb/Cargo.toml",
    "crates/filter-policy-slatedb/Cargo.toml",
    "crates/filter-policy/real-rocksdb/Cargo.toml",
    "crates/guava-bloom/real-guava/Cargo.toml",
    "crates/membership-filters/memory/Cargo.toml",
];

/// The crate that links LevelDB only when it is asked to.
const LEVELDB: [&str; 4] = ["--package", "filter-policy-leveldb", "--features", "leveldb"];

/// Lints, documents and tests each of them against its engine.
pub(super) fn check(root: &Path) -> Result<(), String> {
    let lint = ["--all-targets"];
    cargo(
        root,
        &[&["clippy"], &LEVELDB[..], &lint, &["--", "-D", "warnings"]].concat(),
    )?;
    cargo(root, &[&["test", "--doc"], &LEVELDB[..]].concat())?;
    let target = root.join("target").join("engines");
    let target = target.to_string_lossy();
    for manifest in MANIFESTS {
        let place = ["--locked", "--manifest-path", manifest, "--target-dir", &target];
        cargo(
            root,
            &[&["clippy"], &place[..], &lint, &["--", "-D", "warnings"]].concat(),
        )?;
        let mut doc = cargo_command(root, &[&["doc", "--no-deps"], &place[..]].concat());
        doc.env("RUSTDOCFLAGS", "-D warnings");
        run_command(&mut doc)?;
        cargo(root, &[&["test"], &place[..]].concat())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn every_workspace_that_the_main_one_excludes_is_checked() {
        let root = workspace::root();
        let text = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        let excluded: Vec<&str> = manifest["workspace"]["exclude"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(toml::Value::as_str)
            // Has a step of its own.
            .filter(|path| !path.ends_with("freestanding"))
            .collect();
        let checked: Vec<&str> = MANIFESTS
            .iter()
            .filter_map(|path| path.strip_suffix("/Cargo.toml"))
            .collect();
        assert_eq!(excluded, checked);
        for manifest in MANIFESTS {
            assert!(root.join(manifest).is_file(), "{manifest}");
        }
    }
}
