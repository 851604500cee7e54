//! The error type of the crate.

use core::fmt;

use redis::{RedisError, ServerErrorKind};

use crate::names::display;

/// An error: its kind, and a text that mostly reads "THING must be RANGE, got VALUE".
///
/// A failed insert may still have set bits. Repeating it is always safe, but may report a new element as seen.
///
/// ```
/// use bloom_redis::{ErrorKind, Schema};
///
/// let error = Schema::whole_words(1_000, 1.5).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::InvalidArgument);
/// assert_eq!(error.to_string(), "the false-positive rate must be above 0 and below 1, got 1.5");
/// ```
#[derive(Clone)]
pub struct Error(Box<Failure>);

#[derive(Clone)]
struct Failure {
    kind: ErrorKind,
    key: Option<Vec<u8>>,
    text: String,
    source: Option<RedisError>,
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument is out of its range.
    InvalidArgument,
    /// The filter would have more bits than its design allows.
    TooLarge,
    /// The filter is not on the server, and a missing filter is not an empty one (see
    /// [`Missing::Reported`](crate::Missing::Reported)). Elements of a batch may have been inserted if their bits are
    /// in parts that exist, or if they were sent in an earlier round trip.
    Missing,
    /// The parameter record differs from the caller's parameters.
    Mismatch,
    /// A value on the server is not one that this crate, or a program of the same design, writes there. A bitmap of
    /// another length is one of another program, of other parameters, or without the marks that
    /// [`FixedFilter::write_marks`](crate::FixedFilter::write_marks) writes.
    Malformed,
    /// Another rebuild of the filter is under way, or was dropped and its lease still runs.
    RebuildUnderWay,
    /// Two filters differ in a parameter, so they cannot be combined.
    Incompatible,
    /// The growing filter has the largest allowed number of bitmaps.
    Full,
    /// Rebuilds replaced the filter several times in a row during a download.
    Replaced,
    /// The master executed the insert, but too few replicas acknowledged it in time.
    Replication,
    /// The reply does not fit the command, because of a proxy or a defect.
    UnexpectedReply,
    /// No reply arrived in time. It is unknown whether the command was executed.
    TimedOut,
    /// No server listens at the address.
    Refused,
    /// The connection broke. It is unknown whether the command was executed.
    ConnectionLost,
    /// `LOADING`: the server reads its data from disk.
    Loading,
    /// `OOM`: the memory limit is reached and nothing can be evicted; or the program itself is out of memory.
    OutOfMemory,
    /// `READONLY`: a replica was asked to write.
    ReadOnly,
    /// `MISCONF`, `NOREPLICAS`: the server's own settings forbid writes now.
    WritesRefused,
    /// `BUSY`: a script occupies the server.
    Busy,
    /// `CLUSTERDOWN`, `MASTERDOWN`, `TRYAGAIN`: the cluster does not serve this slot now.
    ClusterUnavailable,
    /// `MOVED` or `ASK`: the key is on another node. Connect through the cluster client; if the cluster client itself
    /// reports this, it cannot reach that node.
    OtherNode,
    /// `CROSSSLOT`: the keys of one command are on different nodes. Give the prefix a hash tag.
    CrossSlot,
    /// `WRONGTYPE`: the key does not hold a string.
    WrongType,
    /// `NOAUTH`, `WRONGPASS`, `NOPERM`: credentials or rights are missing.
    Forbidden,
    /// The server does not know the command, or a proxy refuses it.
    UnknownCommand,
    /// The server failed in another way.
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

    #[cold]
    pub(crate) fn of_key(kind: ErrorKind, key: &[u8], what: impl fmt::Display) -> Self {
        let text = format!("{}: {what}", display(key));
        Self::with_text(kind, Some(key.to_vec()), text)
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

    pub(crate) fn replaced(key: &[u8]) -> Self {
        Self::of_key(
            ErrorKind::Replaced,
            key,
            "the filter was replaced again and again meanwhile",
        )
    }

    fn with_text(kind: ErrorKind, key: Option<Vec<u8>>, text: String) -> Self {
        Self(Box::new(Failure {
            kind,
            key,
            text,
            source: None,
        }))
    }

    /// Returns the kind of failure.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the key that the error is about, if it is about one.
    #[must_use]
    pub fn key(&self) -> Option<&[u8]> {
        self.0.key.as_deref()
    }

    /// Returns the client's error, if the server or the connection failed.
    pub(crate) fn redis(&self) -> Option<&RedisError> {
        self.0.source.as_ref()
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

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error {{ kind: {:?}, text: {:?} }}", self.0.kind, self.0.text)
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.0.source.as_ref().map(|error| error as _)
    }
}

impl From<RedisError> for Error {
    fn from(source: RedisError) -> Self {
        let mut error = Self::with_text(ErrorKind::of(&source), None, source.to_string());
        error.0.source = Some(source);
        error
    }
}

impl From<guava_bloom::Error> for Error {
    fn from(error: guava_bloom::Error) -> Self {
        let kind = match error.kind() {
            guava_bloom::ErrorKind::TooLarge => ErrorKind::TooLarge,
            guava_bloom::ErrorKind::OutOfMemory => ErrorKind::OutOfMemory,
            guava_bloom::ErrorKind::Incompatible => ErrorKind::Incompatible,
            _ => ErrorKind::InvalidArgument,
        };
        Self::with_text(kind, None, error.to_string())
    }
}

#[cfg(feature = "sets")]
impl From<filter_sets::Error> for Error {
    fn from(error: filter_sets::Error) -> Self {
        let kind = match error.kind() {
            filter_sets::ErrorKind::Damaged => ErrorKind::Malformed,
            _ => ErrorKind::InvalidArgument,
        };
        Self::with_text(kind, None, error.to_string())
    }
}

impl ErrorKind {
    /// Returns whether the failure may pass without a change to the program.
    #[must_use]
    pub const fn is_unavailable(self) -> bool {
        matches!(
            self,
            Self::TimedOut
                | Self::Refused
                | Self::ConnectionLost
                | Self::Loading
                | Self::OutOfMemory
                | Self::ReadOnly
                | Self::WritesRefused
                | Self::Busy
                | Self::ClusterUnavailable
                | Self::OtherNode
        )
    }

    /// Returns whether the connection can serve no further command, and a new one is needed. A connection manager, a
    /// pool that tests its connections, and the cluster client reconnect by themselves.
    #[must_use]
    pub const fn needs_reconnection(self) -> bool {
        matches!(self, Self::TimedOut | Self::Refused | Self::ConnectionLost)
    }

    pub(crate) fn of(error: &RedisError) -> Self {
        if let Some(first) = refused_in_transaction(error) {
            return Self::of(&first);
        }
        match error.kind() {
            redis::ErrorKind::Io if error.is_timeout() => Self::TimedOut,
            redis::ErrorKind::Io if error.is_connection_refusal() => Self::Refused,
            redis::ErrorKind::Io => Self::ConnectionLost,
            redis::ErrorKind::ClusterConnectionNotFound => Self::ClusterUnavailable,
            redis::ErrorKind::AuthenticationFailed => Self::Forbidden,
            redis::ErrorKind::Server(kind) => Self::of_server(kind, error.detail()),
            _ => Self::of_code(error.code().unwrap_or_default()),
        }
    }

    fn of_server(kind: ServerErrorKind, detail: Option<&str>) -> Self {
        match kind {
            ServerErrorKind::BusyLoading => Self::Loading,
            ServerErrorKind::Moved | ServerErrorKind::Ask => Self::OtherNode,
            ServerErrorKind::TryAgain | ServerErrorKind::ClusterDown | ServerErrorKind::MasterDown => {
                Self::ClusterUnavailable
            }
            ServerErrorKind::CrossSlot => Self::CrossSlot,
            ServerErrorKind::ReadOnly => Self::ReadOnly,
            ServerErrorKind::NoPerm => Self::Forbidden,
            ServerErrorKind::ResponseError => {
                let detail = detail.unwrap_or_default();
                if detail.starts_with("unknown command") {
                    Self::UnknownCommand
                } else if detail.contains("non local key") {
                    // The counterpart of `CROSSSLOT` within a script.
                    Self::CrossSlot
                } else {
                    Self::Server
                }
            }
            _ => Self::Server,
        }
    }

    fn of_code(code: &str) -> Self {
        match code {
            "OOM" => Self::OutOfMemory,
            "WRONGTYPE" => Self::WrongType,
            "MISCONF" | "NOREPLICAS" => Self::WritesRefused,
            "BUSY" => Self::Busy,
            "NOAUTH" | "WRONGPASS" => Self::Forbidden,
            _ => Self::Server,
        }
    }
}

/// Returns the error that made the server refuse a transaction. The server refuses single commands first, with the
/// reason, and then `EXEC` as a whole.
fn refused_in_transaction(error: &RedisError) -> Option<RedisError> {
    if error.kind() != redis::ErrorKind::Server(ServerErrorKind::ExecAbort) {
        return None;
    }
    let errors = error.clone().into_server_errors()?;
    let (_, first) = errors.iter().find(|(_, error)| error.code() != "EXECABORT")?;
    Some(first.clone().into())
}

/// Returns true if the node does not hold all keys of a command, as happens while a slot moves. Cluster clients follow
/// redirections of single commands, but not of transactions, and of pipelines only as a whole, which fails while their
/// keys are on two nodes.
pub(crate) fn is_redirection(error: &RedisError) -> bool {
    use ServerErrorKind::{Ask, Moved, TryAgain};
    matches!(error.kind(), redis::ErrorKind::Server(Moved | Ask | TryAgain))
        || refused_in_transaction(error).is_some_and(|first| is_redirection(&first))
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
    fn what_servers_say_is_told_apart() {
        use ErrorKind::{
            Busy, ClusterUnavailable, CrossSlot, Forbidden, Loading, OtherNode, OutOfMemory, ReadOnly,
            Server, UnknownCommand, WritesRefused, WrongType,
        };
        for (reply, expected) in [
            ("LOADING Redis is loading the dataset in memory", Loading),
            (
                "OOM command not allowed when used memory > 'maxmemory'.",
                OutOfMemory,
            ),
            ("READONLY You can't write against a read only replica.", ReadOnly),
            ("MISCONF Redis is configured to save RDB snapshots", WritesRefused),
            ("NOREPLICAS Not enough good replicas to write.", WritesRefused),
            ("BUSY Redis is busy running a script.", Busy),
            ("CLUSTERDOWN Hash slot not served", ClusterUnavailable),
            ("MASTERDOWN Link with MASTER is down", ClusterUnavailable),
            ("TRYAGAIN Multiple keys request", ClusterUnavailable),
            ("MOVED 380 127.0.0.1:7000", OtherNode),
            ("ASK 380 127.0.0.1:7000", OtherNode),
            ("CROSSSLOT Keys in request don't hash to the same slot", CrossSlot),
            ("ERR Script attempted to access a non local key", CrossSlot),
            ("WRONGTYPE Operation against a key", WrongType),
            ("NOAUTH Authentication required.", Forbidden),
            ("WRONGPASS invalid username-password pair", Forbidden),
            ("NOPERM this user has no permissions", Forbidden),
            ("ERR unknown command 'BITFIELD_RO'", UnknownCommand),
            ("ERR syntax error", Server),
            ("SOMETHING else", Server),
        ] {
            let kind = kind(reply);
            let passes = ![CrossSlot, WrongType, Forbidden, UnknownCommand, Server].contains(&expected);
            assert_eq!((kind, kind.is_unavailable()), (expected, passes), "{reply}");
            assert!(!kind.needs_reconnection(), "{reply}");
        }
    }
}
