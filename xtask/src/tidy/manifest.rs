//! Rules for manifests: the allowed dependencies, and inherited lints.

use serde_json::Value;

use super::{Offence, Source};

/// The crates that others use, and programs: the workspace crates that each may use. What is not here is used by nothing
/// that is.
#[rustfmt::skip]
const ARROWS: [(&str, &str); 17] = [
    ("hashzoo", ""),
    ("filter-kernels", "hashzoo"),
    ("filter-policy", "hashzoo filter-kernels"),
    ("filter-formats", "hashzoo filter-kernels filter-policy"),
    ("filter-tables", "filter-policy filter-formats filter-testing"),
    ("filter-testing", "filter-policy filter-formats filter-tables"),
    ("filter-policy-leveldb", "filter-policy filter-formats"),
    ("guava-bloom", "hashzoo"),
    ("membership-filters", "hashzoo filter-policy filter-formats guava-bloom"),
    ("bloom-redis", "guava-bloom filter-sets"),
    ("filter-sets", "hashzoo filter-policy filter-formats guava-bloom membership-filters"),
    ("statistics", ""),
    ("plots", ""),
    ("records", "statistics"),
    ("filter-tools", "filter-policy filter-formats filter-tables filter-testing filter-sets guava-bloom membership-filters statistics records"),
    ("hash-comparison", "hashzoo filter-policy filter-formats statistics plots records"),
    ("xtask", ""),
];

/// Crates that may use only the listed external crates, except in tests.
const LEAN: [(&str, &str); 7] = [
    ("hashzoo", ""),
    ("filter-kernels", "cpufeatures"),
    ("filter-policy", ""),
    ("filter-formats", "libm"),
    ("filter-tables", "snap xxhash-rust"),
    ("guava-bloom", "libm libc arc-swap tempfile loom"),
    ("membership-filters", "libm"),
];

/// Checks the direction of dependencies in cargo's metadata.
pub(super) fn arrows(metadata: &Value) -> Vec<Offence> {
    let list = |values: &Value| values.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let root = text(&metadata["workspace_root"]) + "/";
    let mut offences = Vec::new();
    for package in list(&metadata["packages"]) {
        let (name, manifest) = (text(&package["name"]), text(&package["manifest_path"]));
        for dependency in list(&package["dependencies"]) {
            let used = text(&dependency["name"]);
            let allowed = if dependency["path"].is_string() {
                entry(&ARROWS, &name)
            } else {
                entry(&LEAN, &name).filter(|_| dependency["kind"] != "dev")
            };
            // A package may depend on itself to enable features for its tests.
            if used != name && allowed.is_some_and(|few| !few.split(' ').any(|one| one == used)) {
                let rule = format!("dependencies: {name} may not use {used}");
                offences.push(Offence::new(manifest.trim_start_matches(&root), 0, rule));
            }
        }
    }
    offences
}

/// Returns a crate's entry in a table.
fn entry(table: &[(&str, &'static str)], package: &str) -> Option<&'static str> {
    (table.iter().find(|(name, _)| *name == package)).map(|(_, names)| *names)
}

/// Checks that a package inherits the lints of the workspace. A separate workspace has nothing to inherit.
pub(super) fn lints(source: &Source) -> Option<Offence> {
    let table: toml::Table = source.text.parse().unwrap_or_default();
    let inherits = |lints: &toml::Value| {
        lints
            .get("workspace")
            .is_some_and(|value| value.as_bool() == Some(true))
    };
    let is_fine = table.contains_key("workspace") || table.get("lints").is_some_and(inherits);
    let rule = "lints: `[lints]` with `workspace = true` is missing";
    (!is_fine).then(|| Offence::new(&source.path, 0, rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offences(name: &str, dependencies: &str) -> Vec<String> {
        let metadata = format!(
            r#"{{"workspace_root": "/w", "packages": [{{
                "name": "{name}", "manifest_path": "/w/crates/{name}/Cargo.toml", "dependencies": [{dependencies}]
            }}]}}"#
        );
        let offences = arrows(&serde_json::from_str(&metadata).unwrap());
        offences.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_arrow_against_the_stream_is_found() {
        let plots = r#"{"name": "plots", "path": "/w/crates/plots", "kind": "dev"}"#;
        assert_eq!(
            offences("guava-bloom", plots),
            ["crates/guava-bloom/Cargo.toml: dependencies: guava-bloom may not use plots"]
        );
        let hashzoo = r#"{"name": "hashzoo", "path": "/w/crates/hashzoo", "kind": null}"#;
        assert!(offences("guava-bloom", hashzoo).is_empty());
    }

    #[test]
    fn a_lean_crate_stays_lean() {
        let rand = |kind: &str| format!(r#"{{"name": "rand", "kind": {kind}}}"#);
        assert_eq!(
            offences("hashzoo", &rand("null")),
            ["crates/hashzoo/Cargo.toml: dependencies: hashzoo may not use rand"]
        );
        assert!(offences("hashzoo", &rand("\"dev\"")).is_empty());
        assert!(offences("statistics", &rand("null")).is_empty());
    }

    #[test]
    fn lints_are_inherited() {
        let check = |text: &str| lints(&Source::new("crates/a/Cargo.toml", text)).is_none();
        assert!(check("[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n"));
        assert!(check("[workspace]\n[package]\nname = \"a\"\n"));
        assert!(!check("[package]\nname = \"a\"\n"));
        assert!(!check("[lints]\n[dependencies]\nworkspace = true\n"));
    }
}
