//! The commands of `samebits`, one per file: arguments and messages only, but the work of `parquet` is in its folder.

pub mod build;
pub mod inspect;
pub mod manual;
pub mod merge;
pub(crate) mod numbers;
pub mod parquet;
pub mod query;
pub mod size;

use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use filter_sets::{Error, Manifest, StoredFilter, StoredFormat};
use key_input::KeyKind;
use membership_filters::Encoding;
use serde::Serialize;
use terminal::failure::{Failure, escaped};
use terminal::number::counted;

use crate::inspection::{TABLE_EXTENSIONS, shown};

/// Returns the words that start the program: `cargo xtask` sets the variable.
pub fn program_name() -> &'static str {
    match std::env::var_os("HASH_COMPARISON_WORKSPACE") {
        Some(_) => "cargo xtask",
        None => "samebits",
    }
}

/// Prints a value as JSON.
fn print_json(out: &mut impl Write, value: &(impl Serialize + ?Sized)) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(out.flush()?)
}

/// Checks that a format, if one is given, is that of the set.
fn check_format(folder: &Path, given: Option<&StoredFormat>, manifest: &Manifest) -> Result<(), Failure> {
    match given.map(StoredFormat::name) {
        Some(given) if given != manifest.format => {
            let stated = &manifest.format;
            let reason = format!(
                "the format must be {stated:?} as in the manifest, got {given:?}: leave the option out"
            );
            Err(wrong(folder, reason))
        }
        _ => Ok(()),
    }
}

/// Returns a note on a filter without a set bit whose header states keys. It would deny each of them.
fn emptied(filter: &StoredFilter) -> Option<String> {
    let keys = filter.header().map_or(0, |header| header.keys);
    let is_empty = || match filter.fill() {
        Some(fill) => fill.ones == 0,
        // The formats without fills have this rate without keys alone.
        None => filter.expected_rate() == 0.0,
    };
    (keys > 0 && is_empty()).then(|| {
        let keys = counted(keys, "key");
        format!("the filter is empty, but its header states {keys}: any key may match")
    })
}

/// Returns the encoding that stored filters name for a kind of key.
fn encoding(kind: KeyKind) -> Encoding {
    match kind {
        KeyKind::Long => Encoding::INT64,
        KeyKind::Int => Encoding::INT32,
        KeyKind::Utf16 => Encoding::UTF16_UNITS,
        _ => Encoding::BYTES,
    }
}

/// Returns the failure for a wrong path.
fn wrong(path: &Path, reason: impl Display) -> Failure {
    Failure::input(format_args!("{}: {reason}", shown(path)))
}

/// Returns the failure for a folder of which this command has nothing to read. Tables are named one by one.
fn folder_refused(folder: &Path, rule: &str, command: &str) -> Failure {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    let has = |extension: &&str| {
        paths
            .iter()
            .any(|path| path.extension() == Some(OsStr::new(extension)))
    };
    let patterns = TABLE_EXTENSIONS.iter().filter(|extension| has(extension));
    let patterns: String = patterns
        .map(|extension| format!(" {}*.{extension}", in_shell(folder)))
        .collect();
    let example = match patterns.is_empty() {
        true => String::new(),
        false => format!(", as in `{} {command}{patterns}`", program_name()),
    };
    let reason = format!(
        "a folder must be {rule}: name tables (*.sst, *.ldb){example}, or use RocksDB's ldb and sst_dump for a database"
    );
    wrong(folder, reason)
}

/// Returns a folder as a shell reads it before the name of a file.
fn in_shell(folder: &Path) -> String {
    let text = shown(&folder.join(""));
    let is_plain = |character: char| character.is_alphanumeric() || "/._-+,@%:=".contains(character);
    match text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Refuses `-`, which may be meant as standard output.
fn refuse_stdout(out: &Path) -> Result<(), Failure> {
    let reason = "--out must be a path, not standard output, got -: ./- is a file of this name";
    (out != Path::new("-"))
        .then_some(())
        .ok_or_else(|| Failure::input(reason))
}

/// Refuses to overwrite an existing file.
fn check_new(out: &Path, replace: bool) -> Result<(), Failure> {
    let reason = match out.metadata() {
        Ok(metadata) if metadata.is_dir() => "is a folder; with --shards it would become a set",
        Ok(_) if !replace => "is there already; give another path, or --replace",
        Err(_) if out.is_symlink() => "is a link to a file that is not there; give another path",
        _ if !folder_of(out).is_dir() => "its folder is not there",
        _ => return Ok(()),
    };
    Err(wrong(out, reason))
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Returns the failure for an error.
fn failure(error: Error) -> Failure {
    match error {
        Error::Stopped => Failure::Interrupted,
        Error::Write { .. } | Error::Damaged { .. } => Failure::internal(error),
        Error::MemoryTooSmall { memory, shards, .. } => {
            let shards = shards.map_or_else(String::new, |shards| format!("--shards {shards}, or "));
            Failure::input(format_args!("{error}: use {shards}--memory {memory}"))
        }
        _ => Failure::input(error),
    }
}

/// Fails after a check that has printed its own message.
fn checked(is_right: bool) -> Result<(), Failure> {
    is_right.then_some(()).ok_or(Failure::Checked)
}

/// Prints a note to standard error. If that is closed, there is nowhere to report it.
fn note(of: impl Display, text: impl Display) {
    let _ = writeln!(io::stderr(), "{}", escaped(&format!("{of}: {text}")));
}
