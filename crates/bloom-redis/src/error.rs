//! What can go wrong, in one type.

use core::time::Duration;

use redis::RedisError;

use crate::names::display;
use crate::trouble::Trouble;

/// Why an operation was not done, or not done in full.
///
/// An insert that fails may have set bits all the same; repeating it is always safe, but "new" may then say "seen".
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The filter is not on the server, and a missing filter is not an empty one (see
    /// [`Missing::Reported`](crate::Missing::Reported)). Of a batch, elements whose bits lie in parts that are there, or that
    /// went with an earlier round trip, may have been inserted.
    #[error("{}: the filter is not on the server", display(.key))]
    Missing {
        /// The filter's key, or the first of them that is missing.
        key: Vec<u8>,
    },
    /// The prefix has no parameter record.
    #[error("{}: no parameter record; adopt the filter", display(.key))]
    Unrecorded {
        /// Where it was looked for.
        key: Vec<u8>,
    },
    /// The parameter record says something else than the caller.
    #[error("{}: {what} is {stored} on the server, {given} was given", display(.key))]
    Mismatch {
        /// Where the record is.
        key: Vec<u8>,
        /// The parameter.
        what: &'static str,
        /// What the server holds.
        stored: String,
        /// What the caller asked for.
        given: String,
    },
    /// A value on the server is not what this crate, or a program of the same design, writes there.
    #[error("{}: {found} where {expected} should be", display(.key))]
    Malformed {
        /// Where it is.
        key: Vec<u8>,
        /// What it should be.
        expected: &'static str,
        /// What it is, as far as it can be shown.
        found: String,
    },
    /// Another rebuild of the filter is under way, or was left and its lease still runs.
    #[error("{}: another rebuild is under way", display(.key))]
    RebuildUnderWay {
        /// The filter's key.
        key: Vec<u8>,
    },
    /// Two filters that cannot be one: they differ in a parameter.
    #[error("{what} is {here} here, {there} there")]
    Incompatible {
        /// The parameter.
        what: &'static str,
        /// Its value in the filter that would have been changed.
        here: String,
        /// Its value in the other.
        there: String,
    },
    /// The filter has as many bitmaps as it may have.
    #[error("the filter has {bitmaps} bitmaps, and no more are allowed")]
    Full {
        /// Bitmaps that there are.
        bitmaps: u64,
    },
    /// The operation is done by a script, and [`Commands`](crate::Commands) forbids them.
    #[error("{what} takes scripts, which are switched off")]
    NeedsScripts {
        /// The operation.
        what: &'static str,
    },
    /// The operation is one step on all keys of the filter, and it is spread over several slots of a cluster.
    #[error("{what} takes keys in one slot, the filter is spread over several")]
    Spread {
        /// The operation.
        what: &'static str,
    },
    /// The filter was replaced by rebuilds while it was downloaded, or while a growing one was inserted into without scripts,
    /// several times in a row.
    #[error("{}: replaced again and again meanwhile", display(.key))]
    Replaced {
        /// The filter's key.
        key: Vec<u8>,
    },
    /// A time to live must be 1 ms to 2^53 ms.
    #[error("time to live: {given:?}, from 1 ms to 2^53 ms is allowed")]
    Expiry {
        /// What the caller gave.
        given: Duration,
    },
    /// The master did the insert, but too few replicas said so in time.
    #[error("{reached} replicas have the insert, {wanted} were asked for")]
    Replication {
        /// Replicas that had to.
        wanted: u32,
        /// Replicas that did.
        reached: u32,
    },
    /// The reply is not one that the command has. A proxy, or a defect.
    #[error("reply: {found} where {expected} was expected")]
    Reply {
        /// What was expected.
        expected: &'static str,
        /// What came.
        found: String,
    },
    /// The server, or the way to it.
    #[error("{source}")]
    Server {
        /// What kind of failure it is.
        trouble: Trouble,
        /// What the client says of it.
        source: RedisError,
    },
}

impl Error {
    /// The kind of failure, if it is one of the server or of the way to it.
    #[must_use]
    pub const fn trouble(&self) -> Option<Trouble> {
        match self {
            Self::Server { trouble, .. } => Some(*trouble),
            _ => None,
        }
    }
}

impl From<RedisError> for Error {
    fn from(source: RedisError) -> Self {
        Self::Server {
            trouble: Trouble::of(&source),
            source,
        }
    }
}
