//! The reasons why a command fails, and their exit codes.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// The reason why a command stopped early. It determines the exit code.
#[derive(Debug)]
pub enum Failure {
    /// The user's input or arguments are wrong: 2.
    Input(String),
    /// A check or the program failed: 1.
    Internal(String),
    /// A check failed and has printed its own message: 1.
    Checked,
    /// Ctrl-C: 130, as shells expect.
    Interrupted,
    /// The reader of standard output closed it: 0.
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

    /// Prints the message to standard error. Returns the exit code.
    pub fn report(self) -> ExitCode {
        let (message, code) = match self {
            Self::Input(message) => (Some(message), 2),
            Self::Internal(message) => (Some(message), 1),
            Self::Checked => (None, 1),
            Self::Interrupted => (Some("stopped; nothing was written".to_owned()), 130),
            Self::OutputClosed => (None, 0),
        };
        if let Some(message) = message {
            let label = if code == 130 { "" } else { "error: " };
            // If standard error is closed, there is nowhere to report this.
            let _ = writeln!(io::stderr(), "{label}{message}");
        }
        ExitCode::from(code)
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

/// Maps each kind of error to the way a command exits.
#[cfg(feature = "runs")]
impl From<crate::error::Error> for Failure {
    fn from(error: crate::error::Error) -> Self {
        use crate::error::ErrorKind;

        match error.kind() {
            ErrorKind::Cancelled => Self::Interrupted,
            ErrorKind::Input => Self::input(error),
            _ => Self::internal(error),
        }
    }
}
