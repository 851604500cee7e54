//! The folder of a set while it is built: the lock, the names of files, and how they appear.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::bytes::Sum;
use crate::error::Error;
use crate::header::Header;
use crate::manifest::Manifest;
use crate::shard::{MANIFEST, Shard};

/// The beginning and the end of the names of shards.
const SHARD: &str = "shard-";
const FILTER: &str = ".filter";

/// Returns true if a builder made a file of this name: a shard, or an unfinished file of [`whole_files::save`].
fn is_of_builder(name: &str) -> bool {
    let is_all =
        |part: &str, len: usize, is: fn(&u8) -> bool| part.len() == len && part.as_bytes().iter().all(is);
    let parts = name
        .strip_prefix(SHARD)
        .and_then(|name| name.strip_suffix(FILTER)?.split_once('-'));
    let is_shard = parts.is_some_and(|(number, sum)| {
        is_all(number, 5, u8::is_ascii_digit) && is_all(sum, 16, u8::is_ascii_hexdigit)
    });
    let unfinished = name.strip_prefix(".tmp");
    is_shard || unfinished.is_some_and(|random| is_all(random, 6, u8::is_ascii_alphanumeric))
}

/// Writes a filter to a file that appears when it is complete. One that is there is replaced, or an error.
pub(crate) fn write_filter(
    path: &Path,
    replace: bool,
    header: Option<&Header>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let whole = |file: &mut dyn Write| {
        if let Some(header) = header {
            file.write_all(&header.to_bytes())?;
        }
        write(file)
    };
    match replace {
        true => save(path, whole),
        false => whole_files::save_new(path, whole).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                let path = path.display();
                Error::argument(format_args!("{path}: {error}: it is not replaced"))
            }
            _ => Error::writing(path)(error),
        }),
    }
}

/// Calls [`whole_files::save`] and converts the error.
fn save(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    whole_files::save(path, write).map_err(Error::writing(path))
}

/// Returns true if a plain file has the bytes that `write` writes.
fn is_written(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<bool> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Ok(false);
    }
    let (mut old, mut new) = (Sum::default(), Sum::default());
    io::copy(&mut File::open(path)?, &mut old)?;
    write(&mut new)?;
    Ok(old.sha256() == new.sha256())
}

/// A folder in which no other process builds as long as the value exists; afterwards it contains a set or is gone.
pub(crate) struct Lock {
    pub(crate) folder: PathBuf,
    /// Set if the folder is for files of commands instead of a set, without a manifest.
    is_of_commands: bool,
    /// The names of the shards that were written and that no manifest names yet.
    written: RefCell<Vec<String>>,
    lock: whole_files::Lock,
}

impl Lock {
    pub(crate) fn take(folder: &Path, is_of_commands: bool) -> Result<Self, Error> {
        let lock = whole_files::Lock::take(folder).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => Error::Locked { path: folder.into() },
            _ => Error::writing(folder)(error),
        })?;
        let lock = Self {
            folder: folder.to_path_buf(),
            is_of_commands,
            written: RefCell::default(),
            lock,
        };
        if is_of_commands || !lock.has_manifest()? {
            lock.each_name(|name| {
                let reason = match is_of_commands {
                    true => format!("contains {name:?}: give an empty folder"),
                    false if is_of_builder(&name) => return Ok(()),
                    false => format!("contains {name:?} and no {MANIFEST}: give an empty folder or a set's"),
                };
                Err(Error::argument(format_args!("{}: {reason}", folder.display())))
            })?;
        }
        Ok(lock)
    }

    /// Returns true if a set is here. A foreign manifest is an error, because it would be replaced.
    fn has_manifest(&self) -> Result<bool, Error> {
        match fs::symlink_metadata(self.folder.join(MANIFEST)) {
            Ok(_) => Manifest::check_schema(&self.folder)
                .map(|()| true)
                .map_err(|error| {
                    let advice = "it is not replaced; give another folder";
                    Error::argument(format_args!("{error}: {advice}"))
                }),
            Err(_) => Ok(false),
        }
    }

    /// Passes the name of every file.
    fn each_name(&self, mut take: impl FnMut(String) -> Result<(), Error>) -> Result<(), Error> {
        let listing = |error| Error::reading(&self.folder)(error);
        for entry in fs::read_dir(&self.folder).map_err(listing)? {
            take(entry.map_err(listing)?.file_name().to_string_lossy().into_owned())?;
        }
        Ok(())
    }

    /// Writes a shard. Readers see it only after [`publish`](Self::publish), which syncs it.
    pub(crate) fn write(
        &self,
        shard: &Shard,
        header: Option<&Header>,
        filter: &dyn Fn(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        let path = self.folder.join(&shard.file);
        let whole = |file: &mut dyn Write| {
            if let Some(header) = header {
                file.write_all(&header.to_bytes())?;
            }
            filter(file)
        };
        let written = match File::create_new(&path) {
            Ok(file) => {
                self.written.borrow_mut().push(shard.file.clone());
                let mut file = BufWriter::new(file);
                whole(&mut file).and_then(|()| file.flush())
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match is_written(&path, whole) {
                Ok(true) => Ok(()),
                // The set that is there may name it.
                _ => return save(&path, whole),
            },
            Err(error) => Err(error),
        };
        written.map_err(Error::writing(&path))
    }

    /// Syncs the shards, writes the manifest over the old one, and removes the old shards.
    pub(crate) fn publish(mut self, manifest: &Manifest) -> Result<(), Error> {
        self.sync(manifest)?;
        if !self.is_of_commands {
            save(&self.folder.join(MANIFEST), |file| {
                serde_json::to_writer_pretty(&mut *file, manifest)?;
                file.write_all(b"\n")
            })?;
        }
        self.lock.keep();
        self.written.take();
        self.remove_all_but(&manifest.shards);
        Ok(())
    }

    /// Returns when the shards and their names are on the disk.
    fn sync(&self, manifest: &Manifest) -> Result<(), Error> {
        /// The number of shards from which on one call for the whole file system is faster.
        #[cfg(target_os = "linux")]
        const MANY: usize = 64;
        #[cfg(target_os = "linux")]
        if manifest.shards.len() >= MANY {
            let synced = rustix::fs::syncfs(self.lock.file());
            return synced.map_err(|error| Error::writing(&self.folder)(error.into()));
        }
        for shard in &manifest.shards {
            let path = self.folder.join(&shard.file);
            let file = File::options().append(true).open(&path);
            file.and_then(|file| file.sync_all())
                .map_err(Error::writing(&path))?;
        }
        // Elsewhere a folder cannot be synced.
        if cfg!(unix) {
            self.lock
                .file()
                .sync_all()
                .map_err(Error::writing(&self.folder))?;
        }
        Ok(())
    }

    /// Removes the files of builders except these shards. A file that stays does no harm, so errors are ignored.
    fn remove_all_but(&self, named: &[Shard]) {
        let named: HashSet<&str> = named.iter().map(|shard| &*shard.file).collect();
        let _ = self.each_name(|name| {
            if is_of_builder(&name) && !named.contains(&*name) {
                let _ = fs::remove_file(self.folder.join(name));
            }
            Ok(())
        });
    }
}

/// Removes the shards of a build that ended early, and nothing else.
impl Drop for Lock {
    fn drop(&mut self) {
        for name in self.written.take() {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }
}
