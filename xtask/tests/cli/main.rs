//! Tests of the command line, and of which folder may use which.
#![expect(clippy::unwrap_used, reason = "what cannot be had fails the test")]

mod session;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Repeats a session of `tests/sessions/` in a new folder.
fn repeat(name: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/sessions")
        .join(name);
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_xtask"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
    session::repeat(&file, folder.path(), program, &[("ROOT", root)]);
}

#[test]
fn help() {
    repeat("help.md");
}

#[test]
fn other_programs() {
    repeat("other-programs.md");
}

#[test]
fn what_is_missing() {
    repeat("missing.md");
}

/// Filters, engines, applications and the package for Python use nothing of the comparison or the benchmarks, and the
/// comparison only filters and what is shared, in tests and build scripts, too. A package belongs to the folder of `crates/` that contains it.
#[test]
fn each_folder_uses_only_those_that_it_may() {
    let rules: [(&str, &[&str]); 6] = [
        ("shared", &["shared"]),
        ("filters", &["filters", "shared"]),
        ("engines", &["engines", "filters", "shared"]),
        ("applications", &["applications", "filters", "shared"]),
        ("comparison", &["comparison", "filters", "shared"]),
        ("python", &["applications", "filters", "shared"]),
    ];
    fn folder(path: &Value) -> Option<&str> {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("crates");
        let path = Path::new(path.as_str()?).strip_prefix(crates).ok()?;
        path.iter().next()?.to_str()
    }
    let mut cargo = Command::new(env!("CARGO"));
    let output = cargo
        .args(["metadata", "--no-deps", "--format-version=1"])
        .output();
    let metadata: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    let mut checked = BTreeSet::new();
    for package in metadata["packages"].as_array().unwrap() {
        let Some((user, allowed)) = rules
            .iter()
            .find(|(user, _)| folder(&package["manifest_path"]) == Some(*user))
        else {
            continue;
        };
        checked.insert(user);
        for used in package["dependencies"].as_array().unwrap() {
            // Others come from the registry.
            if used["path"].is_string() {
                let is_allowed = folder(&used["path"]).is_some_and(|used| allowed.contains(&used));
                assert!(is_allowed, "{} uses {}", package["name"], used["name"]);
            }
        }
    }
    assert_eq!(checked.len(), rules.len());
}
