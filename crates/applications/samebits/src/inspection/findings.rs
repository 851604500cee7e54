//! Collects descriptions of damage and of what was not read, up to a limit.

use std::fmt::Display;
use std::io;
use std::path::Path;

use filter_tables::Error;
use serde::Serialize;
use terminal::failure::Failure;

use super::shown;

/// The largest number of descriptions of one kind; the rest is only counted.
pub(super) const MAX_MESSAGES: usize = 10;

/// The reason why a file or a filter of it was not read.
#[derive(Debug, PartialEq, Serialize, thiserror::Error)]
pub enum Unread {
    /// A checksum or an offset contradicts the bytes.
    #[error("{0}")]
    #[serde(rename = "damage")]
    Damaged(String),
    /// It may be intact: the system refused it, it is encrypted, or it is not what was queried.
    #[error("{0}")]
    #[serde(rename = "not_read")]
    Other(String),
}

impl From<String> for Unread {
    fn from(reason: String) -> Self {
        Self::Other(reason)
    }
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Self::Other(error.to_string())
    }
}

impl From<Error<io::Error>> for Unread {
    fn from(error: Error<io::Error>) -> Self {
        match is_damage(&error) {
            true => Self::Damaged(error.to_string()),
            false => Self::Other(error.to_string()),
        }
    }
}

impl Unread {
    pub(crate) const fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged(_))
    }

    /// Returns the failure of a command that needs the file at this path.
    pub(crate) fn failure(&self, path: &Path) -> Failure {
        let text = format!("{}: {self}", shown(path));
        match self {
            Self::Damaged(_) => Failure::internal(text),
            Self::Other(_) => Failure::input(text),
        }
    }
}

/// Returns true if an error means that a checksum or an offset contradicts the bytes. What another writer may have
/// written, or the system did not read, may be intact.
const fn is_damage<E>(error: &Error<E>) -> bool {
    matches!(error, Error::Damaged(_) | Error::TooShort { .. })
}

/// Descriptions of one kind.
#[derive(Default)]
pub(super) struct Messages {
    texts: Vec<String>,
    more: u64,
}

impl Messages {
    pub(super) fn add(&mut self, text: &dyn Display) {
        if self.texts.len() < MAX_MESSAGES {
            self.texts.push(text.to_string());
        } else {
            self.more += 1;
        }
    }

    /// Returns the descriptions, and a line that counts the rest.
    pub(super) fn finish(mut self) -> Vec<String> {
        if self.more > 0 {
            self.texts.push(format!("{} more like these", self.more));
        }
        self.texts
    }
}

/// The reason why a part of a file was not read, or is damaged.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) damage: Messages,
    pub(super) not_read: Messages,
}

impl Findings {
    pub(super) fn add_error(&mut self, error: &Error<io::Error>) {
        match is_damage(error) {
            true => self.damage.add(error),
            false => self.not_read.add(error),
        }
    }

    /// Adds the reason why a filter was not counted.
    pub(super) fn add_filter(&mut self, filter: &dyn Display, unread: &Unread) {
        let messages = match unread.is_damage() {
            true => &mut self.damage,
            false => &mut self.not_read,
        };
        messages.add(&format_args!("{filter}: {unread}"));
    }
}
