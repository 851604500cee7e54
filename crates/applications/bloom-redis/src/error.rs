//! The error type of the crate.

use core::error::Error as StdError;
use core::fmt::{self, Display};
use core::mem::discriminant;
use std::sync::Arc;

use membership_filters::redisbloom::hash_tag;
use redis::{RedisError, ServerErrorKind};

/// The reason of a failed call ([what to do](crate#guarantees-and-limits)).
///
/// [`source`](core::error::Error::source) is the error of `redis` or `membership-filters`, if one of them failed. A
/// failed insert may still have set bits. Repeating it is always safe, but may report a new key as seen.
///
/// ```
/// use bloom_redis::{Error, Schema};
///
/// let error = Schema::whole_words(1_000, 1.5).unwrap_err();
/// assert!(matches!(error, Error::InvalidArgument(_)));
/// assert_eq!(error.to_string(), "the false-positive rate must be above 0 and below 1, got 1.5");
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Error {
    /// An argument is out of its range: a time, or a size that the design or the machine's memory does not have. Also a
    /// connection inside a `MULTI` of the caller.
    InvalidArgument(Box<Details>),
    /// The filter is not on the server, and a missing filter is not an empty one (see
    /// [`Missing::Reported`](crate::Missing::Reported)). Keys of a batch may have been inserted if they were sent in an
    /// earlier round trip.
    Missing(Box<Details>),
    /// The filter has other parameters than the caller's, or two filters that should be combined differ in one.
    Mismatch(Box<Details>),
    /// A value on the server is not one that this crate, or a program of the same design, writes there: another type or
    /// length, or without the mark that [`FixedFilter::write_marks`](crate::FixedFilter::write_marks) writes.
    Malformed(Box<Details>),
    /// Another rebuild of the filter is under way, or was dropped and its lease still runs.
    RebuildUnderWay(Box<Details>),
    /// The growing filter has the largest allowed number of bitmaps.
    Full(Box<Details>),
    /// The connection is lost, or no reply arrived in time. It is unknown whether the command was executed. A new
    /// connection is needed: a connection manager, a pool that tests its connections, and the cluster client reconnect
    /// by themselves.
    Disconnected(Box<Details>),
    /// The server cannot serve the command now: it loads its data, is busy, out of memory or a replica, its slot is
    /// moving, or rebuilds replaced the filter again and again.
    Unavailable(Box<Details>),
    /// The server refused the command, or a proxy replied something else: rights, an unknown command, keys in several
    /// slots (give the prefix a hash tag).
    Server(Box<Details>),
}

/// The key and the reason that an [`Error`] names, and the error that caused it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Details {
    /// The key of Redis, if the error is about one.
    pub key: Option<Vec<u8>>,
    /// The text without the key: mostly "THING must be RANGE, got VALUE".
    pub reason: String,
    /// The error of `redis` or `membership-filters`, if one of them failed.
    pub source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// A variant of [`Error`].
type Variant = fn(Box<Details>) -> Error;

impl Details {
    /// Creates "THING must be RANGE, got VALUE".
    #[cold]
    pub(crate) fn new(thing: impl Display, range: impl Display, got: impl Display) -> Box<Self> {
        Self::of(None, format!("{thing} must be {range}, got {got}"))
    }

    #[cold]
    pub(crate) fn of_key(key: &[u8], what: impl Display) -> Box<Self> {
        Self::of(Some(key.to_vec()), what.to_string())
    }

    fn of(key: Option<Vec<u8>>, reason: String) -> Box<Self> {
        let source = None;
        Box::new(Self { key, reason, source })
    }

    fn from_source(source: impl StdError + Send + Sync + 'static) -> Box<Self> {
        let mut details = Self::of(None, source.to_string());
        details.source = Some(Arc::new(source));
        details
    }
}

impl Error {
    /// Creates the error for an argument out of its range.
    pub(crate) fn argument(thing: impl Display, range: impl Display, got: impl Display) -> Self {
        Self::InvalidArgument(Details::new(thing, range, got))
    }

    /// Explains the error of a cluster that finds a key and its companions in several slots. (While slots move, it is
    /// `TRYAGAIN`.)
    pub(crate) fn of_slots(self, key: &[u8]) -> Self {
        let has_brace = key.iter().any(|byte| b"{}".contains(byte));
        if has_brace && hash_tag(key).is_none() && self.redis().is_some_and(is_cross_slot) {
            let what = "the key must have no brace on a cluster, or a hash tag, as in {users}:seen: the keys beside it are in other slots";
            return Self::InvalidArgument(Details::of_key(key, what));
        }
        self
    }

    pub(crate) fn missing(key: &[u8]) -> Self {
        let what = "the filter, or a part of it, is not on the server";
        Self::Missing(Details::of_key(key, what))
    }

    pub(crate) fn of_length(key: &[u8], bytes: u64, found: u64) -> Self {
        let what = format_args!("the string must have {bytes} bytes, got {found}");
        Self::Malformed(Details::of_key(key, what))
    }

    pub(crate) fn malformed(key: &[u8], expected: &str, found: &[u8]) -> Self {
        /// The longest part of the value that an error repeats, in bytes.
        const SHOWN: usize = 100;
        let found = found[..found.len().min(SHOWN)].escape_ascii();
        let what = format_args!("the value must be {expected}, got \"{found}\"");
        Self::Malformed(Details::of_key(key, what))
    }

    /// Returns the error for a reply that the command cannot have.
    pub(crate) fn reply(expected: impl Display, found: impl Display) -> Self {
        Self::Server(Details::new("the reply", expected, found))
    }

    /// Returns the error with the key that the command was about, unless it names one.
    pub(crate) fn about(mut self, key: &[u8]) -> Self {
        let is_of_redis = self.redis().is_some();
        if let Self::Malformed(details) | Self::Unavailable(details) | Self::Server(details) = &mut self
            && is_of_redis
        {
            details.key.get_or_insert_with(|| key.to_vec());
        }
        self
    }

    fn details(&self) -> &Details {
        match self {
            Self::InvalidArgument(details)
            | Self::Missing(details)
            | Self::Mismatch(details)
            | Self::Malformed(details)
            | Self::RebuildUnderWay(details)
            | Self::Full(details)
            | Self::Disconnected(details)
            | Self::Unavailable(details)
            | Self::Server(details) => details,
        }
    }

    /// Returns the key of Redis that the error is about, if it is about one.
    #[must_use]
    pub fn key(&self) -> Option<&[u8]> {
        self.details().key.as_deref()
    }

    /// Returns true if the failure may pass without a change to the program.
    #[must_use]
    pub const fn is_unavailable(&self) -> bool {
        matches!(self, Self::Disconnected(_) | Self::Unavailable(_))
    }

    /// Returns the client's error, if the server or the connection failed.
    pub(crate) fn redis(&self) -> Option<&RedisError> {
        self.details().source.as_deref()?.downcast_ref()
    }
}

/// Errors are equal if their variants and texts are.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other) && self.to_string() == other.to_string()
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(key) = self.key() {
            write!(f, "{}: ", display(key))?;
        }
        f.write_str(&self.details().reason)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source = self.details().source.as_ref();
        source.map(|error| error.as_ref() as _)
    }
}

impl From<RedisError> for Error {
    fn from(source: RedisError) -> Self {
        use ServerErrorKind::{Ask, BusyLoading, ClusterDown, MasterDown, Moved, ReadOnly, TryAgain};
        let variant: Variant = match source.kind() {
            redis::ErrorKind::Io => Self::Disconnected,
            redis::ErrorKind::ClusterConnectionNotFound
            | redis::ErrorKind::Server(
                BusyLoading | Moved | Ask | TryAgain | ClusterDown | MasterDown | ReadOnly,
            ) => Self::Unavailable,
            _ => match source.code() {
                Some("OOM" | "MISCONF" | "NOREPLICAS" | "BUSY") => Self::Unavailable,
                Some("WRONGTYPE") => Self::Malformed,
                _ => Self::Server,
            },
        };
        variant(Details::from_source(source))
    }
}

impl From<membership_filters::Error> for Error {
    fn from(source: membership_filters::Error) -> Self {
        let variant: Variant = match source {
            membership_filters::Error::Incompatible(_) => Self::Mismatch,
            _ => Self::InvalidArgument,
        };
        variant(Details::from_source(source))
    }
}

/// Formats a key for error messages. Bytes that are not printable ASCII are escaped.
pub(crate) fn display(key: &[u8]) -> String {
    key.escape_ascii().to_string()
}

/// Returns true if the keys of a command are in several slots. The error of a script has another text.
pub(crate) fn is_cross_slot(error: &RedisError) -> bool {
    error.kind() == redis::ErrorKind::Server(ServerErrorKind::CrossSlot)
        || error
            .detail()
            .is_some_and(|detail| detail.contains("non local key"))
}

/// Returns true if the server has no such key, in the words of RedisBloom or of another server.
pub(crate) fn is_missing_key(error: &RedisError) -> bool {
    has_words(error, ["not found", "no such key"])
}

/// Returns true if the server has no such command, or, as Dragonfly does, another filter behind it.
pub(crate) fn is_missing_command(error: &RedisError) -> bool {
    has_words(error, ["unknown command", "invalidobj"])
}

/// Servers give the same code to most of their errors.
fn has_words(error: &RedisError, words: [&str; 2]) -> bool {
    let [code, detail] = [error.code(), error.detail()].map(Option::unwrap_or_default);
    let reply = format!("{code} {detail}").to_lowercase();
    words.iter().any(|words| reply.contains(words))
}

/// Returns true if the node does not hold all keys of a command, as happens while a slot moves. Cluster clients follow
/// redirections of single commands, and of pipelines only as a whole, which fails while their
/// keys are on two nodes.
pub(crate) fn is_redirection(error: &RedisError) -> bool {
    use ServerErrorKind::{Ask, Moved, TryAgain};
    matches!(error.kind(), redis::ErrorKind::Server(Moved | Ask | TryAgain))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(reply: &str) -> RedisError {
        let reply = format!("-{reply}\r\n");
        match redis::parse_redis_value(reply.as_bytes()) {
            Ok(redis::Value::ServerError(error)) => RedisError::from(error),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_source_is_the_error_beneath() {
        let refused = RedisError::from((redis::ErrorKind::UnexpectedReturnType, "refused"));
        let refused = Error::from(refused).about(b"bf:users");
        assert!(refused.redis().is_some() && refused.key() == Some(b"bf:users"));
        assert!(refused.source().unwrap().is::<RedisError>());
        let parameters = membership_filters::RedisBloomParameters::new(0, 0.01);
        let local = membership_filters::RedisBloomFilter::new(&parameters).unwrap_err();
        let text = local.to_string();
        let error = Error::from(local);
        assert_eq!(error.source().unwrap().to_string(), text);
        assert!(error.redis().is_none() && Error::missing(b"bf:users").source().is_none());
    }

    #[test]
    fn replies_of_servers_are_distinguished() {
        let [malformed, unavailable, server]: [Variant; 3] =
            [Error::Malformed, Error::Unavailable, Error::Server];
        for (reply, expected) in [
            ("LOADING Redis is loading the dataset in memory", unavailable),
            ("OOM command not allowed when used memory", unavailable),
            ("READONLY You can't write against a replica.", unavailable),
            ("MISCONF Redis is configured to save RDB snapshots", unavailable),
            ("NOREPLICAS Not enough good replicas to write.", unavailable),
            ("BUSY Redis is busy running a script.", unavailable),
            ("CLUSTERDOWN Hash slot not served", unavailable),
            ("MASTERDOWN Link with MASTER is down", unavailable),
            ("TRYAGAIN Multiple keys request", unavailable),
            ("MOVED 380 127.0.0.1:7000", unavailable),
            ("ASK 380 127.0.0.1:7000", unavailable),
            ("CROSSSLOT Keys in request don't hash to the same slot", server),
            ("ERR Script attempted to access a non local key", server),
            ("WRONGTYPE Operation against a key", malformed),
            ("NOAUTH Authentication required.", server),
            ("NOPERM this user has no permissions", server),
            ("ERR unknown command 'BITFIELD_RO'", server),
            ("SOMETHING else", server),
        ] {
            let error = Error::from(parsed(reply));
            let expected = expected(Details::new("", "", ""));
            assert_eq!(discriminant(&error), discriminant(&expected), "{reply}");
        }
    }

    #[test]
    fn servers_without_a_key_or_a_command_are_recognised() {
        for (reply, key, command) in [
            ("ERR not found", true, false),
            ("ERR Key was not found", true, false),
            ("ERR no such key", true, false),
            ("ERR unknown command 'BF.INFO'", false, true),
            ("ERR Unknown command `BF.INFO`", false, true),
            ("INVALIDOBJ the object is no filter", false, true),
            ("ERR received bad data", false, false),
        ] {
            let error = parsed(reply);
            let found = (is_missing_key(&error), is_missing_command(&error));
            assert_eq!(found, (key, command), "{reply}");
        }
    }
}
