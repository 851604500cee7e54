//! The workspace's rules, as code.
//!
//! A rule is a function from files to offences and changes nothing, so its test can plant an offence.

mod manifest;
mod modules;
mod text;

use std::fmt;
use std::fs;
use std::path::Path;

use crate::cargo::{cargo_command, metadata, run_command};

/// The workspace, and the packages outside of it.
const MANIFESTS: [&str; 3] = [
    "Cargo.toml",
    "crates/filter-formats/freestanding/Cargo.toml",
    "crates/fuzz/Cargo.toml",
];

/// The entries of the top level besides dot-files. Everything else belongs in one of these folders.
const ENTRIES: &str = "CHANGELOG.md CITATION.cff Cargo.lock Cargo.toml LICENSE-APACHE LICENSE-MIT README.md bench-data \
                       crates reports target xtask";

/// A breach of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Offence {
    /// Path from the root of the workspace, with forward slashes.
    file: String,
    /// Line, counted from 1; 0 for the whole file.
    line: usize,
    /// The rule and the advice.
    rule: String,
}

impl Offence {
    fn new(file: &str, line: usize, rule: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line,
            rule: rule.into(),
        }
    }
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.rule),
            line => write!(f, "{}:{line}: {}", self.file, self.rule),
        }
    }
}

struct Source {
    /// Path from the root, with forward slashes.
    path: String,
    text: String,
}

impl Source {
    fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let (path, text) = (path.into(), text.into());
        Self { path, text }
    }
}

/// Returns the paths of all hand-written files.
///
/// # Errors
///
/// If a folder cannot be read.
pub(crate) fn written_files(root: &Path) -> Result<Vec<String>, String> {
    let mut paths = Vec::new();
    walk(root, "", &mut paths)?;
    paths.retain(|path| text::is_ours(path));
    Ok(paths)
}

/// Checks the workspace at `root`.
///
/// # Errors
///
/// If there are offences, which the message lists, a file cannot be read, or cargo or rustfmt cannot be run.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let mut paths = Vec::new();
    walk(root, "", &mut paths)?;
    let mut sources = Vec::new();
    for path in paths.iter().filter(|path| text::is_ours(path)) {
        let bytes = fs::read(root.join(path)).map_err(|error| format!("{path}: {error}"))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("{path}: not UTF-8"))?;
        sources.push(Source::new(path, text));
    }

    let strays = entries(root)?.into_iter().filter(|name| is_stray(name));
    let mut offences: Vec<Offence> = strays
        .map(|name| {
            Offence::new(
                &name,
                0,
                format!("top level: only {ENTRIES} and dot-files lie here"),
            )
        })
        .collect();
    for source in &sources {
        if source.path.ends_with("/Cargo.toml") {
            offences.extend(manifest::lints(source));
        }
    }
    offences.extend(modules::check(&sources));
    offences.extend(manifest::arrows(&metadata(root)?));
    offences.extend(MANIFESTS.iter().filter_map(|manifest| format(root, manifest)));
    if offences.is_empty() {
        return Ok(());
    }
    offences.sort();
    let listed: Vec<String> = offences.iter().map(ToString::to_string).collect();
    Err(format!("not tidy:\n{}", listed.join("\n")))
}

fn is_stray(name: &str) -> bool {
    !name.starts_with('.') && !ENTRIES.split(' ').any(|entry| entry == name)
}

/// Checks the formatting of a workspace; rustfmt names the files.
fn format(root: &Path, manifest: &str) -> Option<Offence> {
    let mut command = cargo_command(root, &["fmt", "--manifest-path", manifest]);
    // Outside of the workspace, the packages that are depended on would be all of it.
    command.args((manifest == "Cargo.toml").then_some("--all"));
    let failed = run_command(command.args(["--", "--check", "--files-with-diff"])).err()?;
    Some(Offence::new(manifest, 0, format!("not formatted: {failed}")))
}

/// Returns the sorted names in a folder.
pub(crate) fn entries(root: &Path) -> Result<Vec<String>, String> {
    let failed = |error| format!("{}: {error}", root.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(root).map_err(failed)? {
        names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// Collects every file below `folder`, except ignored files: build output and the latest report.
fn walk(root: &Path, folder: &str, paths: &mut Vec<String>) -> Result<(), String> {
    for name in entries(&root.join(folder))? {
        let path = if folder.is_empty() {
            name.clone()
        } else {
            format!("{folder}/{name}")
        };
        if matches!(name.as_str(), ".git" | "target") || path == "reports/latest" {
            continue;
        }
        let kind = fs::symlink_metadata(root.join(&path)).map_err(|error| format!("{path}: {error}"))?;
        if kind.is_dir() {
            walk(root, &path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strays_are_told_from_what_belongs_there() {
        assert!(is_stray("justfile") && !is_stray(".clippy.toml") && !is_stray("crates"));
    }

    #[test]
    fn an_unformatted_workspace_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let run = |text: &str| {
            let manifest =
                "[workspace]\n[package]\nname = \"a\"\nedition = \"2024\"\n[lib]\npath = \"a.rs\"\n";
            fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
            fs::write(folder.path().join("a.rs"), text).unwrap();
            format(folder.path(), "Cargo.toml").is_none()
        };
        assert!(run("fn f() {}\n"));
        assert!(!run("fn  f( ) { }\n") && !run("fn {{{\n"));
    }
}
