//! Clippy, and dependencies that no target of their package uses.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use crate::Failure;
use crate::cargo::{cargo, cargo_command, failed, words};
use serde_json::Value;

/// Clippy's lints besides those of the manifest, which apply to every build. An ignored test states what it needs.
const LINTS: &str = "-D warnings -D clippy::unimplemented -D clippy::ignore_without_reason";
/// The compiler's lint, which warns about a dependency in each target that does not use it.
const UNUSED: &str = "unused_crate_dependencies";

/// Lints the libraries and programs that cargo selects by the arguments.
pub(super) fn check(root: &Path, arguments: &[&str]) -> Result<(), Failure> {
    cargo(root, &[&["clippy"], arguments, &["--"], &words(LINTS)].concat())
}

/// Lints all targets of the packages, and fails if a package has a dependency that none of its targets uses.
pub(super) fn check_all_targets(root: &Path, packages: &[&str]) -> Result<(), Failure> {
    let mut command = cargo_command(root, &["clippy", "--all-targets", "--message-format", "json"]);
    command
        .args(packages)
        .arg("--")
        .args(words(LINTS))
        .args(["--force-warn", UNUSED]);
    let unread = |error: io::Error| failed("cargo clippy", error);
    let mut clippy = command.stdout(Stdio::piped()).spawn().map_err(unread)?;
    let mut found = Targets::default();
    let stdout = clippy.stdout.take().map(BufReader::new);
    for line in stdout.into_iter().flat_map(BufRead::lines) {
        if let Some(diagnostic) = found.add(&line.map_err(unread)?) {
            eprint!("{diagnostic}");
        }
    }
    let status = clippy.wait().map_err(unread)?;
    let unused = found.unused();
    if !status.success() {
        Err(failed("cargo clippy", status))
    } else if unused.is_empty() {
        Ok(())
    } else {
        Err(failed("unused dependencies", unused.join(", ")))
    }
}

/// The targets of packages, and the dependencies that they do not use. A library and its unit tests are one target, a
/// build script is a package of its own.
#[derive(Default)]
struct Targets {
    all: BTreeMap<String, BTreeSet<String>>,
    without: BTreeMap<(String, String), BTreeSet<String>>,
}

impl Targets {
    /// Adds one of cargo's messages, and returns the text of a diagnostic of another lint.
    fn add(&mut self, line: &str) -> Option<String> {
        let message: Value = serde_json::from_str(line).ok()?;
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
        let mut package = folder.file_name()?.to_str()?.to_owned();
        if message["target"]["kind"][0] == "custom-build" {
            package += "'s build script";
        }
        let target = message["target"]["src_path"].to_string();
        let diagnostic = &message["message"];
        if diagnostic["code"]["code"] == UNUSED {
            let name = diagnostic["message"].as_str()?.split('`').nth(1)?.to_owned();
            self.without.entry((package, name)).or_default().insert(target);
        } else if message["reason"] == "compiler-message" {
            return Some(diagnostic["rendered"].as_str()?.to_owned());
        } else {
            self.all.entry(package).or_default().insert(target);
        }
        None
    }

    /// Returns the unused dependencies with their packages. Some packages depend on themselves for their tests'
    /// features.
    fn unused(&self) -> Vec<String> {
        let is_unused = |((package, name), without): &(&(String, String), &BTreeSet<String>)| {
            package.replace('-', "_") != *name
                && self.all.get(package).is_some_and(|all| all.is_subset(without))
        };
        let unused = self.without.iter().filter(is_unused);
        unused
            .map(|((package, name), _)| format!("{name} of {package}"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_unused_if_no_target_uses_it() {
        let mut found = Targets::default();
        let mut add = |reason: &str, target: &str, rest: &str| {
            found.add(&format!(
                r#"{{"reason": "{reason}", "manifest_path": "/w/a/Cargo.toml", "target": {{"src_path": "{target}"}} {rest}}}"#
            ))
        };
        for target in ["lib.rs", "main.rs"] {
            assert_eq!(add("compiler-artifact", target, ""), None);
        }
        for (target, name) in [("lib.rs", "rand"), ("main.rs", "rand"), ("main.rs", "libm")] {
            let code = format!(
                r#", "message": {{"code": {{"code": "{UNUSED}"}}, "message": "extern crate `{name}` is"}}"#
            );
            assert_eq!(add("compiler-message", target, &code), None);
        }
        let other = r#", "message": {"code": null, "rendered": "a warning"}"#;
        assert_eq!(
            add("compiler-message", "lib.rs", other).as_deref(),
            Some("a warning")
        );
        assert_eq!(found.unused(), ["rand of a"]);
    }
}
