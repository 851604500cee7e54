//! Databases on disk.

pub(crate) mod counting;
pub(crate) mod filled;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use filter_policy::FilterPolicy;
use filter_policy_rusty_leveldb::RustyLevelDbPolicy;
use rusty_leveldb::Options;

/// Returns options for several tables of many blocks, and a block cache of one block.
pub(crate) fn options() -> Options {
    Options {
        write_buffer_size: 64 << 10,
        max_file_size: 64 << 10,
        block_size: 1 << 10,
        block_cache_capacity_bytes: 1 << 10,
        ..Options::default()
    }
}

pub(crate) fn with_engines<P: rusty_leveldb::FilterPolicy + 'static>(options: Options, policy: P) -> Options {
    Options {
        filter_policy: Rc::new(Box::new(policy)),
        ..options
    }
}

/// Returns options with our policy, unchecked.
pub(crate) fn with_policy<P: FilterPolicy + Send + 'static>(options: Options, policy: P) -> Options {
    with_engines(options, RustyLevelDbPolicy::new(policy).unwrap())
}

/// Returns the tables of a database in ascending order.
pub(crate) fn tables(folder: &Path) -> Vec<PathBuf> {
    let mut tables: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ldb"))
        .collect();
    tables.sort();
    tables
}
