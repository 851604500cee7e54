//! Looks keys up in the tables that a database's manifest lists. Knows nothing of arguments.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use filter_tables::{MAX_BLOCK_BYTES, Manifest, manifest_name};

use super::lookup::{self, MayHold};

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

/// An answer for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Maybe,
    /// The key is not stored.
    No,
    /// No table that was read holds the key, but it may be stored.
    NoTable,
}

/// Returns true if a folder may be a database's.
pub(crate) fn is_database(folder: &Path) -> bool {
    folder.join("CURRENT").exists()
}

/// The reason why a database's manifest was not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unread {
    #[error("{name}: {error}")]
    File { name: String, error: io::Error },
    #[error("{name}: {rule}")]
    Damage { name: String, rule: &'static str },
}

/// Opens the tables that the manifest of a database lists. Tables that are not read are reasons for
/// [`Answer::NoTable`].
///
/// # Errors
///
/// If the manifest cannot be read.
pub(crate) fn open(folder: &Path) -> Result<Database, Unread> {
    let read = |name: &str, longest: u64| {
        let bytes = contents(&folder.join(name), longest);
        bytes.map_err(|error| Unread::File {
            name: name.to_owned(),
            error,
        })
    };
    let damage = |name: &str, rule| Unread::Damage {
        name: name.to_owned(),
        rule,
    };
    let current = read("CURRENT", MAX_CURRENT_LEN)?;
    let rule = "contents must be a line with `MANIFEST-` and a number";
    let name = manifest_name(&current).ok_or_else(|| damage("CURRENT", rule))?;
    let manifest = Manifest::parse(&read(name, MAX_BLOCK_BYTES)?);
    let manifest = manifest.map_err(|error| damage(name, error.rule()))?;
    let mut database = Database {
        tables: Vec::new(),
        reasons: manifest
            .gap()
            .map(|gap| format!("{name}: {gap}"))
            .into_iter()
            .collect(),
        is_damaged: false,
    };
    database.reasons.extend(match reason_in_logs(folder, &manifest) {
        Ok(reason) => reason,
        Err(error) => Some(format!("its logs are not read: {error}")),
    });
    for number in manifest.tables() {
        database.add_table(folder, number, manifest.is_bytewise());
    }
    Ok(database)
}

/// Reads a file, which must be one: opening a pipe would wait for its writer.
fn contents(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a file"));
    }
    let mut bytes = Vec::new();
    // The file may become longer meanwhile.
    let is_short = metadata.len() <= longest
        && File::open(path)?.take(longest + 1).read_to_end(&mut bytes)? as u64 <= longest;
    let too_long = || io::Error::other(format!("must be at most {longest} bytes"));
    is_short.then_some(bytes).ok_or_else(too_long)
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
        let mut is_there = false;
        for name in &names {
            let path = folder.join(name);
            if !path.exists() {
                continue;
            }
            is_there = true;
            match lookup::open(&path, is_bytewise) {
                Ok(table) => self.tables.push(table),
                Err(error) => {
                    self.is_damaged |= error.is_damage();
                    self.reasons.push(format!("{name}: {error}"));
                }
            }
        }
        if !is_there {
            self.reasons.push(format!("{}: is not there", names.join(" or ")));
        }
    }

    /// Returns the number of tables that were read.
    pub(crate) fn len(&self) -> usize {
        self.tables.len()
    }

    /// Looks a key up in all tables.
    pub(crate) fn answer(&self, key: &[u8]) -> Answer {
        if self.tables.iter().any(|table| (table.answer)(key)) {
            Answer::Maybe
        } else if self.reasons.is_empty() {
            Answer::No
        } else {
            Answer::NoTable
        }
    }
}
