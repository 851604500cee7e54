//! The folder of a set while it is built: the lock, the names of files, and how they appear.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::journal::JOURNAL;
use crate::manifest::Manifest;
use crate::shard::MANIFEST;

/// The beginning and the end of the names of shards.
const SHARD: &str = "shard-";
const FILTER: &str = ".filter";

/// Returns true if a builder made a file of this name: a shard, its journal, or an unfinished file of
/// [`guava_bloom::save`].
fn is_of_builder(name: &str) -> bool {
    name == JOURNAL
        || (name.starts_with(SHARD) && name.ends_with(FILTER))
        || (name.starts_with(".tmp") && name.len() == 10)
}

/// Writes a filter to a file that appears, or is replaced, when it is complete.
pub(crate) fn write_filter(
    path: &Path,
    header: Option<&Header>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    save(path, |file| {
        if let Some(header) = header {
            file.write_all(&header.to_bytes())?;
        }
        write(file)
    })
}

/// [`guava_bloom::save`] with an error of this crate.
fn save(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    guava_bloom::save(path, write).map_err(|error| Error::new(ErrorKind::Write, error))
}

/// A folder in which no other process builds as long as the value exists; afterwards it holds a set or is gone.
pub(crate) struct Lock {
    pub(crate) folder: PathBuf,
    /// Set if the folder was made for the lock.
    is_new: bool,
    _file: File,
}

impl Lock {
    pub(crate) fn take(folder: &Path) -> Result<Self, Error> {
        let writing = |error| Error::writing(folder)(error);
        let is_new = match fs::create_dir(folder) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
            Err(error) => return Err(writing(error)),
        };
        // A folder can be locked itself, except on Windows.
        let file = if cfg!(unix) {
            File::open(folder)
        } else {
            File::create(folder.with_extension("lock"))
        };
        let file = file.map_err(writing)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let reason = "another process is building in this folder";
                return Err(Error::about(ErrorKind::Locked, folder, reason));
            }
            Err(TryLockError::Error(error)) => return Err(writing(error)),
        }
        let lock = Self {
            folder: folder.to_path_buf(),
            is_new,
            _file: file,
        };
        if !lock.has_manifest()? {
            let foreign = |name: &String| !is_of_builder(name);
            if let Some(name) = lock.names()?.into_iter().find(foreign) {
                let reason =
                    format_args!("holds {name:?} and no {MANIFEST}: give an empty folder or a set's");
                return Err(Error::about(ErrorKind::Input, folder, reason));
            }
        }
        Ok(lock)
    }

    /// Returns whether a set is here; a foreign manifest is an error, because it would be replaced.
    fn has_manifest(&self) -> Result<bool, Error> {
        match fs::symlink_metadata(self.folder.join(MANIFEST)) {
            Ok(_) => Manifest::read(&self.folder).map(|_| true).map_err(|error| {
                let advice = "it is not replaced; give another folder";
                Error::input(format_args!("{error}: {advice}"))
            }),
            Err(_) => Ok(false),
        }
    }

    fn names(&self) -> Result<Vec<String>, Error> {
        let listing = |error| Error::reading(&self.folder)(error);
        let entries = fs::read_dir(&self.folder).map_err(listing)?;
        entries
            .map(|entry| {
                let entry = entry.map_err(listing)?;
                Ok(entry.file_name().to_string_lossy().into_owned())
            })
            .collect()
    }

    /// Writes the manifest over the old one, and removes the old shards.
    pub(crate) fn publish(mut self, manifest: &Manifest) -> Result<(), Error> {
        let mut text = serde_json::to_string_pretty(manifest).map_err(Error::input)?;
        text.push('\n');
        save(&self.folder.join(MANIFEST), |file| {
            file.write_all(text.as_bytes())
        })?;
        self.is_new = false;
        Ok(())
    }
}

/// Removes what no manifest names: the shards of the old set, or of a build that ended early.
impl Drop for Lock {
    fn drop(&mut self) {
        let named = match self.has_manifest() {
            Ok(true) => Manifest::read(&self.folder).map(|manifest| manifest.shards),
            Ok(false) => Ok(Vec::new()),
            Err(error) => Err(error),
        };
        // A file that stays does no harm, and there is nobody to tell.
        if let (Ok(named), Ok(names)) = (named, self.names()) {
            let is_old =
                |name: &&String| is_of_builder(name) && named.iter().all(|shard| shard.file != **name);
            for name in names.iter().filter(is_old) {
                let _ = fs::remove_file(self.folder.join(name));
            }
        }
        if self.is_new {
            let _ = fs::remove_dir(&self.folder);
        }
    }
}
