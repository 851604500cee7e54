//! What each crate that others depend on offers them, beside what it was when somebody last looked: a change is reviewed like that
//! of any snapshot.
//!
//! The features are those that the workspace as a whole asks for, which is all of them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use public_api::Builder;

/// Packages that are published for their library.
const CRATES: [&str; 8] = [
    "bloom-redis",
    "filter-policy",
    "filter-policy-leveldb",
    "filter-policy-rusty-leveldb",
    "filter-policy-slatedb",
    "guava-bloom",
    "hashzoo",
    "membership-filters",
];

#[test]
#[ignore = "builds the documentation of the whole workspace"]
fn surfaces_are_those_that_were_reviewed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folder = tempfile::tempdir().unwrap();
    // Only rustdoc may know of the variable: build scripts would run again because of it, and all that depends on them.
    let rustdoc = folder.path().join("rustdoc");
    fs::write(&rustdoc, "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc \"$@\"\n").unwrap();
    fs::set_permissions(&rustdoc, fs::Permissions::from_mode(0o755)).unwrap();
    // With examples, so that dependencies have the features that they have in the tests.
    let arguments = "doc --quiet --no-deps --workspace --lib --examples";
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
    for name in CRATES {
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
