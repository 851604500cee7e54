//! The disk as an environment that counts reads from tables.

use std::cell::Cell;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rusty_leveldb::env::{Env, FileLock, Logger, RandomAccess};
use rusty_leveldb::{PosixDiskEnv, Result};

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
