//! Writes files that appear when they are complete. Ctrl-C and SIGTERM leave no unfinished file.

use std::fs::{self, File};
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::{Mutex, PoisonError};

use guava_bloom::StreamHeader;
use tempfile::NamedTempFile;

use crate::input::Failure;

/// The destination of a filter.
pub(crate) struct Output<'a> {
    path: &'a Path,
    to: Destination,
}

enum Destination {
    /// A file that is moved to its place when it is complete.
    Place {
        file: NamedTempFile,
        place: PathBuf,
        /// Set if it replaces a file.
        replaces: bool,
    },
    /// A device or a pipe, which is written to directly.
    Through(File),
}

impl<'a> Output<'a> {
    /// Checks that a filter can be written under this name: that it is free, an empty file, or another filter. Follows
    /// links. Refuses any other file, which the user may not want to lose.
    pub(crate) fn to(path: &'a Path) -> Result<Self, Failure> {
        let wrong = |error: io::Error| Failure::input(path.display(), error);
        let present = match fs::metadata(path) {
            Ok(metadata) => Some(metadata),
            // A dangling link is also "not found".
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => None,
            Err(error) => return Err(wrong(error)),
        };
        let to = match present {
            Some(metadata) if metadata.is_dir() => {
                return Err(Failure::input(
                    path.display(),
                    "this is a folder; choose another name",
                ));
            }
            Some(metadata) if !metadata.is_file() => {
                Destination::Through(File::options().write(true).open(path).map_err(wrong)?)
            }
            Some(metadata) => {
                if metadata.len() > 0 && !is_filter(path, metadata.len()).map_err(wrong)? {
                    return Err(Failure::input(
                        path.display(),
                        "the file exists and is not a filter; choose another name",
                    ));
                }
                let place = path.canonicalize().map_err(wrong)?;
                let file = beside(&place).map_err(wrong)?;
                file.as_file()
                    .set_permissions(metadata.permissions())
                    .map_err(wrong)?;
                Destination::Place {
                    file,
                    place,
                    replaces: true,
                }
            }
            None => Destination::Place {
                file: beside(path).map_err(wrong)?,
                place: path.to_owned(),
                replaces: false,
            },
        };
        Ok(Self { path, to })
    }

    /// Writes the filter and moves it to its place. If that fails, the place is as it was before.
    pub(crate) fn write(
        self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let unwritten = |error: io::Error| Failure::system(self.path.display(), error);
        match self.to {
            Destination::Through(mut file) => write(&mut file),
            Destination::Place {
                mut file,
                place,
                replaces,
            } => {
                write(&mut file)?;
                file.as_file().sync_all().map_err(unwritten)?;
                let placed = if replaces {
                    file.persist(place)
                } else {
                    file.persist_noclobber(place)
                };
                placed.map(drop).map_err(|error| unwritten(error.error))
            }
        }
    }
}

/// Returns true if a file of this length is a filter and nothing else.
fn is_filter(path: &Path, length: u64) -> io::Result<bool> {
    let mut header = [0; StreamHeader::LEN];
    if length < header.len() as u64 {
        return Ok(false);
    }
    File::open(path)?.read_exact(&mut header)?;
    let header = StreamHeader::from_bytes(header);
    Ok(header.validate().is_ok() && header.stream_len() == length)
}

/// Creates a temporary file in the folder of `path`, with the permissions of any new file instead of the owner's alone.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    #[cfg(unix)]
    remove_on_signal(file.path())?;
    Ok(file)
}

/// Removes the file at the first Ctrl-C or SIGTERM, which then ends the program. A thread waits for the signal, since
/// reading standard input may last for ever.
#[cfg(unix)]
fn remove_on_signal(path: &Path) -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    let unfinished = || UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_first = unfinished().is_empty();
    unfinished().push(path.to_owned());
    if is_first {
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
        std::thread::spawn(move || {
            if signals.forever().next().is_some() {
                for path in unfinished().drain(..) {
                    // A finished file has been moved to its place.
                    let _ = fs::remove_file(path);
                }
                std::process::exit(130);
            }
        });
    }
    Ok(())
}
