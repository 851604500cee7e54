//! Databases on disk, an environment that counts reads, and policies that count questions.
#![allow(dead_code, reason = "each test program uses its part")]

use std::cell::Cell;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use filter_policy::{Error, FilterPolicy};
use filter_policy_rusty_leveldb::RustyLevelDbPolicy;
use rusty_leveldb::env::{Env, FileLock, Logger, RandomAccess};
use rusty_leveldb::{DB, LdbIterator, Options, PosixDiskEnv, Result};

/// Keys in the database; those with odd numbers are absent.
pub(crate) const COUNT: u32 = 3_000;

pub(crate) fn key(number: u32) -> Vec<u8> {
    // Some have bytes above 0x7f at the end, where hash functions differ.
    match number % 8 {
        4 => format!("key{number:05}ü").into_bytes(),
        _ => format!("key{number:05}").into_bytes(),
    }
}

pub(crate) fn value(number: u32) -> Vec<u8> {
    format!("{number:0100}").into_bytes()
}

/// Several tables of many blocks, and a block cache that holds one of them.
pub(crate) fn options() -> Options {
    Options {
        write_buffer_size: 64 << 10,
        max_file_size: 64 << 10,
        block_size: 1 << 10,
        block_cache_capacity_bytes: 1 << 10,
        ..Options::default()
    }
}

pub(crate) fn with_policy<P: rusty_leveldb::FilterPolicy + 'static>(options: Options, policy: P) -> Options {
    Options {
        filter_policy: Rc::new(Box::new(policy)),
        ..options
    }
}

/// The numbers below the count, scattered: a block in the cache is not the next one's.
fn scattered() -> impl Iterator<Item = u32> {
    (0..COUNT).map(|i| i * 1_013 % COUNT)
}

/// Writes all keys in a scattered order, some of them twice, and compacts.
pub(crate) fn write(db: &mut DB) {
    for number in scattered() {
        db.put(&key(2 * number), b"first").unwrap();
    }
    for number in (0..2 * COUNT).step_by(2) {
        db.put(&key(number), &value(number)).unwrap();
    }
    db.compact_range(b"a", b"z").unwrap();
}

/// A database in a folder of its own, written through these options and closed.
pub(crate) fn written(options: Options) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut db = DB::open(folder.path(), options).unwrap();
    write(&mut db);
    db.close().unwrap();
    folder
}

/// How many of the keys a Get finds.
pub(crate) fn found(db: &mut DB) -> u32 {
    let mut found = 0;
    for number in scattered().map(|number| 2 * number) {
        if let Some(got) = db.get(&key(number)) {
            assert_eq!(got, value(number));
            found += 1;
        }
    }
    found
}

/// How many keys an iterator passes: what is really there.
pub(crate) fn iterated(db: &mut DB) -> u32 {
    let mut iterator = db.new_iter().unwrap();
    let mut count = 0;
    while iterator.advance() {
        count += 1;
    }
    count
}

pub(crate) fn read_absent(db: &mut DB) {
    for number in scattered() {
        assert_eq!(db.get(&key(2 * number + 1)), None);
    }
}

/// The tables of a database, ascending.
pub(crate) fn tables(folder: &Path) -> Vec<PathBuf> {
    let mut tables: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ldb"))
        .collect();
    tables.sort();
    tables
}

/// What a counting policy was asked.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) questions: AtomicU64,
    pub(crate) denials: AtomicU64,
}

/// A policy that counts.
#[derive(Debug, Clone)]
pub(crate) struct Counting<P> {
    policy: P,
    asked: Arc<Asked>,
}

impl<P: FilterPolicy> Counting<P> {
    pub(crate) fn new(policy: P) -> (Self, Arc<Asked>) {
        let asked = Arc::new(Asked::default());
        let counting = Self {
            policy,
            asked: asked.clone(),
        };
        (counting, asked)
    }
}

impl<P: FilterPolicy> FilterPolicy for Counting<P> {
    fn name(&self) -> &str {
        self.policy.name()
    }

    fn max_filter_len(&self, keys: usize) -> std::result::Result<usize, Error> {
        self.policy.max_filter_len(keys)
    }

    fn create_filter<'out>(
        &self,
        keys: &[&[u8]],
        out: &'out mut [u8],
    ) -> std::result::Result<&'out mut [u8], Error> {
        self.policy.create_filter(keys, out)
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        let answer = self.policy.key_may_match(key, filter);
        self.asked.questions.fetch_add(1, Ordering::Relaxed);
        self.asked
            .denials
            .fetch_add(u64::from(!answer), Ordering::Relaxed);
        answer
    }
}

/// The adapter over a counting policy.
pub(crate) fn counting<P: FilterPolicy>(policy: P) -> (RustyLevelDbPolicy<Counting<P>>, Arc<Asked>) {
    let (counting, asked) = Counting::new(policy);
    (RustyLevelDbPolicy::new(counting).unwrap(), asked)
}

/// Denies nothing: what reads cost without filters.
pub(crate) struct Unfiltered;

impl rusty_leveldb::FilterPolicy for Unfiltered {
    fn name(&self) -> &'static str {
        "Unfiltered"
    }

    fn create_filter(&self, _: &[u8], _: &[usize]) -> Vec<u8> {
        vec![0]
    }

    fn key_may_match(&self, _: &[u8], _: &[u8]) -> bool {
        true
    }
}

/// The disk, with a counter of reads from tables.
pub(crate) struct CountingEnv {
    disk: PosixDiskEnv,
    reads: Rc<Cell<u64>>,
}

impl CountingEnv {
    pub(crate) fn new() -> (Self, Rc<Cell<u64>>) {
        let reads = Rc::new(Cell::new(0));
        let env = Self {
            disk: PosixDiskEnv::new(),
            reads: reads.clone(),
        };
        (env, reads)
    }
}

struct CountedFile {
    file: Box<dyn RandomAccess>,
    reads: Rc<Cell<u64>>,
}

impl RandomAccess for CountedFile {
    fn read_at(&self, offset: usize, buffer: &mut [u8]) -> Result<usize> {
        self.reads.set(self.reads.get() + 1);
        self.file.read_at(offset, buffer)
    }
}

impl Env for CountingEnv {
    fn open_sequential_file(&self, path: &Path) -> Result<Box<dyn Read>> {
        self.disk.open_sequential_file(path)
    }

    fn open_random_access_file(&self, path: &Path) -> Result<Box<dyn RandomAccess>> {
        Ok(Box::new(CountedFile {
            file: self.disk.open_random_access_file(path)?,
            reads: self.reads.clone(),
        }))
    }

    fn open_writable_file(&self, path: &Path) -> Result<Box<dyn Write>> {
        self.disk.open_writable_file(path)
    }

    fn open_appendable_file(&self, path: &Path) -> Result<Box<dyn Write>> {
        self.disk.open_appendable_file(path)
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        self.disk.exists(path)
    }

    fn children(&self, path: &Path) -> Result<Vec<PathBuf>> {
        self.disk.children(path)
    }

    fn size_of(&self, path: &Path) -> Result<usize> {
        self.disk.size_of(path)
    }

    fn delete(&self, path: &Path) -> Result<()> {
        self.disk.delete(path)
    }

    fn mkdir(&self, path: &Path) -> Result<()> {
        self.disk.mkdir(path)
    }

    fn rmdir(&self, path: &Path) -> Result<()> {
        self.disk.rmdir(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.disk.rename(from, to)
    }

    fn lock(&self, path: &Path) -> Result<FileLock> {
        self.disk.lock(path)
    }

    fn unlock(&self, lock: FileLock) -> Result<()> {
        self.disk.unlock(lock)
    }

    fn new_logger(&self, path: &Path) -> Result<Logger> {
        self.disk.new_logger(path)
    }

    fn micros(&self) -> u64 {
        self.disk.micros()
    }

    fn sleep_for(&self, micros: u32) {
        self.disk.sleep_for(micros);
    }
}
