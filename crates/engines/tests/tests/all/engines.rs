//! The engines with their adapters, and what the tests ask of each.

#[cfg(feature = "leveldb")]
pub(crate) mod leveldb;
pub(crate) mod rusty_leveldb;
mod slatedb;
mod surrealkv;

use std::path::{Path, PathBuf};

use filter_policy::policies::AnyPolicy;

/// A policy in an adapter, without an engine.
pub(crate) trait Adapter {
    /// Builds the filter that the engine stores for these keys.
    fn create(&self, keys: &[&[u8]]) -> Vec<u8>;
    fn may_match(&self, key: &[u8], filter: &[u8]) -> bool;
}

/// An open database. Dropping it closes it.
pub(crate) trait Database {
    fn put(&mut self, key: &[u8], value: &[u8]);
    fn delete(&mut self, key: &[u8]);
    /// Writes what is in memory to a table. Some engines merge all tables at once.
    fn flush(&mut self);
    /// Merges all tables; returns true if there were several.
    fn merge(&mut self) -> bool {
        false
    }
    fn has(&mut self, key: &[u8]) -> bool;
    /// Counts the entries by iterating over them, which queries no filter.
    fn count(&mut self) -> usize;
    /// Returns the number of reads of tables so far.
    fn reads(&self) -> u64;
}

/// Opens a database with a policy or without filters. The database is new at first, and the same later.
pub(crate) type Open = Box<dyn Fn(Option<AnyPolicy>) -> Result<Box<dyn Database>, String>>;

/// An engine.
pub(crate) struct Engine {
    pub(crate) name: &'static str,
    pub(crate) adapter: fn(AnyPolicy) -> Box<dyn Adapter>,
    pub(crate) database: fn() -> Open,
    /// True if a filter is one of all keys of a table, each once, and may be empty; else it is one of a block.
    pub(crate) filters_tables: bool,
    /// True if the engine ignores filters under other names; else the adapter refuses them.
    pub(crate) compares_names: bool,
    /// True if deleting keys hides no others.
    pub(crate) deletes: bool,
    /// True if reads of tables are counted, with filters and without.
    pub(crate) counts_reads: bool,
    /// True if keys are queried whole, so that policies over prefixes are possible.
    pub(crate) keeps_keys: bool,
}

pub(crate) const ENGINES: &[Engine] = &[
    #[cfg(feature = "leveldb")]
    leveldb::ENGINE,
    rusty_leveldb::ENGINE,
    slatedb::ENGINE,
    surrealkv::ENGINE,
];

/// Returns the tables of a database of LevelDB or rusty-leveldb, in ascending order.
pub(crate) fn tables(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut tables: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ldb"))
        .collect();
    tables.sort();
    tables
}

/// Returns the names and the bytes of the tables.
pub(crate) fn table_bytes(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read(path).unwrap())
    };
    tables(folder).into_iter().map(read).collect()
}
