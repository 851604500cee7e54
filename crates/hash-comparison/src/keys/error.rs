//! Why a dataset cannot be had.

use std::fmt;
use std::io::ErrorKind;
use std::path::PathBuf;

use crate::keys::TooLarge;
use crate::names::UnknownName;
use crate::progress::Cancelled;
use crate::system;

/// Why a dataset cannot be had.
#[derive(Debug)]
#[non_exhaustive]
pub enum DatasetError {
    /// No embedded dataset has this name.
    Unknown(UnknownName),
    /// The keys of an embedded dataset are not those of the manifest.
    Mismatch {
        /// The dataset.
        name: String,
        /// `count`, `bytes` or `sha256`.
        field: &'static str,
        /// What the manifest says.
        expected: String,
        /// What came out.
        got: String,
    },
    /// The manifest describes a dataset of which the program has no keys.
    NoSource {
        /// The dataset.
        name: String,
    },
    /// The key file cannot be opened or read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is a folder where a key file should be.
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// The key file has no line.
    NoKeys {
        /// The file.
        path: PathBuf,
    },
    /// The key file is longer than a key set holds.
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How long it is.
        source: TooLarge,
    },
    /// The path has no file name, or one with a control character, to name the dataset after.
    NoName {
        /// The path.
        path: PathBuf,
    },
    /// The file's stem is the name of an embedded dataset.
    NameOfEmbedded {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// Two files have one stem.
    SameName {
        /// The file that came first.
        first: PathBuf,
        /// The other one.
        second: PathBuf,
        /// The stem of both.
        name: String,
    },
    /// The run was asked to stop while keys were read.
    Cancelled(Cancelled),
}

impl DatasetError {
    /// Whether the user can mend it; if not, this program is at fault.
    pub fn is_input(&self) -> bool {
        !matches!(
            self,
            Self::Mismatch { .. } | Self::NoSource { .. } | Self::Cancelled(_)
        )
    }
}

impl fmt::Display for DatasetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(unknown) => unknown.fmt(f),
            Self::Cancelled(cancelled) => cancelled.fmt(f),
            Self::Mismatch {
                name,
                field,
                expected,
                got,
            } => write!(
                f,
                "dataset {name}: {field} is {got}, the manifest says {expected}"
            ),
            Self::NoSource { name } => write!(
                f,
                "dataset {name}: the manifest gives no recipe, and no file of this name is inside the program"
            ),
            Self::Unreadable { path, source } => {
                let advice = match source.kind() {
                    ErrorKind::NotFound | ErrorKind::NotADirectory => "check the path",
                    ErrorKind::PermissionDenied => "allow reading it, or give another file",
                    ErrorKind::OutOfMemory => "split the file",
                    _ => "give another file, or a copy of it",
                };
                write!(
                    f,
                    "{}: cannot read the keys: {}; {advice}",
                    path.display(),
                    system::text(source)
                )
            }
            Self::Folder { path } => {
                write!(
                    f,
                    "{}: is a folder; give a file with one key a line",
                    path.display()
                )
            }
            Self::NoKeys { path } => {
                write!(
                    f,
                    "{}: no keys: the file is empty; give one key a line",
                    path.display()
                )
            }
            Self::TooLarge { path, source } => write!(f, "{}: {source}", path.display()),
            Self::NoName { path } => write!(
                f,
                "{}: the dataset is named after the file's name without its extension; \
                 it needs one, without control characters: rename or copy the file",
                path.display()
            ),
            Self::NameOfEmbedded { path, name } => write!(
                f,
                "{}: {name} is the name of an embedded dataset; rename or copy the file",
                path.display()
            ),
            Self::SameName { first, second, .. } if first == second => {
                write!(f, "{}: given twice; name each file once", first.display())
            }
            Self::SameName { first, second, name } => write!(
                f,
                "{} and {} would both be the dataset {name}; rename or copy one of them",
                first.display(),
                second.display()
            ),
        }
    }
}

impl std::error::Error for DatasetError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable { source, .. } => Some(source),
            Self::TooLarge { source, .. } => Some(source),
            _ => None,
        }
    }
}
