//! The reasons why a file gets no filters.

use std::io;
use std::path::{Path, PathBuf};

use filter_parquet::add::AddError;
use terminal::failure::Failure;
use terminal::system;

use crate::commands::wrong;
use crate::inspection::Unread;

/// The reason why a file gets no filters.
#[derive(Debug)]
pub enum Problem {
    /// What was wanted is refused, or the work was stopped.
    Failure(Failure),
    /// The file cannot be opened.
    Input(PathBuf, io::Error),
    /// The first file cannot be copied to the second.
    Copy(PathBuf, PathBuf, io::Error),
    /// A file cannot be written or replaced.
    System(PathBuf, io::Error),
    /// The file is refused, is damaged or cannot be read, or has changed.
    File(PathBuf, AddError<io::Error>),
}

impl Problem {
    pub(super) const STOPPED: Self = Self::Failure(Failure::Interrupted);

    /// Returns a closure that turns a system error about a file or folder into a problem.
    pub(super) fn system(path: &Path) -> impl Fn(io::Error) -> Self {
        |error| Self::System(path.to_owned(), error)
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Problem> for Unread {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::File(_, error) => error.into(),
            Problem::Input(_, error) | Problem::Copy(.., error) | Problem::System(_, error) => error.into(),
            Problem::Failure(failure) => Self::Other(failure.to_string()),
        }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Failure(failure) => failure,
            Problem::Input(path, error) => wrong(&path, system::text(&error)),
            Problem::Copy(input, output, error) => {
                let (output, error) = (output.display(), system::text(&error));
                Self::internal(format_args!("cannot be copied to {output}: {error}")).about(&input)
            }
            Problem::System(path, error) => Self::system(&path)(error),
            Problem::File(_, AddError::Stopped) => Self::Interrupted,
            Problem::File(path, error) => Unread::from(error).failure(&path),
        }
    }
}
