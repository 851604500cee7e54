//! How a command ends when it does not end well.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// The reason why a command stopped early; decides the exit code.
#[derive(Debug)]
pub enum Failure {
    /// The user's input or arguments are wrong: 2.
    Input(String),
    /// A check or the program failed: 1.
    Internal(String),
    /// A check failed that has said so itself: 1.
    Checked,
    /// Ctrl-C: 130, as shells expect.
    Interrupted,
    /// Whoever read standard output has seen enough: 0.
    OutputClosed,
}

impl Failure {
    /// The user's input or arguments are wrong.
    pub fn input(message: impl Display) -> Self {
        Self::Input(message.to_string())
    }

    /// A check or the program failed.
    pub fn internal(message: impl Display) -> Self {
        Self::Internal(message.to_string())
    }

    /// Says what there is to say on standard error, and gives the exit code.
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
            // Nobody is left to be told when standard error is closed.
            let _ = writeln!(io::stderr(), "{label}{message}");
        }
        ExitCode::from(code)
    }
}

/// Writing to standard output is the one thing that commands let the system fail at without a word of their own.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::OutputClosed
        } else {
            Self::Internal(format!("standard output: {error}"))
        }
    }
}
