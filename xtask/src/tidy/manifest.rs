//! Rules for manifests: the allowed dependencies, and inherited lints.

use std::path::Path;

use serde_json::Value;

use super::{Offence, Source};
use crate::cargo;

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
    ("filter-tools", "filter-policy filter-formats filter-tables filter-testing filter-sets guava-bloom membership-filters statistics plots records"),
    ("hash-comparison", "hashzoo filter-policy filter-formats guava-bloom membership-filters statistics plots records"),
    ("xtask", ""),
];

/// Crates that may use only the listed external crates, except in tests.
const LEAN: [(&str, &str); 7] = [
    ("hashzoo", ""),
    ("filter-kernels", "cpufeatures"),
    ("filter-policy", ""),
    ("filter-formats", "libm"),
    ("filter-tables", "snap xxhash-rust"),
    ("guava-bloom", "libm libc rayon arc-swap tempfile loom"),
    ("membership-filters", "libm"),
];

/// A package in cargo's metadata.
pub(super) struct Package {
    name: String,
    /// Path of the manifest from the root.
    manifest: String,
    dependencies: Vec<Dependency>,
}

struct Dependency {
    name: String,
    /// Set for a path in this workspace.
    local: bool,
    /// Set if only tests and benches use it.
    development: bool,
}

/// Asks cargo for the packages of the workspace at `root`.
pub(super) fn packages(root: &Path) -> Result<Vec<Package>, String> {
    parse(&cargo::metadata(root)?).ok_or_else(|| "cargo metadata: unexpected form".to_owned())
}

fn parse(metadata: &Value) -> Option<Vec<Package>> {
    let root = format!("{}/", metadata["workspace_root"].as_str()?);
    let package = |value: &Value| {
        let dependency = |value: &Value| {
            Some(Dependency {
                name: value["name"].as_str()?.to_owned(),
                local: value["path"].is_string(),
                development: value["kind"] == "dev",
            })
        };
        let manifest = value["manifest_path"].as_str()?;
        Some(Package {
            name: value["name"].as_str()?.to_owned(),
            manifest: manifest.strip_prefix(&root).unwrap_or(manifest).to_owned(),
            dependencies: value["dependencies"]
                .as_array()?
                .iter()
                .map(dependency)
                .collect::<Option<_>>()?,
        })
    };
    metadata["packages"].as_array()?.iter().map(package).collect()
}

/// Checks the direction of dependencies.
pub(super) fn arrows(packages: &[Package]) -> Vec<Offence> {
    let mut offences = Vec::new();
    for package in packages {
        let mut offence = |rule: String| offences.push(Offence::new(&package.manifest, 0, rule));
        let allowed = entry(&ARROWS, &package.name);
        let lean = entry(&LEAN, &package.name);
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            // A package may depend on itself to enable features for its tests.
            if dependency.local && name != package.name && allowed.is_some_and(|few| !holds(few, name)) {
                offence(format!("dependencies: {} may not use {name}", package.name));
            }
            if !dependency.local && !dependency.development && lean.is_some_and(|few| !holds(few, name)) {
                offence(format!(
                    "dependencies: {} may not use {name}: it stays lean",
                    package.name
                ));
            }
        }
    }
    offences
}

/// Returns a crate's entry in a table.
fn entry(table: &[(&str, &'static str)], package: &str) -> Option<&'static str> {
    (table.iter().find(|(name, _)| *name == package)).map(|(_, names)| *names)
}

fn holds(names: &str, name: &str) -> bool {
    names.split(' ').any(|one| one == name)
}

/// Checks that a package inherits the lints of the workspace.
pub(super) fn lints(source: &Source) -> Vec<Offence> {
    let mut lines = source.text.lines().map(str::trim);
    let inherits = lines.any(|line| line == "[lints]")
        && lines
            .take_while(|line| !line.starts_with('['))
            .any(|line| line == "workspace = true");
    // A separate workspace has nothing to inherit.
    if inherits || source.text.lines().any(|line| line.trim() == "[workspace]") {
        Vec::new()
    } else {
        vec![Offence::new(
            &source.path,
            0,
            "lints: `[lints]` with `workspace = true` is missing",
        )]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(name: &str, dependencies: &str) -> String {
        format!(
            r#"{{"workspace_root": "/w", "packages": [{{
                "name": "{name}", "manifest_path": "/w/crates/{name}/Cargo.toml", "dependencies": [{dependencies}]
            }}]}}"#
        )
    }

    fn offences(name: &str, dependencies: &str) -> Vec<String> {
        let metadata: Value = serde_json::from_str(&metadata(name, dependencies)).unwrap();
        let packages = parse(&metadata).unwrap();
        arrows(&packages).iter().map(ToString::to_string).collect()
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
            ["crates/hashzoo/Cargo.toml: dependencies: hashzoo may not use rand: it stays lean"]
        );
        assert!(offences("hashzoo", &rand("\"dev\"")).is_empty());
        assert!(offences("statistics", &rand("null")).is_empty());
    }

    #[test]
    fn strange_metadata_is_an_error() {
        assert!(parse(&serde_json::json!({})).is_none());
    }

    #[test]
    fn lints_are_inherited() {
        let check = |text: &str| lints(&Source::new("crates/a/Cargo.toml", text)).len();
        assert_eq!(check("[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n"), 0);
        assert_eq!(check("[workspace]\n[package]\nname = \"a\"\n"), 0);
        assert_eq!(check("[package]\nname = \"a\"\n"), 1);
        assert_eq!(check("[lints]\n[dependencies]\nworkspace = true\n"), 1);
    }
}
