//! Looks keys up in the tables that a database's manifest lists. Knows nothing of arguments.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use filter_tables::{MAX_BLOCK_BYTES, Manifest, ReadAt as _, manifest_name};
use terminal::failure::Failure;

use super::file::TableFile;
use super::findings::{Messages, Unread};
use super::lookup::{self, MayHold};

/// The largest number of bytes read from `CURRENT`, more than any has.
const MAX_CURRENT_LEN: u64 = 64;

/// The largest number of bytes read from RocksDB's options, far more than they have.
const MAX_OPTIONS_LEN: u64 = 1 << 24;

/// The tables of a database.
pub(crate) struct Database {
    tables: Vec<MayHold>,
    /// The reasons why a key that no table may hold can be stored: at most ten, and a line that counts the rest.
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
        contents(&path, longest).map_err(|error| Unread::from(error).failure(&path))
    };
    let damage = |name: &str, rule: &str| Unread::Damaged(rule.to_owned()).failure(&folder.join(name));
    // Listed first: a log that an engine makes later has later keys, and a table that it makes from these is seen below.
    let logs = logs(folder);
    let current = read("CURRENT", MAX_CURRENT_LEN)?;
    let rule = "contents must be a line with `MANIFEST-` and a number";
    let name = manifest_name(&current).ok_or_else(|| damage("CURRENT", rule))?;
    let manifest = Manifest::parse(&read(name, MAX_BLOCK_BYTES)?);
    let manifest = manifest.map_err(|error| damage(name, error.rule()))?;
    let gap = manifest.gap().map(|gap| format!("{name}: {gap}"));
    let in_logs = match &logs {
        Ok(logs) => reason_in_logs(logs, &manifest),
        Err(error) => Some(format!("its logs are not read: {error}")),
    };
    let mut reasons = Messages::default();
    gap.iter().chain(&in_logs).for_each(|reason| reasons.add(reason));
    let mut database = Database {
        tables: Vec::new(),
        reasons: Vec::new(),
        is_damaged: false,
    };
    for number in manifest.tables() {
        database.add_table(folder, number, manifest.is_bytewise(), &mut reasons);
    }
    if let Err(error) = add_other_files(folder, &manifest.tables(), &mut reasons) {
        reasons.add(&format_args!("its files are not listed: {error}"));
    }
    database.reasons = reasons.finish();
    Ok(database)
}

/// Returns the number in the name of a file with this ending.
fn number_of(path: &Path, ending: &str) -> Option<u64> {
    let name = path.file_name().and_then(OsStr::to_str)?;
    name.strip_suffix(ending)?.parse().ok()
}

/// Returns the numbers and lengths of the logs.
fn logs(folder: &Path) -> io::Result<Vec<(u64, u64)>> {
    let mut logs = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if let Some(number) = number_of(&path, ".log") {
            logs.push((number, fs::metadata(path)?.len()));
        }
    }
    logs.sort_unstable();
    Ok(logs)
}

/// Adds the reasons in files that the manifest does not list: it may lack edits that add a table, and RocksDB may write its
/// logs into another folder.
fn add_other_files(folder: &Path, listed: &BTreeSet<u64>, reasons: &mut Messages) -> io::Result<()> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<io::Result<_>>()?;
    paths.sort_unstable();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let number = [".ldb", ".sst"]
            .iter()
            .find_map(|ending| number_of(&path, ending));
        if number.is_some_and(|number| !listed.contains(&number)) {
            reasons.add(&format_args!("{name}: the manifest does not list this table"));
        } else if name.starts_with("OPTIONS-") {
            let options = contents(&path, MAX_OPTIONS_LEN)?;
            let options = String::from_utf8_lossy(&options);
            let mut folders = options
                .lines()
                .filter_map(|line| line.trim().strip_prefix("wal_dir="));
            let is_another = |logs: &&str| fs::canonicalize(logs).ok() != fs::canonicalize(folder).ok();
            if let Some(logs) = folders.find(|logs| !logs.is_empty() && is_another(logs)) {
                reasons.add(&format_args!("{name}: its logs are in the folder {logs:?}"));
            }
        }
    }
    Ok(())
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

/// Returns the reason why the logs, with these numbers and lengths, may have keys that are in no table.
fn reason_in_logs(logs: &[(u64, u64)], manifest: &Manifest) -> Option<String> {
    let mut needed = logs.iter().filter(|(number, _)| manifest.needs_log(*number));
    match needed.clone().find(|(_, len)| *len > 0) {
        Some((number, _)) => Some(format!(
            "{number:06}.log is not empty: its keys may be in no table"
        )),
        // Every engine leaves one, but RocksDB's may be in another folder.
        None if needed.next().is_none() => {
            Some("the log that its manifest names is not there, and may have keys".to_owned())
        }
        None => None,
    }
}

impl Database {
    fn add_table(&mut self, folder: &Path, number: u64, is_bytewise: bool, reasons: &mut Messages) {
        let names = ["ldb", "sst"].map(|ending| format!("{number:06}.{ending}"));
        let is_there = |name: &&String| folder.join(name).exists();
        for name in names.iter().filter(is_there) {
            match lookup::open(&folder.join(name), Some(is_bytewise)) {
                Ok(table) => self.tables.push(table),
                Err(unread) => {
                    self.is_damaged |= unread.is_damage();
                    reasons.add(&format_args!("{name}: {unread}"));
                }
            }
        }
        if !names.iter().any(|name| is_there(&name)) {
            reasons.add(&format_args!("{}: is not there", names.join(" or ")));
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
