//! The error type of the crate.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// An error: its kind, and a text that names the value at fault.
///
/// [`Error::kind`] is for programs, the text for people: mostly "THING must be RANGE, got VALUE".
///
/// ```
/// use membership_filters::{ErrorKind, Parameters};
///
/// let error = Parameters::new(1000, 1.5).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::InvalidArgument);
/// assert_eq!(
///     error.to_string(),
///     "the false-positive rate must be above 0 and below 1, got 1.5"
/// );
/// ```
#[derive(Debug)]
pub struct Error(Box<Failure>);

#[derive(Debug)]
struct Failure {
    kind: ErrorKind,
    text: String,
    #[cfg(feature = "std")]
    source: Option<std::io::Error>,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument is out of its range.
    InvalidArgument,
    /// The filter would be larger than its format or this platform allows.
    TooLarge,
    /// The allocator refused the memory.
    OutOfMemory,
    /// Two filters differ in a parameter, so they cannot be combined; or a stored filter or a hash belongs to another funnel.
    Incompatible,
    /// A cuckoo filter, or a chain of RedisBloom that does not scale or has some thousand links, has no room for another key.
    Full,
    /// A cuckoo filter holds as many copies of a fingerprint as fit.
    TooManyCopies,
    /// Another rebuild of the slot is under way.
    RebuildUnderWay,
    /// The bytes end before the filter does.
    Truncated,
    /// Further bytes follow the filter.
    TrailingBytes,
    /// The bytes do not start like a filter of this kind.
    WrongFormat,
    /// The bytes have a version of the format that this crate does not read.
    UnsupportedVersion,
    /// A stored field has a value that no filter has, or that contradicts the contents.
    InvalidField,
    /// The bytes have changed since they were written.
    ChecksumMismatch,
    /// There is no file of this name.
    NotFound,
    /// The reader failed; [`source`](core::error::Error::source) is its error.
    Read,
    /// A file was not written; [`source`](core::error::Error::source) is the error of the system.
    Write,
}

impl Error {
    /// Creates the error "THING must be RANGE, got VALUE", for crates that build on this one.
    #[cold]
    pub fn new(
        kind: ErrorKind,
        thing: impl fmt::Display,
        range: impl fmt::Display,
        got: impl fmt::Display,
    ) -> Self {
        Self::with_text(kind, format!("{thing} must be {range}, got {got}"))
    }

    /// Creates the error for an argument out of its range.
    #[cold]
    pub(crate) fn argument(
        thing: impl fmt::Display,
        range: impl fmt::Display,
        got: impl fmt::Display,
    ) -> Self {
        Self::new(ErrorKind::InvalidArgument, thing, range, got)
    }

    /// Reserves memory for so many more items.
    pub(crate) fn reserve<T>(items: &mut Vec<T>, more: usize) -> Result<(), Self> {
        let bytes = (items.len() + more).saturating_mul(size_of::<T>());
        (items.try_reserve_exact(more)).map_err(|_| Self::out_of_memory(bytes))
    }

    /// Creates the error for a failed allocation of this many bytes.
    #[cold]
    pub fn out_of_memory(bytes: impl fmt::Display) -> Self {
        let text = format!("out of memory: the allocator refused {bytes} bytes");
        Self::with_text(ErrorKind::OutOfMemory, text)
    }

    /// Checks that two filters have the same value of a parameter; `what` is the parameter's name in the plural.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Incompatible`] with both values.
    pub fn check_equal<T: PartialEq + fmt::Debug + ?Sized>(
        what: &str,
        ours: &T,
        theirs: &T,
    ) -> Result<(), Self> {
        if ours == theirs {
            return Ok(());
        }
        let thing = format_args!("the {what} of both filters");
        let got = format_args!("{ours:?} and {theirs:?}");
        Err(Self::new(ErrorKind::Incompatible, thing, "equal", got))
    }

    /// Creates the error for bytes behind the filter, which ends after `taken`.
    pub(crate) fn trailing(taken: u64, got: impl fmt::Display) -> Self {
        Self::new(ErrorKind::TrailingBytes, "the length in bytes", taken, got)
    }

    /// Creates the error for a hash of a funnel that is not equal to the filter's.
    #[cold]
    pub fn other_funnel() -> Self {
        let (thing, range) = ("the funnel of the hash", "equal to the filter's");
        Self::new(ErrorKind::Incompatible, thing, range, "another one")
    }

    /// Checks a false-positive rate; written so that it refuses a NaN.
    pub(crate) fn check_rate(rate: f64) -> Result<(), Self> {
        if rate > 0.0 && rate < 1.0 {
            return Ok(());
        }
        let (thing, got) = ("the false-positive rate", format_args!("{rate:?}"));
        Err(Self::argument(thing, "above 0 and below 1", got))
    }

    /// Creates the error for a rate that not even the largest parameters reach.
    pub(crate) fn unreachable_rate(lowest: f64, given: f64) -> Self {
        let (thing, range) = ("the false-positive rate", format_args!("at least {lowest:e}"));
        Self::argument(thing, range, format_args!("{given:e}"))
    }

    fn with_text(kind: ErrorKind, text: String) -> Self {
        Self(Box::new(Failure {
            kind,
            text,
            #[cfg(feature = "std")]
            source: None,
        }))
    }

    /// Adds what form of filter of this length begins with these bytes, if they tell it.
    pub(crate) fn with_form_of(mut self, head: &[u8], len: Option<u64>) -> Self {
        if let Some(form) = crate::form::form_of(head, len) {
            self.0.text.push_str(": these bytes seem to be ");
            self.0.text.push_str(form);
        }
        self
    }

    /// Returns the error with another kind: for example, an invalid argument that came from stored bytes is an invalid
    /// field.
    #[must_use]
    pub fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Names the file that the error is about.
    #[cfg(feature = "std")]
    pub(crate) fn of_file(mut self, path: &std::path::Path) -> Self {
        self.0.text = format!("{}: {}", path.display(), self.0.text);
        self
    }

    #[cfg(feature = "std")]
    pub(crate) fn io(kind: ErrorKind, what: &str, error: std::io::Error) -> Self {
        let mut this = Self::with_text(kind, format!("{what} failed: {error}"));
        this.0.source = Some(error);
        this
    }

    /// Returns the kind of failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }
}

/// Errors are equal if their kinds and texts are.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        (self.0.kind, &self.0.text) == (other.0.kind, &other.0.text)
    }
}

impl Eq for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl core::error::Error for Error {
    #[cfg(feature = "std")]
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.0.source.as_ref().map(|error| error as _)
    }
}

/// The result of an insertion, by `Slot::apply` for example: `()`, `bool`, or a `Result`.
pub trait Outcome {
    /// Returns whether the filter did not take the key.
    fn is_error(&self) -> bool {
        false
    }
}

impl Outcome for () {}
impl Outcome for bool {}

impl<T, E> Outcome for Result<T, E> {
    #[inline]
    fn is_error(&self) -> bool {
        self.is_err()
    }
}
