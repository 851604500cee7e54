//! The workspace's rules, as code.
//!
//! A rule is a function from files to offences and changes nothing, so its test can plant an offence.

mod format;
mod layout;
mod manifest;
mod map;
mod modules;
mod source;
mod text;

use std::fmt;
use std::fs;
use std::path::Path;

/// A breach of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Offence {
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

/// Returns all offences in the workspace at `root`, sorted.
///
/// # Errors
///
/// If a file cannot be read, or cargo or rustfmt cannot be run.
pub(crate) fn check(root: &Path) -> Result<Vec<Offence>, String> {
    let mut paths = Vec::new();
    walk(root, "", &mut paths)?;
    let mut sources = Vec::new();
    for path in paths.iter().filter(|path| text::is_ours(path)) {
        let bytes = fs::read(root.join(path)).map_err(|error| format!("{path}: {error}"))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("{path}: not UTF-8"))?;
        sources.push(Source::new(path, text));
    }

    let mut offences = layout::top_level(&entries(root)?);
    for source in &sources {
        offences.extend(text::check(source));
        if source.path.ends_with(".rs") {
            offences.extend(source::check(source));
        }
        if source.path.ends_with("/Cargo.toml") {
            offences.extend(manifest::lints(source));
        }
    }
    offences.extend(map::check(&paths, &sources));
    offences.extend(modules::check(&sources));
    offences.extend(manifest::arrows(&manifest::packages(root)?));
    for manifest in format::MANIFESTS {
        offences.extend(format::check(root, manifest)?);
    }
    offences.sort();
    Ok(offences)
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
