//! rusty-leveldb on disk.

use std::rc::Rc;

use engine_tests::CountingEnv;
use filter_policy::policies::AnyPolicy;
use filter_policy::{BitsPerKey, FilterPolicy, formats};
use filter_policy_rusty_leveldb::{RustyLevelDbPolicy, checked_open};
use rusty_leveldb::{BloomPolicy, CompressorId as _, DB, LdbIterator as _, Options, compressor};
use tempfile::TempDir;

use super::{Adapter, Database, Engine, table_bytes};
use crate::databases::Keys;

pub(super) const ENGINE: Engine = Engine {
    name: "rusty-leveldb",
    adapter: |policy| Box::new(RustyLevelDbPolicy::new(policy).unwrap()),
    database: || {
        let folder = TempDir::new().unwrap();
        Box::new(move |policy: Option<AnyPolicy>| {
            let policy = policy.ok_or("rusty-leveldb always has a policy")?;
            let (env, reads) = CountingEnv::new();
            let counting = Options {
                env: Rc::new(Box::new(env)),
                compressor: compressor::SnappyCompressor::ID,
                ..options()
            };
            let db = checked_open(folder.path(), counting, policy);
            let db = db.map_err(|error| error.to_string())?;
            Ok(Box::new(Opened {
                db,
                reads: Box::new(move || reads.get()),
            }))
        })
    },
    filters_tables: false,
    compares_names: false,
    // A tombstone hides the key before it: `docs/upstream/rusty-leveldb-tombstones.md`.
    deletes: false,
    counts_reads: true,
    keeps_keys: true,
};

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

/// Returns the options with a policy, unchecked.
pub(crate) fn with(options: Options, policy: impl rusty_leveldb::FilterPolicy + 'static) -> Options {
    Options {
        filter_policy: Rc::new(Box::new(policy)),
        ..options
    }
}

/// Writes the keys to a new database with these options.
pub(crate) fn written(options: Options, keys: &Keys) -> TempDir {
    let folder = TempDir::new().unwrap();
    let db = DB::open(folder.path(), options).unwrap();
    keys.write(&mut Opened {
        db,
        reads: Box::new(|| 0),
    });
    folder
}

pub(crate) struct Opened {
    pub(crate) db: DB,
    pub(crate) reads: Box<dyn Fn() -> u64>,
}

impl Database for Opened {
    fn put(&mut self, key: &[u8], value: &[u8]) {
        self.db.put(key, value).unwrap();
    }

    fn delete(&mut self, key: &[u8]) {
        self.db.delete(key).unwrap();
    }

    fn flush(&mut self) {
        self.db.compact_range(&[], &[0xff; 301]).unwrap();
    }

    fn has(&mut self, key: &[u8]) -> bool {
        self.db.get(key).is_some()
    }

    fn count(&mut self) -> usize {
        let mut iterator = self.db.new_iter().unwrap();
        std::iter::from_fn(|| iterator.advance().then_some(())).count()
    }

    fn reads(&self) -> u64 {
        (self.reads)()
    }
}

impl<P: FilterPolicy + Send> Adapter for RustyLevelDbPolicy<P> {
    fn create(&self, keys: &[&[u8]]) -> Vec<u8> {
        let ends = keys.iter().scan(0, |end, key| {
            *end += key.len();
            Some(*end)
        });
        let offsets: Vec<usize> = [0].into_iter().chain(ends).take(keys.len()).collect();
        rusty_leveldb::FilterPolicy::create_filter(self, &keys.concat(), &offsets)
    }

    fn may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        rusty_leveldb::FilterPolicy::key_may_match(self, key, filter)
    }
}

#[test]
fn tables_are_those_of_the_engines_own_policy() {
    let keys = Keys::new(false);
    for bits in [1, 10, 14, 44] {
        let ours = RustyLevelDbPolicy::new(formats::LEVEL_DB.policy(BitsPerKey::whole(bits))).unwrap();
        let ours = written(with(options(), ours), &keys);
        let theirs = written(with(options(), BloomPolicy::new(bits)), &keys);
        let [ours, theirs] = [ours.path(), theirs.path()].map(table_bytes);
        assert!(ours.len() > 2);
        assert!(ours == theirs, "tables differ at {bits} bits per key");
    }
}
