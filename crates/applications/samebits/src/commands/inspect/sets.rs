//! Shows sets of shards, and files that are a filter of a given format.

use std::f64::consts::LN_2;
use std::io::{self, Write as _};
use std::path::Path;

use filter_sets::{Error, Fill, MANIFEST, Manifest, Opening, StoredFile, StoredFilter, StoredFormat};
use membership_filters::spark::{MAX_DATA_FRAME_BITS, MAX_DATA_FRAME_ITEMS};
use serde::Serialize;
use terminal::failure::Failure;
use terminal::layout::table;
use terminal::number::{self, counted, grouped};

use crate::commands::numbers::{expected, share};
use crate::commands::{check_format, checked, emptied, failure, print_json, wrong};
use crate::inspection::{Given, shown};

/// A file with a filter.
#[derive(Serialize)]
struct FileReport {
    file: String,
    format: String,
    bytes: u64,
    /// The number of different keys; none for stored bytes alone.
    keys: Option<u64>,
    /// The rate that the manifest or the header states.
    stated_rate: Option<f64>,
    /// The rate that the bytes suggest; none if they are damaged.
    expected_rate: Option<f64>,
    /// The set bits, counters or slots, which show how full the filter is.
    #[serde(skip_serializing_if = "Option::is_none")]
    fill: Option<Fill>,
    /// The reason why the filter is taken to match every key.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    damage: Option<String>,
    /// The reason why the filter was not read, although it may be intact.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_read: Option<String>,
    /// Set if the bytes can also be those of another format.
    #[serde(skip)]
    may_be_foreign: bool,
}

/// Returns notes on a probe count that does not fit the keys of a filter with this rate.
fn notes(fill: &Fill, rate: f64) -> Vec<String> {
    let mut notes = Vec::new();
    let Some(probes) = fill.probe_count.filter(|_| fill.has_chosen_probes).map(f64::from) else {
        return notes;
    };
    let bits = fill.bits as f64;
    if let Some(keys) = fill.estimated_len.map(|keys| keys as f64) {
        let better = (bits / keys * LN_2).round().max(1.0);
        let lower = libm::pow(-libm::expm1(-better * keys / bits), better);
        if better < probes && lower < 0.9 * rate {
            let (fitting, lower) = (grouped((bits / probes * LN_2).round() as u64), share(lower));
            notes.push(format!(
                "k does not fit: {probes} is right for {fitting} keys. {better} would give {lower} in the same memory."
            ));
        }
    }
    let cap = (MAX_DATA_FRAME_BITS as f64 / MAX_DATA_FRAME_ITEMS as f64 * LN_2).round();
    if fill.bits == MAX_DATA_FRAME_BITS && probes == cap {
        let (bits, keys) = (grouped(MAX_DATA_FRAME_BITS), grouped(MAX_DATA_FRAME_ITEMS));
        notes.push(format!(
            "the largest filter that Spark makes for a data frame: it cuts the bits to {bits}, and k to that of {keys} keys, \
             however many were wanted."
        ));
    }
    notes
}

/// Returns true if the folder contains a set.
pub(super) fn is_set(path: &Path) -> bool {
    path.join(MANIFEST).is_file()
}

/// Shows a set, and compares its checksums.
pub(super) fn set(folder: &Path, format: Option<&StoredFormat>, json: bool) -> Result<(), Failure> {
    let manifest = Manifest::read(folder).map_err(failure)?;
    check_format(folder, format, &manifest)?;
    let row = |(number, shard): (usize, &filter_sets::Shard)| {
        let opened = manifest.open_shard(number, folder, Opening::default());
        FileReport {
            keys: Some(shard.keys),
            stated_rate: shard.rate,
            ..described(shard.file.clone(), &manifest.format, shard.bytes, opened)
        }
    };
    let rows: Vec<_> = manifest.shards.iter().enumerate().map(row).collect();
    show(&rows, json)?;
    if !json {
        let rate = manifest
            .expected_rate()
            .map(|rate| format!("; {} expected", share(rate)));
        writeln!(
            io::stdout(),
            "\n{} of keys of type {:?}, {}, {}{}",
            counted(rows.len() as u64, "shard"),
            manifest.key_kind,
            counted(manifest.len(), "key"),
            number::bytes(manifest.stored_len()),
            rate.unwrap_or_default()
        )?;
    }
    verdict(&rows, "shard")
}

/// Fails if a filter is damaged, or else if one was not read.
fn verdict(rows: &[FileReport], what: &str) -> Result<(), Failure> {
    checked(rows.iter().all(|row| row.damage.is_none()))?;
    let count = rows.iter().filter(|row| row.not_read.is_some()).count() as u64;
    let text = || Failure::input(format_args!("{} not read", counted(count, what)));
    (count == 0).then_some(()).ok_or_else(text)
}

/// Shows files with a filter each, of this format if their bytes do not identify it.
pub(super) fn files(files: Vec<Given>, format: Option<&StoredFormat>, json: bool) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for mut given in files {
        let file = given.stored();
        let path = &*given.path;
        let bytes = path.metadata().map_err(|error| wrong(path, error))?;
        // Keys of any encoding and seed: nothing is looked up.
        let found = file.as_ref().ok().and_then(StoredFile::format);
        let is_given = |found: &&StoredFormat| format.is_none_or(|format| format.name() == found.name());
        let format = found.filter(is_given).or(format).cloned();
        let opened = file.and_then(|file| file.filter(format.as_ref(), Opening::default()));
        let known = opened.as_ref().ok().map(StoredFilter::format).or(format.as_ref());
        let name = known.map_or_else(String::new, StoredFormat::to_string);
        rows.push(described(shown(path), &name, bytes.len(), opened));
    }
    show(&rows, json)?;
    verdict(&rows, "file")
}

fn described(file: String, format: &str, bytes: u64, opened: Result<StoredFilter, Error>) -> FileReport {
    let filter = opened.as_ref().ok();
    let header = filter.and_then(StoredFilter::header);
    let reason = opened.as_ref().err().map(Error::to_string);
    let may_be_foreign = matches!(opened, Err(Error::NoFilter { .. }));
    let (damage, not_read) = match opened {
        Err(Error::Damaged { .. } | Error::NoFilter { .. }) => (reason, None),
        _ => (None, reason),
    };
    FileReport {
        file,
        format: format.to_owned(),
        bytes,
        keys: header.map(|header| header.keys),
        stated_rate: header.and_then(|header| header.rate),
        expected_rate: filter.map(StoredFilter::expected_rate),
        fill: filter.and_then(StoredFilter::fill),
        note: filter.and_then(emptied),
        damage,
        not_read,
        may_be_foreign,
    }
}

fn show(rows: &[FileReport], json: bool) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if json {
        return print_json(&mut out, rows);
    }
    let rate = |rate: Option<f64>| rate.map_or_else(|| "?".to_owned(), share);
    let cells = rows.iter().map(|row| {
        let fill = row.fill.as_ref();
        let estimated = || Some(format!("~{}", grouped(fill?.estimated_len?)));
        [
            row.file.clone(),
            row.format.clone(),
            (row.keys.map(grouped).or_else(estimated)).unwrap_or_else(|| "?".to_owned()),
            grouped(row.bytes),
            fill.and_then(|fill| fill.probe_count)
                .map_or_else(String::new, |k| k.to_string()),
            fill.map_or_else(String::new, |fill| share(fill.ones as f64 / fill.bits as f64)),
            rate(row.stated_rate),
            row.expected_rate.map_or_else(
                || "?".to_owned(),
                |rate| expected(rate, fill.and_then(|fill| fill.probe_count)),
            ),
        ]
    });
    let header = [
        "file", "format", "keys", "bytes", "k", "fill", "stated", "expected",
    ];
    writeln!(out, "{}", table(header, &[2, 3, 4, 5, 6, 7], cells))?;
    for row in rows {
        let damage = if row.may_be_foreign {
            "another format, or damage"
        } else {
            "damage"
        };
        for (label, reason) in [(damage, &row.damage), ("not read", &row.not_read)] {
            if let Some(reason) = reason {
                writeln!(out, "\n{label}: {reason}")?;
            }
        }
        let of_fill = row.fill.as_ref().zip(row.expected_rate);
        let of_fill = of_fill.map_or_else(Vec::new, |(fill, rate)| notes(fill, rate));
        for note in row.note.iter().chain(&of_fill) {
            writeln!(out, "\n{}: {note}", row.file)?;
        }
    }
    Ok(())
}
