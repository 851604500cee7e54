//! The folder for unfinished files: beside its destination, held by one run at a time, and removed by the next run if
//! its owner was killed.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// Prefix of the names of folders for unfinished files.
pub(super) const PREFIX: &str = ".hash-comparison-";
/// The file whose lock says that the owner is alive. Its text names the owner.
const OWNER: &str = "owner";
/// The first words of that text.
const SIGNATURE: &str = "hash-comparison";
/// The folder of the report inside.
const REPORT: &str = "run";
/// Exists while files are moved one by one.
const MOVING: &str = "moving";

/// A folder for unfinished files, with everything in it removed on drop.
#[derive(Debug)]
pub(super) struct Workspace {
    folder: PathBuf,
    /// Locked until it is closed.
    _owner: File,
    created: Created,
    /// Set if the folder stays when this value is dropped.
    stays: bool,
}

/// Folders created for the run; removed again, if empty, unless the run completes.
#[derive(Debug, Default)]
struct Created(Vec<PathBuf>);

/// The outcome of an attempt to hold a folder.
pub(super) enum Claim {
    Held(Workspace),
    /// Another run holds it, named here if it can be.
    Busy(Option<String>),
}

impl Drop for Created {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // A folder that is no longer empty stays.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // The owner's file goes last: what a kill leaves here can still be recognised.
        if !self.stays && self.clear().is_ok() && fs::remove_file(self.folder.join(OWNER)).is_ok() {
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

impl Workspace {
    /// Holds the folder for a destination of this name in `parent`, which is created with the folders above it.
    pub(super) fn claim(parent: &Path, destination: &Path) -> io::Result<Claim> {
        let mut created = Created::default();
        let missing: Vec<&Path> = parent
            .ancestors()
            .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
            .collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder)?;
            created.0.push(folder.to_owned());
        }
        // The name is short, whatever the name of the destination.
        let name = destination.file_name().unwrap_or_default();
        let sum = hex::encode(Sha256::digest(name.as_encoded_bytes()));
        let mut claim = hold(&parent.join(format!("{PREFIX}{}", &sum[..12])))?;
        if let Claim::Held(workspace) = &mut claim {
            workspace.created = created;
        }
        Ok(claim)
    }

    /// Removes the folders in `parent` whose owners were killed, except where a report may be incomplete without them.
    pub(super) fn sweep(parent: &Path) {
        for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
            let folder = entry.path();
            let is_named_so = (entry.file_name().to_str()).is_some_and(|name| name.starts_with(PREFIX));
            // An empty folder is one whose owner was killed before its first step or after its last.
            if !is_named_so || fs::remove_dir(&folder).is_ok() || !is_signed(&folder) {
                continue;
            }
            if let Ok(Claim::Held(mut workspace)) = hold(&folder) {
                // The next run into the destination of such a folder needs it.
                workspace.stays = workspace.is_moving();
            }
        }
    }

    /// Returns the folder itself.
    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder of the report.
    pub(super) fn report(&self) -> PathBuf {
        self.folder.join(REPORT)
    }

    /// Returns true if the previous owner was killed while it moved files one by one.
    pub(super) fn is_moving(&self) -> bool {
        self.folder.join(MOVING).exists()
    }

    /// Records that the report is complete and that its files are now moved one by one.
    pub(super) fn begin_moving(&self) -> io::Result<()> {
        File::create(self.folder.join(MOVING))?.sync_all()?;
        sync(&self.folder)
    }

    /// Leaves the folder, with everything in it, to the next run.
    pub(super) fn leave(&mut self) {
        self.stays = true;
    }

    /// Keeps the folders made for the destination.
    pub(super) fn complete(&mut self) {
        self.created.0.clear();
    }

    /// Removes everything but the owner's file.
    pub(super) fn clear(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            } else if entry.file_name() != OWNER {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

/// Writes a file or the entries of a folder to the disk, where the system can.
#[cfg(unix)]
pub(super) fn sync(path: &Path) -> io::Result<()> {
    match File::open(path).and_then(|file| file.sync_all()) {
        // Some file systems cannot, and some folders can be written but not read.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

#[cfg(not(unix))]
pub(super) fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Creates `folder` unless it exists, and locks it.
fn hold(folder: &Path) -> io::Result<Claim> {
    loop {
        let is_new = match create_private(folder) {
            Ok(()) => true,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => false,
            Err(error) => return Err(error),
        };
        if !is_own_folder(folder)? {
            let what = format!("{} belongs to somebody else", folder.display());
            return Err(io::Error::other(what));
        }
        let path = folder.join(OWNER);
        let opened = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let mut owner = match opened {
            // The last owner has just removed the folder.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            other => other?,
        };
        match owner.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let text = fs::read_to_string(&path).unwrap_or_default();
                let holder = text
                    .trim()
                    .strip_prefix(SIGNATURE)
                    .map(|rest| rest.trim().to_owned());
                return Ok(Claim::Busy(holder.filter(|holder| !holder.is_empty())));
            }
            // Without locks, whoever creates the folder owns it.
            Err(TryLockError::Error(_)) if is_new => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // The last owner may have removed the file before the lock was had.
        if is_at(&owner, &path) {
            owner.set_len(0)?;
            write!(owner, "{SIGNATURE} process {}", std::process::id())?;
            return Ok(Claim::Held(Workspace {
                folder: folder.to_owned(),
                _owner: owner,
                created: Created::default(),
                stays: false,
            }));
        }
    }
}

/// Returns true if a run of this program made the folder.
fn is_signed(folder: &Path) -> bool {
    let path = folder.join(OWNER);
    let is_small_file = |metadata: fs::Metadata| metadata.is_file() && metadata.len() < 100;
    fs::symlink_metadata(&path).is_ok_and(is_small_file)
        && fs::read(&path).is_ok_and(|text| text.is_empty() || text.starts_with(SIGNATURE.as_bytes()))
}

/// Creates a folder that nobody else can enter, since its name is known beforehand.
fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Returns true if this user owns the folder: another one could lead our files elsewhere.
#[cfg(unix)]
fn is_own_folder(folder: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = match fs::symlink_metadata(folder) {
        // The last owner has just removed it, and it is created anew.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
        other => other?,
    };
    Ok(metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_own_folder(folder: &Path) -> io::Result<bool> {
    Ok(fs::symlink_metadata(folder)?.is_dir())
}

/// Returns true if the open file is the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let place = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let (open, named) = (file.metadata().map(place), fs::symlink_metadata(path).map(place));
    matches!((open, named), (Ok(open), Ok(named)) if open == named)
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}
