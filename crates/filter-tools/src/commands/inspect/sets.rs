//! Shows sets of shards, and files that are a filter of a given format.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use filter_sets::{Error, Filter, Format, Header, MANIFEST, Manifest, Opening};
use records::failure::Failure;
use records::number::{counted, grouped, readable};
use records::terminal::table;
use serde::Serialize;

use super::percent;
use crate::commands::build::failure;
use crate::commands::{check_format, print_json};

/// A file that holds a filter.
#[derive(Serialize)]
struct Row {
    file: String,
    format: String,
    bytes: u64,
    /// The number of different keys, which stored bytes alone do not tell.
    keys: Option<u64>,
    /// The rate that the manifest or the header states.
    stated_rate: Option<f64>,
    /// The rate that the bytes suggest; none if they are damaged.
    expected_rate: Option<f64>,
    damage: Option<String>,
}

/// Returns true if the folder holds a set.
pub(super) fn is_set(path: &Path) -> bool {
    path.join(MANIFEST).is_file()
}

/// Returns true if the file begins as one with a filter.
pub(super) fn is_stored(path: &Path) -> bool {
    let head = |path: &Path| -> io::Result<[u8; 8]> {
        let mut head = [0; 8];
        File::open(path)?.read_exact(&mut head)?;
        Ok(head)
    };
    // Opening a pipe would wait for its writer.
    path.is_file()
        && head(path).is_ok_and(|head| Header::begins(&head) || Format::of_prefix(&head, 0).is_some())
}

/// Shows a set, and compares its checksums.
pub(super) fn set(folder: &Path, format: Option<&str>, json: bool) -> Result<(), Failure> {
    let manifest = Manifest::read(folder).map_err(failure)?;
    let format = format.map(Format::named).transpose().map_err(failure)?;
    check_format(folder, format.as_ref(), &manifest)?;
    let row = |(number, shard): (usize, &filter_sets::Shard)| {
        let opened = manifest.open_shard(number, folder, Opening::default());
        Row {
            keys: Some(shard.keys),
            stated_rate: shard.rate,
            ..described(shard.file.clone(), &manifest.format, shard.bytes, opened)
        }
    };
    let rows: Vec<_> = manifest.shards.iter().enumerate().map(row).collect();
    show(&rows, json)?;
    if !json {
        let rate = manifest
            .rate()
            .map(|rate| format!("; {} expected", percent(rate)));
        writeln!(
            io::stdout(),
            "\n{} of keys of type {:?}, {}, {}{}",
            counted(rows.len() as u64, "shard"),
            manifest.key_kind,
            counted(manifest.keys(), "key"),
            readable(manifest.bytes()),
            rate.unwrap_or_default()
        )?;
    }
    judge(&rows)
}

/// Shows files that hold a filter each, of this format if they do not tell it.
pub(super) fn files(paths: &[PathBuf], format: Option<&str>, json: bool) -> Result<(), Failure> {
    let format = format.map(Format::named).transpose().map_err(failure)?;
    let mut rows = Vec::new();
    for path in paths {
        let shown = crate::inspection::shown(path);
        let bytes = path
            .metadata()
            .map_err(|e| Failure::input(format_args!("{shown}: {e}")))?;
        // Keys of any encoding: nothing is looked up.
        let format = format.clone().or_else(|| Format::of_file(path));
        let opened = Filter::open(path, format.as_ref(), Opening::default());
        let name = opened.as_ref().map(|filter| filter.format().name().to_owned());
        let name = name.or_else(|error| {
            format
                .as_ref()
                .map(|format| format.name().to_owned())
                .ok_or(error)
        });
        let name = name.unwrap_or_default();
        rows.push(described(shown, &name, bytes.len(), opened));
    }
    show(&rows, json)?;
    judge(&rows)
}

fn described(file: String, format: &str, bytes: u64, opened: Result<Filter, Error>) -> Row {
    let rate = opened.as_ref().ok().map(Filter::rate);
    let header = opened.as_ref().ok().and_then(Filter::header);
    Row {
        file,
        format: format.to_owned(),
        bytes,
        keys: header.map(|header| header.keys),
        stated_rate: header.and_then(|header| header.rate),
        expected_rate: rate,
        damage: opened.err().map(|error| error.to_string()),
    }
}

fn show(rows: &[Row], json: bool) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if json {
        return print_json(&mut out, rows);
    }
    let rate = |rate: Option<f64>| rate.map_or_else(|| "?".to_owned(), percent);
    let cells = rows.iter().map(|row| {
        [
            row.file.clone(),
            row.format.clone(),
            row.keys.map_or_else(|| "?".to_owned(), grouped),
            grouped(row.bytes),
            rate(row.stated_rate),
            rate(row.expected_rate),
        ]
    });
    let header = ["file", "format", "keys", "bytes", "stated", "expected"];
    writeln!(out, "{}", table(header, &[2, 3, 4, 5], cells))?;
    for damage in rows.iter().filter_map(|row| row.damage.as_ref()) {
        writeln!(out, "\ndamage: {damage}")?;
    }
    Ok(())
}

fn judge(rows: &[Row]) -> Result<(), Failure> {
    match rows.iter().any(|row| row.damage.is_some()) {
        true => Err(Failure::Checked),
        false => Ok(()),
    }
}
