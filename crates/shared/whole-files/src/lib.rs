#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Component, Path, PathBuf};

use tempfile::NamedTempFile;

/// Writes a file so that its name always stands for a complete file: the old one until the new one is on the disk.
///
/// `write` gets a temporary file in the same folder, which is flushed, synced and renamed to `path`; then the folder is
/// synced. A crash, an error or a full disk at any time leaves the old file, and at worst a temporary file whose name
/// begins with `.tmp`. A link to a file is followed, and the permissions of a file that is replaced are kept.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("words");
/// whole_files::save(&path, |file| file.write_all(b"apple"))?;
/// assert_eq!(std::fs::read(&path)?, b"apple");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// The errors of `write` and of the system, as those of [`fs`] without the name of the file; and
/// [`io::ErrorKind::InvalidInput`] if `path` is something else than a file, such as a folder, a device or a link to a
/// file that is not there.
pub fn save(path: impl AsRef<Path>, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    put(path.as_ref(), true, write)
}

/// Writes a file as [`save`] does, but never over another: of two programs that write the same name at the same time,
/// one gets the error.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("words");
/// whole_files::save_new(&path, |file| file.write_all(b"apple"))?;
/// let error = whole_files::save_new(&path, |file| file.write_all(b"pear")).unwrap_err();
/// assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
/// assert_eq!(std::fs::read(&path)?, b"apple");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// [`io::ErrorKind::AlreadyExists`] if there is anything at `path`, also a link that leads nowhere, before `write` is
/// called or after it; and the errors of [`save`].
pub fn save_new(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    put(path.as_ref(), false, write)
}

fn put(path: &Path, replace: bool, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let file = NewFile::create(path, replace)?;
    let mut buffered = BufWriter::new(file.file());
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    file.finish()
}

/// A file that is written in steps and appears, as with [`save`], when it is complete. Dropping it removes what was
/// written.
///
/// ```
/// # use std::io::Write as _;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("words");
/// let file = whole_files::NewFile::create(&path, false)?;
/// file.file().write_all(b"apple")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read(&path)?, b"apple");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct NewFile {
    file: NamedTempFile,
    /// Opened before the permissions of a file that is replaced may forbid it.
    second: File,
    path: PathBuf,
    replace: bool,
}

impl NewFile {
    /// Creates a temporary file in the folder of `path`, with the permissions of the file at `path` if there is one. Fails as
    /// [`save`] if `replace` is true, and otherwise as [`save_new`].
    pub fn create(path: impl AsRef<Path>, replace: bool) -> io::Result<Self> {
        let path = path.as_ref();
        let (path, permissions) = match fs::metadata(path) {
            Ok(_) if !replace => return Err(io::ErrorKind::AlreadyExists.into()),
            Ok(metadata) if !metadata.is_file() => {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file"));
            }
            Ok(metadata) => (path.canonicalize()?, Some(metadata.permissions())),
            Err(_) if replace && path.is_symlink() => {
                let reason = "is a link to a file that is not there; give another path";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (path.to_path_buf(), None),
            Err(error) => return Err(error),
        };
        let folder = folder_of(&path);
        #[cfg_attr(not(unix), expect(unused_mut, reason = "nothing is set"))]
        let mut builder = tempfile::Builder::new();
        // The permissions of any new file, instead of the owner's alone.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // These errors would name the temporary file.
        let of_folder = |error: io::Error| fs::metadata(folder).err().unwrap_or_else(|| error.kind().into());
        let file = builder.tempfile_in(folder).map_err(of_folder)?;
        let second = file.reopen().map_err(of_folder)?;
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions)?;
        }
        Ok(Self {
            file,
            second,
            path,
            replace,
        })
    }

    /// Returns the temporary file.
    pub fn file(&self) -> &File {
        self.file.as_file()
    }

    /// Returns another handle of the temporary file, which has a place of its own, at its start.
    pub const fn second(&self) -> &File {
        &self.second
    }

    /// Syncs the file and renames it to its path, then syncs the folder.
    ///
    /// # Errors
    ///
    /// The errors of the system, and [`io::ErrorKind::AlreadyExists`] if there is a file at the path now which must not
    /// be replaced.
    pub fn finish(self) -> io::Result<()> {
        self.file().sync_all()?;
        self.place()
    }

    /// Renames the file, which the caller has synced, to its path, then syncs the folder. What the caller checks in between
    /// still holds: to sync a file takes long, to rename it does not. Fails as [`finish`](Self::finish).
    pub fn place(self) -> io::Result<()> {
        // Both are one step, at which another program's file is replaced or kept as a whole.
        let placed = match self.replace {
            true => self.file.persist(&self.path),
            false => self.file.persist_noclobber(&self.path),
        };
        placed.map_err(|error| error.error)?;
        sync_folder_of(&self.path)
    }
}

/// Removes a file, then syncs its folder, so that it is gone before anything else changes.
pub fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)?;
    sync_folder_of(path)
}

fn sync_folder_of(path: &Path) -> io::Result<()> {
    // Elsewhere a folder cannot be opened.
    match cfg!(unix) {
        true => File::open(folder_of(path))?.sync_all(),
        false => Ok(()),
    }
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// A folder that no other process locks as long as the value exists. Then it is gone if it was made for the lock and is
/// empty, with those above it.
#[derive(Debug)]
pub struct Lock {
    file: File,
    made: NewFolders,
}

impl Lock {
    /// Makes the folder, and those above it, unless they exist, and locks it.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] if another process has locked it, and the errors of the system.
    pub fn take(folder: &Path) -> io::Result<Self> {
        let mut made = NewFolders::default();
        made.make(folder)?;
        // A folder can be locked itself, except on Windows.
        let file = match cfg!(unix) {
            true => File::open(folder)?,
            false => File::create(folder.with_extension("lock"))?,
        };
        match file.try_lock() {
            Ok(()) => Ok(Self { file, made }),
            Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Lets the folder stay, even if it is empty.
    pub fn keep(&mut self) {
        self.made.0.clear();
    }

    /// Returns the locked file, which is the folder itself except on Windows.
    pub fn file(&self) -> &File {
        &self.file
    }
}

/// Folders that are made for files to come. Those that are empty are removed with the value, the last first.
#[derive(Debug, Default)]
pub struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    /// Makes a folder, and those above it, unless they exist.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::NotFound`] if `..` follows a folder that is not there, and the errors of the system.
    pub fn make(&mut self, folder: &Path) -> io::Result<()> {
        let is_missing = |folder: &&Path| matches!(folder.try_exists(), Ok(false)) && !folder.is_symlink();
        let named = folder.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        let missing: Vec<PathBuf> = named.take_while(is_missing).map(Path::to_owned).collect();
        let mut last = missing.iter().map(|folder| folder.components().next_back());
        if last.any(|name| name == Some(Component::ParentDir)) {
            let reason = "leads through a folder that is not there";
            return Err(io::Error::new(io::ErrorKind::NotFound, reason));
        }
        for folder in missing.into_iter().rev() {
            match fs::create_dir(&folder) {
                Ok(()) => self.0.push(folder),
                // Another process was faster.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}
