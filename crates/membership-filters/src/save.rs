//! Writes files that appear when they are complete.

use core::fmt;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file so that its name always stands for a complete file: the old one until the new one is on the disk. Needs
/// the feature `save`.
///
/// `write` gets a temporary file in the same folder, which is flushed, synced and renamed to `path`; then the folder is
/// synced. A crash, an error or a full disk at any time leaves the old file, and at worst a temporary file whose name
/// begins with `.tmp`. A link is followed, and the permissions of a file that is replaced are kept.
///
/// ```
/// use membership_filters::{BloomFilter, Parameters, Utf8, envelope, save};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("known.bloom");
/// let mut known = BloomFilter::new(Utf8, &Parameters::new(1000, 0.01)?)?;
/// known.insert("apple");
/// save(&path, |file| envelope::write_to(&known, file))?;
///
/// let read: BloomFilter<Utf8> = envelope::from_bytes(&std::fs::read(&path)?, Utf8)?;
/// assert_eq!(read, known);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The errors of `write` and of the system, with the name of the file; and [`io::ErrorKind::InvalidInput`] if `path` is something else than a file,
/// such as a folder or a device.
pub fn save(path: impl AsRef<Path>, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let path = path.as_ref();
    save_as(path, write).map_err(|cause| {
        let path = path.to_path_buf();
        io::Error::new(cause.kind(), Unsaved { path, cause })
    })
}

/// An error that names the file that was to be written.
#[derive(Debug)]
struct Unsaved {
    path: PathBuf,
    cause: io::Error,
}

impl fmt::Display for Unsaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.cause)
    }
}

impl core::error::Error for Unsaved {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.cause)
    }
}

fn save_as(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let (path, permissions) = match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file"));
        }
        Ok(metadata) => (path.canonicalize()?, Some(metadata.permissions())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => (path.to_path_buf(), None),
        Err(error) => return Err(error),
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // The permissions of any new file, instead of the owner's alone.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(|error| {
        // This error would name the temporary file.
        fs::metadata(folder).err().unwrap_or_else(|| error.kind().into())
    })?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    let mut buffered = BufWriter::new(&mut file);
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|error| error.error)?;
    // Elsewhere a folder cannot be opened.
    #[cfg(unix)]
    fs::File::open(folder)?.sync_all()?;
    Ok(())
}
