//! Compares the public API of each published crate with its reviewed snapshot.
//!
//! The features are those that the workspace enables, which are all of them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use public_api::Builder;

/// Returns the folders of the published packages.
fn published(crates: &Path) -> Vec<String> {
    let entries = fs::read_dir(crates).unwrap().map(|entry| entry.unwrap());
    let mut names: Vec<String> = entries
        .filter(|entry| {
            let manifest = fs::read_to_string(entry.path().join("Cargo.toml"));
            manifest.is_ok_and(|text| !text.contains("publish = false") && !text.contains("release = false"))
        })
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
#[ignore = "builds the documentation of the whole workspace; `cargo xtask test` runs it"]
fn surfaces_are_those_that_were_reviewed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folder = tempfile::tempdir().unwrap();
    // Only rustdoc gets the variable, because it would make cargo run build scripts and build their dependents again.
    let rustdoc = folder.path().join("rustdoc");
    fs::write(&rustdoc, "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc \"$@\"\n").unwrap();
    fs::set_permissions(&rustdoc, fs::Permissions::from_mode(0o755)).unwrap();
    // With examples, so that dependencies have the same features as in the tests.
    let arguments = "doc --quiet --no-deps --workspace --lib --examples \
        --features guava-bloom/save,guava-bloom/slot,membership-filters/slot";
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let status = Command::new(env!("CARGO"))
        .args(arguments.split(' '))
        .arg("--target-dir")
        .arg(target)
        .current_dir(root)
        .env("RUSTDOC", &rustdoc)
        .env("RUSTDOCFLAGS", "-Z unstable-options --output-format json")
        .status()
        .unwrap();
    assert!(status.success(), "cargo {arguments}: {status}");
    let names = published(&root.join("crates"));
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        let file = target
            .join("doc")
            .join(name.replace('-', "_"))
            .with_extension("json");
        let surface = Builder::from_rustdoc_json(file)
            .omit_auto_derived_impls(true)
            .omit_auto_trait_impls(true)
            .omit_blanket_impls(true)
            .build()
            .unwrap();
        insta::assert_snapshot!(name, surface);
    }
}
