//! Looks keys up in the tables that a database's manifest lists. Knows nothing of arguments.

use std::ffi::OsStr;
use std::path::Path;
use std::{fs, io};

use filter_tables::{MAX_BLOCK_BYTES, Manifest, ReadAt as _, manifest_name};
use terminal::failure::Failure;

use super::file::TableFile;
use super::lookup::{self, MayHold};
use super::shown;

/// The largest number of bytes read from `CURRENT`, more than any has.
const MAX_CURRENT_LEN: u64 = 64;

/// The tables of a database.
pub(crate) struct Database {
    tables: Vec<MayHold>,
    /// The reasons why a key that no table may hold can be stored.
    pub(crate) reasons: Vec<String>,
    /// Set if one of the reasons is damage.
    pub(crate) is_damaged: bool,
}

/// Returns true if a folder may be a database's.
pub(crate) fn is_database(folder: &Path) -> bool {
    folder.join("CURRENT").exists()
}

/// Opens the tables that the manifest of a database lists. Tables that are not read are reasons.
///
/// # Errors
///
/// If the manifest cannot be read.
pub(crate) fn open(folder: &Path) -> Result<Database, Failure> {
    let read = |name: &str, longest: u64| {
        let path = folder.join(name);
        contents(&path, longest).map_err(|error| Failure::input(format_args!("{}: {error}", shown(&path))))
    };
    let damage = |name: &str, rule| {
        let path = folder.join(name);
        Failure::internal(format_args!("{}: {rule}", shown(&path)))
    };
    let current = read("CURRENT", MAX_CURRENT_LEN)?;
    let rule = "contents must be a line with `MANIFEST-` and a number";
    let name = manifest_name(&current).ok_or_else(|| damage("CURRENT", rule))?;
    let manifest = Manifest::parse(&read(name, MAX_BLOCK_BYTES)?);
    let manifest = manifest.map_err(|error| damage(name, error.rule()))?;
    let gap = manifest.gap().map(|gap| format!("{name}: {gap}"));
    let in_logs = reason_in_logs(folder, &manifest);
    let in_logs = in_logs.unwrap_or_else(|error| Some(format!("its logs are not read: {error}")));
    let mut database = Database {
        tables: Vec::new(),
        reasons: gap.into_iter().chain(in_logs).collect(),
        is_damaged: false,
    };
    for number in manifest.tables() {
        database.add_table(folder, number, manifest.is_bytewise());
    }
    Ok(database)
}

/// Reads a file of at most this length.
fn contents(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let file = TableFile::open(path)?;
    let len = file.size()?;
    if len > longest {
        return Err(io::Error::other(format!("must be at most {longest} bytes")));
    }
    let mut bytes = vec![0; len as usize];
    file.read_exact_at(0, &mut bytes)?;
    Ok(bytes)
}

/// Returns the reason why the logs may have keys that are in no table.
fn reason_in_logs(folder: &Path, manifest: &Manifest) -> io::Result<Option<String>> {
    let mut needed = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let number = path
            .file_name()
            .and_then(OsStr::to_str)
            .and_then(|name| name.strip_suffix(".log"));
        if let Some(number) = number
            .and_then(|number| number.parse().ok())
            .filter(|number| manifest.needs_log(*number))
        {
            needed.push((number, fs::metadata(path)?.len()));
        }
    }
    needed.sort_unstable();
    Ok(match needed.iter().find(|(_, len)| *len > 0) {
        Some((number, _)) => Some(format!(
            "{number:06}.log is not empty: its keys may be in no table"
        )),
        // Every engine leaves one, but RocksDB's may be in another folder.
        None if needed.is_empty() => {
            Some("the log that its manifest names is not there, and may have keys".to_owned())
        }
        None => None,
    })
}

impl Database {
    fn add_table(&mut self, folder: &Path, number: u64, is_bytewise: bool) {
        let names = ["ldb", "sst"].map(|ending| format!("{number:06}.{ending}"));
        let is_there = |name: &&String| folder.join(name).exists();
        for name in names.iter().filter(is_there) {
            match lookup::open(&folder.join(name), is_bytewise) {
                Ok(table) => self.tables.push(table),
                Err(error) => {
                    self.is_damaged |= error.is_damage();
                    self.reasons.push(format!("{name}: {error}"));
                }
            }
        }
        if !names.iter().any(|name| is_there(&name)) {
            self.reasons.push(format!("{}: is not there", names.join(" or ")));
        }
    }

    /// Looks a key up in all tables: "maybe" if one may hold it, "no" if it is not stored, else "no table".
    pub(crate) fn answer(&self, key: &[u8]) -> &'static str {
        if self.tables.iter().any(|table| (table.answer)(key)) {
            "maybe"
        } else if self.reasons.is_empty() {
            "no"
        } else {
            "no table"
        }
    }
}
