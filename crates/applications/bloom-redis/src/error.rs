//! The error type of the crate.

use core::error::Error as StdError;
use core::fmt;
use std::sync::Arc;

use membership_filters::redisbloom::hash_tag;
use redis::{RedisError, ServerErrorKind};

/// An error: its kind, and a text that mostly reads "THING must be RANGE, got VALUE".
///
/// [`Error::kind`] is for programs ([what to do](crate#guarantees-and-limits)), the text for people.
/// [`source`](core::error::Error::source) is the error of `redis`, `membership-filters` or `filter-sets`, if one of
/// them failed. A failed insert may still have set bits. Repeating it is always safe, but may report a new key as seen.
///
/// ```
/// use bloom_redis::{ErrorKind, Schema};
///
/// let error = Schema::whole_words(1_000, 1.5).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::InvalidArgument);
/// assert_eq!(error.to_string(), "the false-positive rate must be above 0 and below 1, got 1.5");
/// ```
#[derive(Debug, Clone)]
pub struct Error(Box<Failure>);

#[derive(Debug, Clone)]
struct Failure {
    kind: ErrorKind,
    key: Option<Vec<u8>>,
    text: String,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// The kinds of [`Error`], which a program can distinguish. The text has the details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument is out of its range: a time, a size that the design or the machine's memory does not have, a folder
    /// that is no set. Also a connection inside a `MULTI` of the caller.
    InvalidArgument,
    /// The filter is not on the server, and a missing filter is not an empty one (see
    /// [`Missing::Reported`](crate::Missing::Reported)). Keys of a batch may have been inserted if they were sent in an
    /// earlier round trip.
    Missing,
    /// The filter has other parameters than the caller's, or two filters that should be combined differ in one.
    Mismatch,
    /// A value on the server is not one that this crate, or a program of the same design, writes there: another type or
    /// length, or without the mark that [`FixedFilter::write_marks`](crate::FixedFilter::write_marks) writes. Or a
    /// set's folder is damaged.
    Malformed,
    /// Another rebuild of the filter is under way, or was dropped and its lease still runs.
    RebuildUnderWay,
    /// The growing filter has the largest allowed number of bitmaps.
    Full,
    /// The connection is lost, or no reply arrived in time. It is unknown whether the command was executed. A new
    /// connection is needed: a connection manager, a pool that tests its connections, and the cluster client reconnect
    /// by themselves.
    Disconnected,
    /// The server cannot serve the command now: it loads its data, is busy, out of memory or a replica, its slot is
    /// moving, or rebuilds replaced the filter again and again.
    Unavailable,
    /// The server refused the command, or a proxy replied something else: rights, an unknown command, keys in several
    /// slots (give the prefix a hash tag).
    Server,
}

impl Error {
    #[cold]
    pub(crate) fn new(
        kind: ErrorKind,
        thing: impl fmt::Display,
        range: impl fmt::Display,
        got: impl fmt::Display,
    ) -> Self {
        Self::with_text(kind, None, format!("{thing} must be {range}, got {got}"))
    }

    /// Creates the error for an argument out of its range.
    pub(crate) fn argument(
        thing: impl fmt::Display,
        range: impl fmt::Display,
        got: impl fmt::Display,
    ) -> Self {
        Self::new(ErrorKind::InvalidArgument, thing, range, got)
    }

    #[cold]
    pub(crate) fn of_key(kind: ErrorKind, key: &[u8], what: impl fmt::Display) -> Self {
        let text = format!("{}: {what}", display(key));
        Self::with_text(kind, Some(key.to_vec()), text)
    }

    /// Explains the error of a cluster that finds a key and its companions in several slots. (While slots move, it is
    /// `TRYAGAIN`.)
    pub(crate) fn of_slots(self, key: &[u8]) -> Self {
        let has_brace = key.iter().any(|byte| b"{}".contains(byte));
        if has_brace && hash_tag(key).is_none() && self.redis().is_some_and(is_cross_slot) {
            let what = "the key must have no brace on a cluster, or a hash tag, as in {users}:seen: the keys beside it are in other slots";
            return Self::of_key(ErrorKind::InvalidArgument, key, what);
        }
        self
    }

    pub(crate) fn missing(key: &[u8]) -> Self {
        Self::of_key(
            ErrorKind::Missing,
            key,
            "the filter, or a part of it, is not on the server",
        )
    }

    pub(crate) fn of_length(key: &[u8], bytes: u64, found: u64) -> Self {
        let what = format_args!("the string must have {bytes} bytes, got {found}");
        Self::of_key(ErrorKind::Malformed, key, what)
    }

    pub(crate) fn malformed(key: &[u8], expected: &str, found: &[u8]) -> Self {
        /// The longest part of the value that an error repeats, in bytes.
        const SHOWN: usize = 100;
        let found = found[..found.len().min(SHOWN)].escape_ascii();
        let what = format_args!("the value must be {expected}, got \"{found}\"");
        Self::of_key(ErrorKind::Malformed, key, what)
    }

    /// Returns the error for a reply that the command cannot have.
    pub(crate) fn reply(expected: impl fmt::Display, found: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Server, "the reply", expected, found)
    }

    /// Returns the error with the key that the command was about, unless it names one.
    pub(crate) fn about(mut self, key: &[u8]) -> Self {
        let is_of_server = !matches!(self.kind(), ErrorKind::InvalidArgument | ErrorKind::Disconnected);
        if self.0.key.is_none() && self.redis().is_some() && is_of_server {
            self.0.text = format!("{}: {}", display(key), self.0.text);
            self.0.key = Some(key.to_vec());
        }
        self
    }

    fn with_text(kind: ErrorKind, key: Option<Vec<u8>>, text: String) -> Self {
        Self(Box::new(Failure {
            kind,
            key,
            text,
            source: None,
        }))
    }

    fn with_source(kind: ErrorKind, source: impl StdError + Send + Sync + 'static) -> Self {
        let mut error = Self::with_text(kind, None, source.to_string());
        error.0.source = Some(Arc::new(source));
        error
    }

    /// Returns the kind of failure.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the key of Redis that the error is about, if it is about one.
    #[must_use]
    pub fn key(&self) -> Option<&[u8]> {
        self.0.key.as_deref()
    }

    /// Returns the client's error, if the server or the connection failed.
    pub(crate) fn redis(&self) -> Option<&RedisError> {
        self.0.source.as_deref()?.downcast_ref()
    }
}

/// Errors are equal if their kinds and texts are.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        (self.0.kind, &self.0.text) == (other.0.kind, &other.0.text)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_ref().map(|error| error.as_ref() as _)
    }
}

impl From<RedisError> for Error {
    fn from(source: RedisError) -> Self {
        Self::with_source(ErrorKind::of(&source), source)
    }
}

impl From<membership_filters::Error> for Error {
    fn from(source: membership_filters::Error) -> Self {
        let kind = match source.kind() {
            membership_filters::ErrorKind::Incompatible => ErrorKind::Mismatch,
            _ => ErrorKind::InvalidArgument,
        };
        Self::with_source(kind, source)
    }
}

#[cfg(feature = "sets")]
impl From<filter_sets::Error> for Error {
    fn from(source: filter_sets::Error) -> Self {
        let kind = match source.kind() {
            filter_sets::ErrorKind::Damaged => ErrorKind::Malformed,
            _ => ErrorKind::InvalidArgument,
        };
        Self::with_source(kind, source)
    }
}

impl ErrorKind {
    /// Returns true if the failure may pass without a change to the program.
    #[must_use]
    pub const fn is_unavailable(self) -> bool {
        matches!(self, Self::Disconnected | Self::Unavailable)
    }

    pub(crate) fn of(error: &RedisError) -> Self {
        use ServerErrorKind::{Ask, BusyLoading, ClusterDown, MasterDown, Moved, ReadOnly, TryAgain};
        match error.kind() {
            redis::ErrorKind::Io => Self::Disconnected,
            redis::ErrorKind::ClusterConnectionNotFound
            | redis::ErrorKind::Server(
                BusyLoading | Moved | Ask | TryAgain | ClusterDown | MasterDown | ReadOnly,
            ) => Self::Unavailable,
            _ => match error.code() {
                Some("OOM" | "MISCONF" | "NOREPLICAS" | "BUSY") => Self::Unavailable,
                Some("WRONGTYPE") => Self::Malformed,
                _ => Self::Server,
            },
        }
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

    fn kind(reply: &str) -> ErrorKind {
        let reply = format!("-{reply}\r\n");
        let error = match redis::parse_redis_value(reply.as_bytes()) {
            Ok(redis::Value::ServerError(error)) => RedisError::from(error),
            other => panic!("{other:?}"),
        };
        ErrorKind::of(&error)
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
        #[cfg(feature = "sets")]
        {
            let folder = filter_sets::FilterSet::open("/no/such/set", Default::default()).unwrap_err();
            let error = Error::from(folder);
            assert!(error.source().unwrap().is::<filter_sets::Error>());
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        }
    }

    #[test]
    fn replies_of_servers_are_distinguished() {
        use ErrorKind::{Malformed, Server, Unavailable};
        for (reply, expected) in [
            ("LOADING Redis is loading the dataset in memory", Unavailable),
            ("OOM command not allowed when used memory", Unavailable),
            ("READONLY You can't write against a replica.", Unavailable),
            ("MISCONF Redis is configured to save RDB snapshots", Unavailable),
            ("NOREPLICAS Not enough good replicas to write.", Unavailable),
            ("BUSY Redis is busy running a script.", Unavailable),
            ("CLUSTERDOWN Hash slot not served", Unavailable),
            ("MASTERDOWN Link with MASTER is down", Unavailable),
            ("TRYAGAIN Multiple keys request", Unavailable),
            ("MOVED 380 127.0.0.1:7000", Unavailable),
            ("ASK 380 127.0.0.1:7000", Unavailable),
            ("CROSSSLOT Keys in request don't hash to the same slot", Server),
            ("ERR Script attempted to access a non local key", Server),
            ("WRONGTYPE Operation against a key", Malformed),
            ("NOAUTH Authentication required.", Server),
            ("NOPERM this user has no permissions", Server),
            ("ERR unknown command 'BITFIELD_RO'", Server),
            ("SOMETHING else", Server),
        ] {
            assert_eq!(kind(reply), expected, "{reply}");
        }
    }
}
