//! How a command ends when it does not end well.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// Why a command stopped early; decides the exit code.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The user's input or arguments are wrong: 2.
    Input(String),
    /// A check failed, or the program did: 1.
    Internal(String),
    /// A check failed that has said so itself: 1.
    Checked,
    /// The reader of standard output closed it early: 0.
    OutputClosed,
}

impl Failure {
    /// A check failed, or the program did.
    pub(crate) fn internal(message: impl Display) -> Self {
        Self::Internal(message.to_string())
    }

    /// Writes the message to standard error and returns the exit code.
    pub(crate) fn report(self) -> ExitCode {
        let (message, code) = match self {
            Self::Input(message) => (Some(message), 2),
            Self::Internal(message) => (Some(message), 1),
            Self::Checked => (None, 1),
            Self::OutputClosed => (None, 0),
        };
        if let Some(message) = message {
            // Standard error may be closed; there is nobody left to tell.
            let _ = writeln!(io::stderr(), "error: {message}");
        }
        ExitCode::from(code)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::OutputClosed
        } else {
            Self::Internal(format!("standard output: {error}"))
        }
    }
}
