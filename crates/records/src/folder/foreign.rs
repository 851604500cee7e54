//! Foreign files beside those of a run, which follow the report into its new folder.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::Kind;
use crate::document::RUN;

/// Prefix of the names of folders for unfinished files.
pub(super) const PREFIX: &str = ".hash-comparison-";

/// The files of a run, as opposed to foreign files beside them.
pub(super) enum Own {
    Listed(Vec<String>),
    /// Every name that a run can write, where no list can be read.
    Possible(&'static Kind),
}

impl Own {
    /// Returns the files of the run in a folder of unfinished files.
    pub(super) fn of(report: &Path, kind: &'static Kind) -> Self {
        (kind.list)(&report.join(RUN)).map_or(Self::Possible(kind), Self::Listed)
    }

    fn contains(&self, name: &Path) -> bool {
        let Some(name) = name.to_str() else {
            return false;
        };
        match self {
            Self::Listed(names) => names.iter().any(|own| own == name),
            Self::Possible(kind) => kind.is_ours(name),
        }
    }
}

/// Calls `each` with the path, relative to `folder`, of every folder and every foreign file in it, a folder before its
/// contents. Links are not followed.
pub(super) fn for_each_foreign(
    folder: &Path,
    own: &Own,
    each: &mut dyn FnMut(&Path, &Metadata) -> io::Result<()>,
) -> io::Result<()> {
    let mut folders = vec![PathBuf::new()];
    while let Some(within) = folders.pop() {
        for entry in fs::read_dir(folder.join(&within))? {
            let entry = entry?;
            let name = within.join(entry.file_name());
            if own.contains(&name) {
                continue;
            }
            let metadata = entry.metadata()?;
            each(&name, &metadata)?;
            if metadata.is_dir() {
                folders.push(name);
            }
        }
    }
    Ok(())
}

/// Links the foreign files of `from` into `to`, with the folders that they are in.
#[cfg(unix)]
pub(super) fn carry(from: &Path, to: &Path, own: &Own) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    let alike = |name: &Path, metadata: &Metadata| {
        let made = fs::symlink_metadata(to.join(name))?;
        let is_alike = made.is_dir() && (made.uid(), made.gid()) == (metadata.uid(), metadata.gid());
        if is_alike {
            Ok(())
        } else {
            Err(io::Error::from(ErrorKind::PermissionDenied))
        }
    };
    let root = fs::metadata(from)?;
    alike(Path::new(""), &root)?;
    let mut folders = vec![(PathBuf::new(), root)];
    for_each_foreign(from, own, &mut |name, metadata| {
        if !metadata.is_dir() {
            return fs::hard_link(from.join(name), to.join(name));
        }
        if name.to_str().is_some_and(|name| name.starts_with(PREFIX)) {
            // Unfinished files lie in the folder itself.
            return Err(ErrorKind::Unsupported.into());
        }
        if let Err(error) = fs::create_dir(to.join(name))
            && error.kind() != ErrorKind::AlreadyExists
        {
            return Err(error);
        }
        alike(name, metadata)?;
        folders.push((name.to_owned(), metadata.clone()));
        Ok(())
    })?;
    // Inner folders first: an outer one may forbid to enter it.
    for (name, metadata) in folders.iter().rev() {
        let path = to.join(name);
        fs::set_permissions(&path, metadata.permissions())?;
        sync(&path)?;
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn carry(_: &Path, _: &Path, _: &Own) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Moves foreign files to the new folder that came into the old one while others were linked.
#[cfg(unix)]
pub(super) fn bring_back(old: &Path, new: &Path, own: &Own) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    if !old.exists() {
        return Ok(());
    }
    for_each_foreign(old, own, &mut |name, metadata| {
        let (from, to) = (old.join(name), new.join(name));
        let now = fs::symlink_metadata(&to);
        if metadata.is_dir() {
            return if now.is_ok() { Ok(()) } else { fs::create_dir(&to) };
        }
        // A link counts as a change, so the later of two different files is the one that the user has.
        let changed = |metadata: &Metadata| (metadata.ctime(), metadata.ctime_nsec());
        match now {
            Ok(now) if now.ino() == metadata.ino() || changed(&now) > changed(metadata) => Ok(()),
            _ => fs::rename(from, to),
        }
    })
}

#[cfg(not(unix))]
pub(super) fn bring_back(_: &Path, _: &Path, _: &Own) -> io::Result<()> {
    Ok(())
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
