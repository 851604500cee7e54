//! A disk environment that counts reads of tables.

use std::cell::Cell;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rusty_leveldb::env::{Env, FileLock, Logger, RandomAccess};
use rusty_leveldb::{PosixDiskEnv, Result};

/// The disk, with a counter of reads of tables.
pub struct CountingEnv {
    disk: PosixDiskEnv,
    reads: Rc<Cell<u64>>,
}

impl CountingEnv {
    /// Returns the disk and its counter of reads.
    pub fn new() -> (Self, Rc<Cell<u64>>) {
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

/// Forwards methods of [`Env`] to the disk.
macro_rules! to_the_disk {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)+) => {
        $(fn $name(&self, $($argument: $type),*) -> $result {
            self.disk.$name($($argument),*)
        })+
    };
}

impl Env for CountingEnv {
    fn open_random_access_file(&self, path: &Path) -> Result<Box<dyn RandomAccess>> {
        Ok(Box::new(CountedFile {
            file: self.disk.open_random_access_file(path)?,
            reads: self.reads.clone(),
        }))
    }

    to_the_disk! {
        open_sequential_file(path: &Path) -> Result<Box<dyn Read>>;
        open_writable_file(path: &Path) -> Result<Box<dyn Write>>;
        open_appendable_file(path: &Path) -> Result<Box<dyn Write>>;
        exists(path: &Path) -> Result<bool>;
        children(path: &Path) -> Result<Vec<PathBuf>>;
        size_of(path: &Path) -> Result<usize>;
        delete(path: &Path) -> Result<()>;
        mkdir(path: &Path) -> Result<()>;
        rmdir(path: &Path) -> Result<()>;
        rename(from: &Path, to: &Path) -> Result<()>;
        lock(path: &Path) -> Result<FileLock>;
        unlock(lock: FileLock) -> Result<()>;
        new_logger(path: &Path) -> Result<Logger>;
        micros() -> u64;
        sleep_for(micros: u32) -> ();
    }
}
