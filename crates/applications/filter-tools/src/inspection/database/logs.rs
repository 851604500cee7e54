//! The logs of a database, in its folder and where RocksDB's options place them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use filter_tables::DatabaseManifest;

use super::{contents, number_of, shown};

/// The largest number of bytes read from RocksDB's options, far more than they have.
const MAX_OPTIONS_LEN: u64 = 1 << 24;

/// The logs of a database, and what its folder shows about others.
#[derive(Default)]
pub(super) struct Logs {
    found: Vec<Log>,
    /// Reasons why logs may be in folders that were not read.
    unread: Vec<String>,
    /// Set if there is a file of options, which only RocksDB writes.
    pub(super) has_options: bool,
    /// Set if options name another folder that is on this machine.
    has_named: bool,
    /// The reason that options name a folder that is not on this machine.
    elsewhere: Option<String>,
    /// Set if there are files that a database has once a program has opened it.
    was_opened: bool,
}

struct Log {
    number: u64,
    len: u64,
    /// The name of the file, after its folder if that is not the database's.
    name: String,
    is_named: bool,
}

impl Logs {
    /// Lists the logs in a database's folder, and in those that any file of options names.
    pub(super) fn of(folder: &Path) -> Self {
        let mut logs = Self::default();
        if let Err(error) = logs.add_all(folder) {
            logs.unread.push(format!("its logs are not read: {error}"));
        }
        logs
    }

    fn add_all(&mut self, folder: &Path) -> io::Result<()> {
        let (own, mut named) = (fs::canonicalize(folder)?, BTreeSet::new());
        let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
        let mut paths: Vec<PathBuf> = paths.collect::<io::Result<_>>()?;
        paths.sort_unstable();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            self.was_opened |= matches!(&*name, "LOG" | "LOCK") || name.ends_with(".log");
            self.add(&path, &name, false)?;
            if name.starts_with("OPTIONS-") {
                self.has_options = true;
                match contents(&path, MAX_OPTIONS_LEN) {
                    Ok(options) => {
                        wal_folders(&options)
                            .for_each(|value| named.extend(self.named_folder(&name, &value)));
                    }
                    Err(error) => self.unread.push(format!("{name}: {error}")),
                }
            }
        }
        named.remove(&own);
        self.has_named = !named.is_empty();
        for folder in named {
            if let Err(error) = self.add_named(&folder) {
                self.unread
                    .push(format!("its logs in {} are not read: {error}", shown(&folder)));
            }
        }
        Ok(())
    }

    /// Returns the folder that an option names, if it is on this machine. RocksDB resolves relative paths in the working
    /// directory of the program that opened the database.
    fn named_folder(&mut self, options: &str, value: &[u8]) -> Option<PathBuf> {
        let reason = format!(
            "{options}: its logs are in the folder {:?}",
            String::from_utf8_lossy(value)
        );
        let path = str::from_utf8(value)
            .map(Path::new)
            .ok()
            .filter(|path| path.is_absolute());
        match path.map(fs::canonicalize) {
            Some(Ok(folder)) => return Some(folder),
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => {
                self.elsewhere = Some(format!("{reason}, which is not there"));
            }
            _ => self.unread.push(reason),
        }
        None
    }

    fn add_named(&mut self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            self.add(&path, &shown(&path), true)?;
        }
        Ok(())
    }

    /// Adds a file that is named like a log.
    fn add(&mut self, path: &Path, name: &str, is_named: bool) -> io::Result<()> {
        if let Some(number) = number_of(path, ".log") {
            self.found.push(Log {
                number,
                len: fs::metadata(path)?.len(),
                name: name.to_owned(),
                is_named,
            });
        }
        Ok(())
    }

    /// Returns true if the log with this number is there.
    pub(super) fn has(&self, number: u64) -> bool {
        self.found.iter().any(|log| log.number == number)
    }

    /// Returns true if the folder is like a checkpoint or a restored backup of RocksDB that no program has opened: these
    /// have no logs without keys.
    pub(super) fn are_of_copy(&self) -> bool {
        let is_elsewhere = self.has_named || self.elsewhere.is_some() || !self.unread.is_empty();
        self.has_options && !self.was_opened && !is_elsewhere
    }

    /// Returns the reasons why logs may have keys that are in no table. `is_copy` is set if none must be there.
    pub(super) fn reasons(&self, manifest: &DatabaseManifest, is_copy: bool) -> Vec<String> {
        let mut reasons = self.unread.clone();
        let mut needed = self.found.iter().filter(|log| manifest.needs_log(log.number));
        if let Some(log) = needed.clone().find(|log| log.len > 0) {
            reasons.push(format!("{} is not empty: its keys may be in no table", log.name));
        } else if !is_copy && !needed.any(|log| log.is_named == self.has_named) {
            // Every engine leaves one.
            let text = "the log that its manifest names is not there, and may have keys";
            reasons.push(self.elsewhere.clone().unwrap_or_else(|| text.to_owned()));
        }
        let tracked = manifest.tracked_logs().iter().find(|log| !self.has(**log));
        reasons.extend(tracked.map(|log| format!("{log:06}.log, which the manifest tracks, is not there")));
        reasons
    }
}

/// Returns the folders of logs that RocksDB's options name.
fn wal_folders(options: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let values = options.split(|byte| *byte == b'\n').filter_map(|line| {
        let at = line.iter().position(|byte| *byte == b'=')?;
        let (name, value) = (&line[..at], &line[at + 1..]);
        (name.trim_ascii() == b"wal_dir").then(|| unescaped(value))
    });
    values.filter(|value| !value.is_empty())
}

/// Returns the text that a value stands for: `#` begins a comment, and a backslash stands before special bytes.
///
/// Source: RocksDB, `util/string_util.cc` (`EscapeOptionString`), `options/options_parser.cc`.
fn unescaped(value: &[u8]) -> Vec<u8> {
    let mut is_escaped = false;
    let end = value.iter().position(|byte| {
        let ends = *byte == b'#' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    });
    let (mut text, mut bytes) = (
        Vec::new(),
        value[..end.unwrap_or(value.len())].trim_ascii().iter(),
    );
    while let Some(byte) = bytes.next() {
        text.extend(match byte {
            b'\\' => bytes.next().map(|byte| match byte {
                b'n' => b'\n',
                b'r' => b'\r',
                other => *other,
            }),
            other => Some(*other),
        });
    }
    text
}
