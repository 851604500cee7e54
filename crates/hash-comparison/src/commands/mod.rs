//! The commands that work on keys and runs, one file each: arguments and messages only.

pub mod compare;
pub mod join;
pub mod list;
pub mod render;
pub mod reproduce;
pub mod summary;
pub mod written;

use filter_tools::failure::Failure;

use crate::error::{Error, ErrorKind};
use crate::program::Program;

/// Splits a table header into its column names.
fn columns(names: &str) -> Vec<&str> {
    names.split(" | ").collect()
}

/// Maps each kind of error to the way a command exits.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Cancelled => Self::Interrupted,
            ErrorKind::UnknownName => {
                Self::input(format!("{error}; `{} list` shows all", Program::started().name))
            }
            ErrorKind::Input => Self::input(error),
            _ => Self::internal(error),
        }
    }
}
