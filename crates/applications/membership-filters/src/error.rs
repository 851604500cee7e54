//! The error type of the crate.

use alloc::boxed::Box;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::{self, Display};
use core::mem::discriminant;
#[cfg(feature = "std")]
use std::{io, path::Path, path::PathBuf};

/// The reason why a filter was not made, changed, read or written. The fields have the value at fault.
///
/// It has the size of two pointers, because insertions return it.
///
/// ```
/// use membership_filters::{Error, Parameters};
///
/// let error = Parameters::new(1000, 1.5).unwrap_err();
/// assert!(matches!(&error, Error::InvalidArgument(rate) if rate.given == "1.5"));
/// assert_eq!(
///     error.to_string(),
///     "the false-positive rate must be above 0 and below 1, got 1.5"
/// );
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// An argument is out of its range.
    InvalidArgument(Box<Violation>),
    /// The filter would be larger than its format or this platform allows.
    TooLarge(Box<Violation>),
    /// The allocator refused the memory.
    OutOfMemory {
        /// The number of bytes.
        bytes: usize,
    },
    /// Two filters differ in a parameter, so they cannot be combined; or a stored filter or a hash belongs to another funnel.
    Incompatible(Box<Violation>),
    /// A cuckoo filter, or a chain of RedisBloom that does not scale or has some thousand links, has no room for another key.
    Full(Box<Violation>),
    /// A cuckoo filter holds as many copies of a fingerprint as fit.
    TooManyCopies,
    /// Another rebuild of the slot is under way.
    RebuildUnderWay,
    /// The bytes end before the filter does.
    Truncated(Box<Violation>),
    /// Further bytes follow the filter.
    TrailingBytes(Box<Violation>),
    /// The bytes do not start like a filter of this kind.
    WrongFormat(Box<Violation>),
    /// The bytes have a version of the format that this crate does not read.
    UnsupportedVersion(Box<Violation>),
    /// A stored field has a value that no filter has, or that contradicts the contents.
    InvalidField(Box<Violation>),
    /// The bytes have changed since they were written.
    ChecksumMismatch(Box<Violation>),
    /// There is no file of this name.
    #[cfg(feature = "std")]
    NotFound(Box<IoFailure>),
    /// The reader failed, or the file could not be opened.
    #[cfg(feature = "std")]
    Read(Box<IoFailure>),
    /// A file was not written.
    #[cfg(feature = "std")]
    Write(Box<IoFailure>),
}

/// A value that is not allowed: "WHAT must be ALLOWED, got GIVEN".
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The argument, parameter or field.
    pub what: String,
    /// The allowed values.
    pub allowed: String,
    /// The value at fault; of bytes that are another filter, with the form that they seem to have.
    pub given: String,
    /// The file that was read, if it was one.
    #[cfg(feature = "std")]
    pub path: Option<PathBuf>,
}

/// An error of the system or of a reader.
#[cfg(feature = "std")]
#[derive(Debug)]
#[non_exhaustive]
pub struct IoFailure {
    /// The file, if it was one.
    pub path: Option<PathBuf>,
    /// The error.
    pub source: io::Error,
}

impl Violation {
    /// Creates "WHAT must be ALLOWED, got GIVEN", for an [`Error`] of this crate or of one that builds on it.
    #[cold]
    pub fn new(what: impl Display, allowed: impl Display, given: impl Display) -> Box<Self> {
        Box::new(Self {
            what: what.to_string(),
            allowed: allowed.to_string(),
            given: given.to_string(),
            #[cfg(feature = "std")]
            path: None,
        })
    }
}

impl Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "std")]
        write_path(f, self.path.as_deref())?;
        write!(f, "{} must be {}, got {}", self.what, self.allowed, self.given)
    }
}

#[cfg(feature = "std")]
fn write_path(f: &mut fmt::Formatter<'_>, path: Option<&Path>) -> fmt::Result {
    path.map_or(Ok(()), |path| write!(f, "{}: ", path.display()))
}

impl Error {
    /// Creates the error for an argument out of its range.
    #[cold]
    pub(crate) fn argument(what: impl Display, allowed: impl Display, given: impl Display) -> Self {
        Self::InvalidArgument(Violation::new(what, allowed, given))
    }

    /// Reserves memory for so many more items.
    pub(crate) fn reserve<T>(items: &mut Vec<T>, more: usize) -> Result<(), Self> {
        let bytes = (items.len() + more).saturating_mul(size_of::<T>());
        (items.try_reserve_exact(more)).map_err(|_| Self::OutOfMemory { bytes })
    }

    /// Checks that two filters have the same value of a parameter; `what` is the parameter's name in the plural.
    ///
    /// # Errors
    ///
    /// [`Error::Incompatible`] with both values.
    pub fn check_equal<T: PartialEq + fmt::Debug + ?Sized>(
        what: &str,
        ours: &T,
        theirs: &T,
    ) -> Result<(), Self> {
        if ours == theirs {
            return Ok(());
        }
        let what = format_args!("the {what} of both filters");
        let given = format_args!("{ours:?} and {theirs:?}");
        Err(Self::Incompatible(Violation::new(what, "equal", given)))
    }

    /// Creates the error for a hash of a funnel that is not equal to the filter's.
    #[cold]
    pub(crate) fn other_funnel() -> Self {
        let (what, allowed) = ("the funnel of the hash", "equal to the filter's");
        Self::Incompatible(Violation::new(what, allowed, "another one"))
    }

    /// Checks a false-positive rate; written so that it refuses a NaN.
    pub(crate) fn check_rate(rate: f64) -> Result<(), Self> {
        if rate > 0.0 && rate < 1.0 {
            return Ok(());
        }
        let (what, given) = ("the false-positive rate", format_args!("{rate:?}"));
        Err(Self::argument(what, "above 0 and below 1", given))
    }

    /// Names the file that the error is about.
    #[cfg(feature = "std")]
    pub(crate) fn of_file(mut self, path: &Path) -> Self {
        let path = Some(path.into());
        match &mut self {
            Self::OutOfMemory { .. } | Self::TooManyCopies | Self::RebuildUnderWay => {}
            Self::NotFound(failure) | Self::Read(failure) | Self::Write(failure) => failure.path = path,
            Self::InvalidArgument(violation)
            | Self::TooLarge(violation)
            | Self::Incompatible(violation)
            | Self::Full(violation)
            | Self::Truncated(violation)
            | Self::TrailingBytes(violation)
            | Self::WrongFormat(violation)
            | Self::UnsupportedVersion(violation)
            | Self::InvalidField(violation)
            | Self::ChecksumMismatch(violation) => violation.path = path,
        }
        self
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfMemory { bytes } => write!(f, "out of memory: the allocator refused {bytes} bytes"),
            Self::TooManyCopies => f.write_str("the copies of a fingerprint must be at most 8, got 9"),
            Self::RebuildUnderWay => f.write_str("another rebuild of this slot is under way"),
            #[cfg(feature = "std")]
            Self::NotFound(failure) => failure.write(f, "opening"),
            #[cfg(feature = "std")]
            Self::Read(failure) => failure.write(f, "reading"),
            #[cfg(feature = "std")]
            Self::Write(failure) => failure.write(f, "writing"),
            Self::InvalidArgument(violation)
            | Self::TooLarge(violation)
            | Self::Incompatible(violation)
            | Self::Full(violation)
            | Self::Truncated(violation)
            | Self::TrailingBytes(violation)
            | Self::WrongFormat(violation)
            | Self::UnsupportedVersion(violation)
            | Self::InvalidField(violation)
            | Self::ChecksumMismatch(violation) => violation.fmt(f),
        }
    }
}

#[cfg(feature = "std")]
impl IoFailure {
    fn write(&self, f: &mut fmt::Formatter<'_>, verb: &str) -> fmt::Result {
        write_path(f, self.path.as_deref())?;
        write!(f, "{verb} the filter failed: {}", self.source)
    }
}

#[cfg(feature = "std")]
impl From<io::Error> for Box<IoFailure> {
    fn from(source: io::Error) -> Self {
        Self::new(IoFailure { path: None, source })
    }
}

impl core::error::Error for Error {
    #[cfg(feature = "std")]
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::NotFound(failure) | Self::Read(failure) | Self::Write(failure) => Some(&failure.source),
            _ => None,
        }
    }
}

/// Errors are equal if their variants and texts are.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other) && self.to_string() == other.to_string()
    }
}

impl Eq for Error {}
