//! Looks keys up in the tables that a database's manifest lists. Knows nothing of arguments.

mod logs;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{fs, io};

use filter_tables::{
    ColumnFamily, DatabaseManifest, MAX_BLOCK_BYTES, ReadAt as _, RocksDbTable, manifest_name,
};
use terminal::failure::Failure;

use super::file::open_file;
use super::findings::{Messages, Unread};
use super::lookup::{self, MayHold};
use super::{readable, shown};
use logs::Logs;

/// The largest number of bytes read from `CURRENT`, more than any has.
const MAX_CURRENT_LEN: u64 = 64;

/// The tables of a database.
#[derive(Default)]
pub(crate) struct Database {
    tables: Vec<MayHold>,
    /// The reasons why a key that no table may hold can be stored: at most ten, and a line that counts the rest.
    pub(crate) reasons: Vec<String>,
    /// Descriptions of what the answers mean.
    pub(crate) notes: Vec<String>,
    /// Set if one of the reasons is damage.
    pub(crate) is_damaged: bool,
}

/// Returns true if a folder may be a database's.
pub(crate) fn is_database(folder: &Path) -> bool {
    folder.join("CURRENT").exists()
}

/// Opens the tables that the manifest of a database lists, of one column family or of all. Those that are not in its
/// folder may be in more folders. Tables that are not read are reasons.
///
/// # Errors
///
/// If the manifest cannot be read, or lists no such family.
pub(crate) fn open(folder: &Path, more: &[PathBuf], family: Option<&str>) -> Result<Database, Failure> {
    // Listed first: a log that an engine makes later has later keys, and a table that it makes from these is seen below.
    let logs = Logs::of(folder);
    let (name, manifest) = read_manifest(folder)?;
    let is_rocksdb = manifest.is_rocksdb() || logs.has_options;
    let families =
        chosen(&manifest, is_rocksdb, family).map_err(|reason| Unread::from(reason).failure(folder))?;
    let listed = manifest.tables();
    let mut unlisted = unlisted_tables(folder, &listed);
    for folder in more {
        let found = unlisted_tables(folder, &listed).map_err(|error| Unread::from(error).failure(folder))?;
        unlisted
            .iter_mut()
            .for_each(|unlisted| unlisted.extend_from_slice(&found));
    }

    let (mut database, mut reasons) = (Database::default(), Messages::default());
    if let Some(gap) = manifest.gap() {
        reasons.add(&format_args!("{name}: {gap}"));
    }
    let is_listed = unlisted.as_ref().is_ok_and(Vec::is_empty);
    let is_copy = logs.are_of_copy() && is_listed && manifest.tracked_logs().is_empty();
    if is_copy {
        let text =
            "it has no logs, like a checkpoint or a restored backup: it is taken to be complete without them";
        database.notes.push(text.to_owned());
    }
    for reason in logs.reasons(&manifest, is_copy) {
        reasons.add(&reason);
    }
    let oldest = manifest.oldest_log();
    // RocksDB that has recovered logs names the number after theirs, and makes its log just before its manifest.
    let own = name
        .strip_prefix("MANIFEST-")
        .and_then(|number| number.parse::<u64>().ok()?.checked_sub(1));
    let own = own.filter(|log| is_rocksdb && *log >= oldest);
    let has_oldest_log = [Some(oldest), own].into_iter().flatten().any(|log| logs.has(log));
    if let Err(error) = &unlisted {
        reasons.add(&format_args!("its files are not listed: {error}"));
    }
    for (number, path) in unlisted.iter().flatten() {
        let is_obsolete = has_oldest_log && manifest.has_given_out(*number);
        if !is_obsolete || is_rocksdb && may_be_ingested(*number, path) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            reasons.add(&format_args!("{name}: the manifest does not list this table"));
        }
    }
    let is_bytewise = manifest.is_bytewise();
    let places = Places { folder, more };
    let incomplete = families.iter().filter(|family| {
        let tables = family.tables().into_iter();
        let read = tables.map(|table| database.add_table(&places, table, is_bytewise, &mut reasons));
        // Not `all`, which would end at the first.
        read.filter(|is_read| !is_read).count() > 0
    });
    let incomplete = names(incomplete.copied());
    if families.len() > 1 && !incomplete.is_empty() {
        database.notes.push(format!(
            "column families with tables that have no filters or are not read: {incomplete}; --family answers of one of {} alone",
            names(families.iter().copied())
        ));
    }
    database.add_prefixes(&mut reasons);
    database.reasons = reasons.finish();
    Ok(database)
}

/// Reads the manifest of a database, and returns it with its name.
fn read_manifest(folder: &Path) -> Result<(String, DatabaseManifest), Failure> {
    let read = |name: &str, longest: u64| {
        let path = folder.join(name);
        contents(&path, longest).map_err(|error| Unread::from(error).failure(&path))
    };
    let damage = |name: &str, rule: &str| Unread::Damaged(rule.to_owned()).failure(&folder.join(name));
    let current = read("CURRENT", MAX_CURRENT_LEN)?;
    let rule = "contents must be a line with `MANIFEST-` and a number";
    let name = manifest_name(&current).ok_or_else(|| damage("CURRENT", rule))?;
    let manifest = DatabaseManifest::parse(&read(name, MAX_BLOCK_BYTES)?);
    let manifest = manifest.map_err(|error| damage(name, error.rule()))?;
    Ok((name.to_owned(), manifest))
}

/// Returns the names of the column families of the tables that a folder's manifest lists, by number; none if it cannot be
/// read.
pub(super) fn families(folder: &Path) -> BTreeMap<u64, Rc<str>> {
    let manifest = read_manifest(folder)
        .map(|(_, manifest)| manifest)
        .unwrap_or_default();
    let tables = manifest.families().flat_map(|family| {
        let name = Rc::from(readable(family.name()));
        family
            .tables()
            .into_keys()
            .map(move |number| (number, Rc::clone(&name)))
    });
    tables.collect()
}

/// Returns the column families that count: the one with this name, or all but that of RocksDB's own statistics.
fn chosen<'m>(
    manifest: &'m DatabaseManifest,
    is_rocksdb: bool,
    name: Option<&str>,
) -> Result<Vec<&'m ColumnFamily>, String> {
    let mut families: Vec<_> = manifest.families().filter(|family| !family.is_hidden()).collect();
    let Some(name) = name else {
        return Ok(families);
    };
    if !is_rocksdb {
        return Err(lookup::NO_FAMILIES.to_owned());
    }
    let all = names(families.iter().copied());
    families.retain(|family| family.name() == name.as_bytes());
    match families.is_empty() {
        true => Err(format!("the column family must be one of {all}, got {name}")),
        false => Ok(families),
    }
}

fn names<'m>(families: impl Iterator<Item = &'m ColumnFamily>) -> String {
    families
        .map(|family| readable(family.name()))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns the number in the name of a file with this ending.
pub(super) fn number_of(path: &Path, ending: &str) -> Option<u64> {
    let name = path.file_name().and_then(OsStr::to_str)?;
    name.strip_suffix(ending)?.parse().ok()
}

/// Returns true unless a table is certainly one that its database wrote under this number. The keys of others are in no
/// log, so that a copy of the manifest may lack the edit that adds such a table, although an earlier edit has given out
/// its number.
fn may_be_ingested(number: u64, path: &Path) -> bool {
    let properties = open_file(path)
        .ok()
        .and_then(|file| Some(RocksDbTable::open(&file).ok()?.properties().clone()));
    properties.is_none_or(|properties| {
        let is_of_another = |own: u64| own != number;
        properties.get("rocksdb.external_sst_file.version").is_some()
            || properties.get("rocksdb.external_sst_file.global_seqno").is_some()
            || properties
                .number("rocksdb.original.file.number")
                .is_some_and(is_of_another)
    })
}

/// Returns the numbers and paths of the tables in a folder that its manifest does not list, which may lack edits that add
/// them.
fn unlisted_tables(folder: &Path, listed: &BTreeSet<u64>) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut unlisted = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let number = [".ldb", ".sst"]
            .iter()
            .find_map(|ending| number_of(&path, ending));
        if let Some(number) = number.filter(|number| !listed.contains(number)) {
            unlisted.push((number, path));
        }
    }
    unlisted.sort_unstable();
    Ok(unlisted)
}

/// Reads a file of at most this length.
fn contents(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let file = open_file(path)?;
    let len = file.size()?;
    if len > longest {
        return Err(io::Error::other(format!("must be at most {longest} bytes")));
    }
    let mut bytes = vec![0; len as usize];
    file.read_exact_at(0, &mut bytes)?;
    Ok(bytes)
}

/// The folders of a database's tables: its own, and those that only its program knows.
struct Places<'p> {
    folder: &'p Path,
    more: &'p [PathBuf],
}

impl Places<'_> {
    /// Returns the names and paths of the tables with this number: in the database's folder, or else of this size in the
    /// others, where a table of another database may be.
    fn of(&self, number: u64, size: u64) -> Result<Vec<(String, PathBuf)>, String> {
        let names = ["ldb", "sst"].map(|ending| format!("{number:06}.{ending}"));
        let in_folder = |folder: &Path| {
            let paths = names.iter().map(|name| (name.clone(), folder.join(name)));
            paths.filter(|(_, path)| path.exists()).collect::<Vec<_>>()
        };
        let own = in_folder(self.folder);
        if !own.is_empty() {
            return Ok(own);
        }
        let found: Vec<_> = self.more.iter().flat_map(|folder| in_folder(folder)).collect();
        match found
            .iter()
            .find(|(_, path)| fs::metadata(path).map_or(0, |file| file.len()) != size)
        {
            Some((_, path)) => Err(format!(
                "{}: must have {size} bytes, as in the manifest",
                shown(path)
            )),
            None if found.is_empty() => Err(format!("{}: is not there", names.join(" or "))),
            None => Ok(found),
        }
    }
}

impl Database {
    /// Adds a table of this number and size, or the reasons why it is not read. Returns true if it is read.
    fn add_table(
        &mut self,
        places: &Places<'_>,
        (number, size): (u64, u64),
        is_bytewise: bool,
        reasons: &mut Messages,
    ) -> bool {
        let found = places.of(number, size).unwrap_or_else(|unread| {
            reasons.add(&unread);
            Vec::new()
        });
        let mut is_read = !found.is_empty();
        for (name, path) in found {
            let opened = open_file(&path).map_err(Unread::from);
            match opened.and_then(|file| lookup::open(&file, Some(is_bytewise))) {
                Ok(table) => self.tables.push(table),
                Err(unread) => {
                    is_read = false;
                    self.is_damaged |= unread.is_damage();
                    reasons.add(&format_args!("{name}: {unread}"));
                }
            }
        }
        is_read
    }

    /// Describes the filters that have prefixes alone. They answer only if all have those of the same extractor.
    fn add_prefixes(&mut self, reasons: &mut Messages) {
        let extractors: BTreeSet<_> = self
            .tables
            .iter()
            .filter_map(|table| table.extractor.clone())
            .collect();
        let names = Vec::from_iter(extractors.iter().cloned()).join(", ");
        match extractors.len() {
            0 => {}
            1 => self.notes.push(lookup::of_prefixes(&names)),
            _ => {
                self.tables.retain(|table| table.extractor.is_none());
                reasons.add(&format_args!(
                    "tables have filters of prefixes only, of several extractors: {names}"
                ));
            }
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
