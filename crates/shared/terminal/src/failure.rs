//! The reasons why a command fails, and their exit codes.

use std::fmt::{self, Display};
use std::io::{self, Write as _};
use std::path::Path;

use crate::progress::Cancelled;
use crate::system;

/// The reason why a command stopped early. It determines the exit code.
///
/// Its `Debug` form is the message, so that `main` may return it.
#[derive(thiserror::Error)]
pub enum Failure {
    /// The user's input or arguments are wrong: 2.
    #[error("{0}")]
    Input(String),
    /// A check or the program failed: 1.
    #[error("{0}")]
    Internal(String),
    /// A file is of another program, or of another version of this one: 1.
    #[error("{0}")]
    Foreign(String),
    /// A file was changed after this program wrote it: 1.
    #[error("{0}")]
    Changed(String),
    /// A check failed and has printed its own message: 1.
    #[error("a check failed")]
    Checked,
    /// Ctrl-C: 130, as shells expect.
    #[error("stopped; nothing incomplete was written")]
    Interrupted,
    /// The reader of standard output closed it: 0.
    #[error("standard output was closed")]
    OutputClosed,
}

impl Failure {
    /// Returns the failure for wrong input or arguments.
    pub fn input(message: impl Display) -> Self {
        Self::Input(message.to_string())
    }

    /// Returns the failure of a check or of the program.
    pub fn internal(message: impl Display) -> Self {
        Self::Internal(message.to_string())
    }

    /// Returns a closure that turns a system error about a file or folder into a failure.
    pub fn system(path: &Path) -> impl Fn(io::Error) -> Self {
        |error| Self::internal(system::text(&error)).about(path)
    }

    /// Names the file or folder that the failure concerns.
    #[must_use]
    pub fn about(self, path: &Path) -> Self {
        let about = |reason: String| format!("{}: {reason}", path.display());
        match self {
            Self::Input(reason) => Self::Input(about(reason)),
            Self::Internal(reason) => Self::Internal(about(reason)),
            Self::Foreign(reason) => Self::Foreign(about(reason)),
            Self::Changed(reason) => Self::Changed(about(reason)),
            other => other,
        }
    }

    /// Prints the message to standard error. Returns the exit code.
    pub fn report(self) -> u8 {
        let (label, code) = match self {
            Self::Input(_) => (Some("error: "), 2),
            Self::Internal(_) | Self::Foreign(_) | Self::Changed(_) => (Some("error: "), 1),
            Self::Checked => (None, 1),
            Self::Interrupted => (Some(""), 130),
            Self::OutputClosed => (None, 0),
        };
        if let Some(label) = label {
            // If standard error is closed, there is nowhere to report this.
            let _ = writeln!(io::stderr(), "{label}{}", escaped(&self.to_string()));
        }
        code
    }
}

/// Returns a text without control characters but line feeds: those of a file's name could move a terminal's cursor.
pub fn escaped(text: &str) -> String {
    let escape = |c: char| match c.is_control() && c != '\n' {
        true => c.escape_unicode().to_string(),
        false => c.to_string(),
    };
    text.chars().map(escape).collect()
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl From<Cancelled> for Failure {
    fn from(Cancelled: Cancelled) -> Self {
        Self::Interrupted
    }
}

/// Converts an error of standard output, the only I/O errors for which commands have no message of their own.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::OutputClosed
        } else {
            Self::Internal(format!("standard output: {error}"))
        }
    }
}
