//! The failure of a command.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// The failure of a command: a message, unless it is already written, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    message: Option<String>,
    code: u8,
}

impl Failure {
    /// A failed check that has already written its message.
    pub(crate) const CHECKED: Self = Self {
        message: None,
        code: 1,
    };

    /// The user's input or arguments are wrong.
    pub(crate) fn input(message: impl Display) -> Self {
        let message = Some(message.to_string());
        Self { message, code: 2 }
    }

    /// Writes the message to standard error and returns the exit code.
    pub(crate) fn report(self) -> ExitCode {
        if let Some(message) = self.message {
            // Standard error may be closed, and then nobody can read the message.
            let _ = writeln!(io::stderr(), "error: {message}");
        }
        ExitCode::from(self.code)
    }
}

/// A check or the program failed.
impl From<String> for Failure {
    fn from(message: String) -> Self {
        let message = Some(message);
        Self { message, code: 1 }
    }
}

/// Converts errors of standard output. A reader that closes it early is not an error.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self {
                code: 0,
                ..Self::CHECKED
            },
            _ => format!("standard output: {error}").into(),
        }
    }
}
