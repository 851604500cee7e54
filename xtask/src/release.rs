//! `cargo xtask release`: releases, after checks that cargo and its registry do not make.

use std::path::Path;
use std::process::Command;
use std::{fs, io};

use crate::cargo::{cargo, cargo_command, failed, metadata, run_command, words};
use crate::{Failure, workspace};

/// The placeholder host of addresses that are not set; the name is never valid.
const UNSET: &str = "//unset.invalid";

/// The packages whose tests need only Rust.
const TESTED: &str = "--package hashzoo --package filter-kernels --package filter-policy --package filter-formats --package membership-filters --package whole-files";

/// Check that the packages can be released, and release them.
///
/// Builds each package from the archive that would be uploaded, in dependency order, and runs the libraries' tests from
/// the archives. Then fails if the address of the repository or the homepage is not filled in, or if the changelog has
/// no section for the version. `cargo package --workspace` packs and builds unpublished packages as well; those are
/// never uploaded.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  cargo xtask release")]
pub(crate) struct Arguments {
    /// Upload the packages after the checks; needs an account, or the token of the release workflow
    #[arg(long)]
    publish: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let root = &workspace::root();
    let metadata = metadata(root)?;
    let packages = published(&metadata);
    let read = |name: &str| fs::read_to_string(root.join(name)).map_err(|error| failed(name, error));
    let ready = ready(&read("Cargo.toml")?, &read("CHANGELOG.md")?);
    let names = packages.iter().filter_map(|package| package["name"].as_str());
    let selection: Vec<&str> = names.flat_map(|name| ["--package", name]).collect();
    if arguments.publish {
        ready?;
        return cargo(root, &[&["publish", "--locked"], &selection[..]].concat());
    }
    cargo(root, &[&["package", "--locked"], &selection[..]].concat())?;
    test_archives(root, &packages)?;
    ready
}

/// Compiles the tests from the archives, and runs those of libraries. Only the versions of dependencies come from the
/// workspace.
fn test_archives(root: &Path, packages: &[&serde_json::Value]) -> Result<(), Failure> {
    let unpacked = |error: io::Error| failed("the archives", error);
    let folder = tempfile::tempdir().map_err(unpacked)?;
    let target = root.join("target");
    let mut manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"*-*\"]\n[profile.dev]\nopt-level = 1\n\
                        [patch.crates-io]\n"
        .to_owned();
    for package in packages {
        let (Some(name), Some(version)) = (package["name"].as_str(), package["version"].as_str()) else {
            continue;
        };
        let archive = target.join(format!("package/{name}-{version}.crate"));
        let mut tar = Command::new("tar");
        run_command(tar.arg("-xf").arg(archive).arg("-C").arg(folder.path()))?;
        manifest += &format!("{name} = {{ path = \"{name}-{version}\" }}\n");
    }
    fs::write(folder.path().join("Cargo.toml"), manifest).map_err(unpacked)?;
    fs::copy(root.join("Cargo.lock"), folder.path().join("Cargo.lock")).map_err(unpacked)?;
    let test = |arguments: &str| {
        let mut command = cargo_command(folder.path(), &words(arguments));
        run_command(command.env("CARGO_TARGET_DIR", target.join("archives")))
    };
    test("test --workspace --all-features --no-run")?;
    test(&format!("test --all-features --tests {TESTED}"))
}

/// Returns the packages that the manifest does not exclude from publishing, by `publish` or by cargo-release's key:
/// packages with `publish = false` are not available to dependents in `cargo package --workspace`.
fn published(metadata: &serde_json::Value) -> Vec<&serde_json::Value> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .filter(|package| package["publish"].is_null() && package["metadata"]["release"]["release"] != false)
        .collect()
}

/// Checks the manifest of the workspace, from which all packages have addresses and version, and the changelog.
fn ready(manifest: &str, changelog: &str) -> Result<(), Failure> {
    if manifest.contains(UNSET) {
        let reason = "set `repository` and `homepage` in Cargo.toml";
        return Err(failed("not ready for a release", reason));
    }
    let version = manifest
        .lines()
        .find_map(|line| line.strip_prefix("version = \""));
    let version = version.unwrap_or_default().trim_end_matches('"');
    let heading = format!("## {version}");
    let is_heading = |line: &str| line == heading || line.starts_with(&format!("{heading} "));
    if changelog.lines().any(is_heading) {
        Ok(())
    } else {
        let reason = format!("CHANGELOG.md has no section {heading:?}");
        Err(failed("not ready for a release", reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let manifest = "version = \"0.1.0\"\nhomepage = \"https://a.org\"\n";
        ready(manifest, "# Changelog\n\n## 0.1.0 (today)\n").unwrap();
        let reason = |manifest, changelog| ready(manifest, changelog).unwrap_err().to_string();
        let of_changelog = reason(manifest, "## 0.1.01\n## Unreleased\n");
        assert!(
            of_changelog.ends_with("no section \"## 0.1.0\""),
            "{of_changelog}"
        );
        let of_address = reason("homepage = \"https://unset.invalid\"", "");
        assert!(of_address.contains("`homepage`"), "{of_address}");
    }

    #[test]
    fn packages_that_stay_here_are_left_out() {
        let metadata = r#"{"packages": [{"name": "a", "publish": null, "metadata": null}, {"name": "b", "publish": []},
            {"name": "c", "publish": null, "metadata": {"release": {"release": false}}}]}"#;
        let metadata = serde_json::from_str(metadata).unwrap();
        let names: Vec<&str> = published(&metadata)
            .iter()
            .filter_map(|package| package["name"].as_str())
            .collect();
        assert_eq!(names, ["a"]);
    }
}
