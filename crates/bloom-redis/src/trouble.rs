//! The kinds of failure of the server, and of the way to it.

use redis::{ErrorKind, RedisError, ServerErrorKind};

/// The kinds of failure that call for different reactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Trouble {
    /// No answer in time. Whether the command was done is not known.
    TimedOut,
    /// Nobody listens at the address.
    Refused,
    /// The connection broke. Whether the command was done is not known.
    ConnectionLost,
    /// `LOADING`: the server reads its data from disk.
    Loading,
    /// `OOM`: the memory limit is reached and nothing can be evicted.
    OutOfMemory,
    /// `READONLY`: a replica was asked to write.
    ReadOnly,
    /// `MISCONF`, `NOREPLICAS`: the server's own settings forbid writes now.
    WritesRefused,
    /// `BUSY`: a script occupies the server.
    Busy,
    /// `CLUSTERDOWN`, `MASTERDOWN`, `TRYAGAIN`: the cluster does not serve this slot now.
    ClusterUnavailable,
    /// `MOVED` or `ASK`: the key is on another node. Connect through the cluster client; if that says so, it cannot reach that
    /// node.
    OtherNode,
    /// `CROSSSLOT`: the keys of one command are on different nodes. Give the prefix a hash tag.
    CrossSlot,
    /// `WRONGTYPE`: the key holds something that is no string.
    WrongType,
    /// `NOAUTH`, `WRONGPASS`, `NOPERM`: credentials or rights are missing.
    Forbidden,
    /// The server does not know the command, or a proxy refuses it. See [`Commands`](crate::Commands).
    UnknownCommand,
    /// Anything else.
    Other,
}

impl Trouble {
    /// Whether it may pass without anybody changing the program: the kinds that
    /// [`OnFailure`](crate::OnFailure) covers.
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

    /// Whether the connection can serve no further command, and a new one is needed. A connection manager, a pool that
    /// tests its connections, and the cluster client see to it themselves.
    #[must_use]
    pub const fn needs_reconnection(self) -> bool {
        matches!(self, Self::TimedOut | Self::Refused | Self::ConnectionLost)
    }

    pub(crate) fn of(error: &RedisError) -> Self {
        if let Some(first) = refused_in_transaction(error) {
            return Self::of(&first);
        }
        match error.kind() {
            ErrorKind::Io if error.is_timeout() => Self::TimedOut,
            ErrorKind::Io if error.is_connection_refusal() => Self::Refused,
            ErrorKind::Io => Self::ConnectionLost,
            ErrorKind::ClusterConnectionNotFound => Self::ClusterUnavailable,
            ErrorKind::AuthenticationFailed => Self::Forbidden,
            ErrorKind::Server(kind) => Self::of_server(kind, error.detail()),
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
                    // What a script meets where a command would be told of the slots.
                    Self::CrossSlot
                } else {
                    Self::Other
                }
            }
            _ => Self::Other,
        }
    }

    fn of_code(code: &str) -> Self {
        match code {
            "OOM" => Self::OutOfMemory,
            "WRONGTYPE" => Self::WrongType,
            "MISCONF" | "NOREPLICAS" => Self::WritesRefused,
            "BUSY" => Self::Busy,
            "NOAUTH" | "WRONGPASS" => Self::Forbidden,
            _ => Self::Other,
        }
    }
}

/// Why a transaction was not begun. The server refuses the commands of a transaction one by one and `EXEC` as a whole: the
/// first says why.
fn refused_in_transaction(error: &RedisError) -> Option<RedisError> {
    if error.kind() != ErrorKind::Server(ServerErrorKind::ExecAbort) {
        return None;
    }
    let errors = error.clone().into_server_errors()?;
    let (_, first) = errors.iter().find(|(_, error)| error.code() != "EXECABORT")?;
    Some(first.clone().into())
}

/// Whether a key was looked for on a node that does not have it, or not alone, as it happens while a slot moves. The cluster
/// clients follow that for single commands; not for transactions, and for pipelines only as a whole, which fails while some
/// of their keys are on one node and some on another.
pub(crate) fn is_redirection(error: &RedisError) -> bool {
    use ServerErrorKind::{Ask, Moved, TryAgain};
    matches!(error.kind(), ErrorKind::Server(Moved | Ask | TryAgain))
        || refused_in_transaction(error).is_some_and(|first| is_redirection(&first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trouble(reply: &str) -> Trouble {
        let reply = format!("-{reply}\r\n");
        let error = match redis::parse_redis_value(reply.as_bytes()) {
            Ok(redis::Value::ServerError(error)) => RedisError::from(error),
            other => panic!("{other:?}"),
        };
        Trouble::of(&error)
    }

    #[test]
    fn what_servers_say_is_told_apart() {
        use Trouble::{
            Busy, ClusterUnavailable, CrossSlot, Forbidden, Loading, Other, OtherNode, OutOfMemory, ReadOnly,
            UnknownCommand, WritesRefused, WrongType,
        };
        for (reply, expected, unavailable) in [
            ("LOADING Redis is loading the dataset in memory", Loading, true),
            (
                "OOM command not allowed when used memory > 'maxmemory'.",
                OutOfMemory,
                true,
            ),
            (
                "READONLY You can't write against a read only replica.",
                ReadOnly,
                true,
            ),
            (
                "MISCONF Redis is configured to save RDB snapshots",
                WritesRefused,
                true,
            ),
            (
                "NOREPLICAS Not enough good replicas to write.",
                WritesRefused,
                true,
            ),
            ("BUSY Redis is busy running a script.", Busy, true),
            ("CLUSTERDOWN Hash slot not served", ClusterUnavailable, true),
            ("MASTERDOWN Link with MASTER is down", ClusterUnavailable, true),
            (
                "TRYAGAIN Multiple keys request during rehashing of slot",
                ClusterUnavailable,
                true,
            ),
            ("MOVED 380 127.0.0.1:7000", OtherNode, true),
            ("ASK 380 127.0.0.1:7000", OtherNode, true),
            (
                "CROSSSLOT Keys in request don't hash to the same slot",
                CrossSlot,
                false,
            ),
            (
                "ERR Script attempted to access a non local key in a cluster node",
                CrossSlot,
                false,
            ),
            ("WRONGTYPE Operation against a key", WrongType, false),
            ("NOAUTH Authentication required.", Forbidden, false),
            ("WRONGPASS invalid username-password pair", Forbidden, false),
            ("NOPERM this user has no permissions", Forbidden, false),
            ("ERR unknown command 'BITFIELD_RO'", UnknownCommand, false),
            ("ERR syntax error", Other, false),
            ("SOMETHING else", Other, false),
        ] {
            let trouble = trouble(reply);
            assert_eq!(
                (trouble, trouble.is_unavailable(), trouble.needs_reconnection()),
                (expected, unavailable, false),
                "{reply}"
            );
        }
    }
}
