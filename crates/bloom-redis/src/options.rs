//! Options of operations.

use core::num::NonZeroUsize;
use core::time::Duration;
use std::time::{SystemTime, UNIX_EPOCH};

use redis::Cmd;

use crate::error::{Error, ErrorKind};

/// Options of a filter's operations, the same for all designs.
///
/// ```
/// use bloom_redis::{Missing, OnFailure, Options};
///
/// let options = Options::default()
///     // Days that nobody has written to are empty, not lost.
///     .missing(Missing::Empty)
///     // A server that is gone must not hide what the database holds.
///     .on_failure(OnFailure::MightContain);
/// # let _ = options;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    pub(crate) commands: Commands,
    pub(crate) missing: Missing,
    pub(crate) on_failure: OnFailure,
    pub(crate) bits_per_trip: NonZeroUsize,
    pub(crate) follow_rebuilds: bool,
    pub(crate) keep_count: bool,
    pub(crate) replicas: Option<Replicas>,
}

/// The arguments of the `WAIT` after inserts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Replicas {
    pub(crate) count: u32,
    pub(crate) timeout: Duration,
}

/// The default number of bits in one round trip.
const BITS_PER_TRIP: NonZeroUsize = NonZeroUsize::new(1 << 16).unwrap();

impl Default for Options {
    fn default() -> Self {
        Self {
            commands: Commands::default(),
            missing: Missing::default(),
            on_failure: OnFailure::default(),
            bits_per_trip: BITS_PER_TRIP,
            follow_rebuilds: true,
            keep_count: false,
            replicas: None,
        }
    }
}

impl Options {
    /// Sets which commands may be sent; all by default.
    #[must_use]
    pub const fn commands(self, commands: Commands) -> Self {
        Self { commands, ..self }
    }

    /// Sets the meaning of a filter that is not on the server; [`Missing::Reported`] by default.
    #[must_use]
    pub const fn missing(self, missing: Missing) -> Self {
        Self { missing, ..self }
    }

    /// Sets the answer of queries when the server fails; [`OnFailure::Error`] by default.
    #[must_use]
    pub const fn on_failure(self, on_failure: OnFailure) -> Self {
        Self { on_failure, ..self }
    }

    /// Sets the largest number of bits that one round trip tests or sets, 65,536 by default; larger batches take
    /// several trips. A bit costs some 35 bytes in the request and 4 in the reply (a `Value` of the client until it is
    /// read), so the default amounts to some 2 MiB. The bits of an element stay in one trip, and each trip has at least
    /// one element; 0 counts as 1.
    #[must_use]
    pub fn bits_per_trip(self, bits: u64) -> Self {
        let bits = usize::try_from(bits).unwrap_or(usize::MAX);
        let bits_per_trip = NonZeroUsize::new(bits).unwrap_or(NonZeroUsize::MIN);
        Self {
            bits_per_trip,
            ..self
        }
    }

    /// Sets whether inserts check for a rebuild under way and also write to its generation, and whether queries of
    /// several elements check that no rebuild replaced the filter between their commands; on by default. It costs a
    /// `GET` or two `HGET` in the same round trip, and a second trip while a rebuild runs. Without it, elements
    /// inserted during a rebuild are lost when the generations are swapped, unless the caller also inserts them into
    /// the [`Rebuild`](crate::Rebuild).
    #[must_use]
    pub const fn follow_rebuilds(self, follow_rebuilds: bool) -> Self {
        Self {
            follow_rebuilds,
            ..self
        }
    }

    /// Sets whether a growing filter counts the ones of each bitmap only once, and then keeps the count in a separate
    /// key; off by default. Otherwise every round trip that inserts counts the bitmap, which at a million elements per
    /// bitmap is most of the server's work. Use it only for filters to which only this crate writes, with this option
    /// and with scripts: other inserts are not counted, so the filter grows late and its false-positive rate rises. No
    /// inserted element is lost.
    #[must_use]
    pub const fn keep_count(self, keep_count: bool) -> Self {
        Self { keep_count, ..self }
    }

    /// Sets how many replicas must acknowledge an insert, and how long to wait for them; none by default. The
    /// connection's own time-out must be longer.
    ///
    /// `WAIT` is sent after the writes in the same round trip; over another connection it could reach another master,
    /// whose replicas lack the writes. It confirms that replicas received the writes, not that a fail-over keeps them:
    /// replication is asynchronous, and a replica that lags may be elected.
    #[must_use]
    pub const fn replicas(self, count: u32, timeout: Duration) -> Self {
        let replicas = Some(Replicas { count, timeout });
        Self { replicas, ..self }
    }

    pub(crate) fn need_scripts(&self, what: &str) -> Result<(), Error> {
        if self.commands.scripts {
            return Ok(());
        }
        let (range, got) = (format_args!("allowed for {what}"), "Commands::scripts(false)");
        Err(Error::new(ErrorKind::NeedsScripts, "scripts", range, got))
    }

    /// Returns the options for a filter that must exist, such as the generation of a rebuild.
    pub(crate) const fn reported(self) -> Self {
        self.missing(Missing::Reported)
    }
}

/// The commands that a server, or the proxy in front of it, accepts: all by default. The README lists the commands that
/// each of them refuses, under "Servers and proxies".
///
/// ```
/// use bloom_redis::{Commands, Options};
///
/// let redis_5 = Options::default().commands(Commands::default().bitfield(false));
/// # let _ = redis_5;
/// ```
///
/// | off | used instead | lost |
/// |---|---|---|
/// | `bitfield` | a `GETBIT` or `SETBIT` for each bit | speed |
/// | `transactions` | a script for each insert that must not start a filter, or sets a time to live | speed: a `SETBIT` for each bit, in one step that occupies the server; while a cluster moves a slot to another node, a new element may be reported as seen |
/// | `scripts` | plain commands in transactions | a growing filter grows as published: two writers at the same moment may open two bitmaps (no insert is lost); it takes several round trips, and only a client with scripts can rebuild it; an insert into a missing filter begins a string and deletes it again (a client that dies in between leaves one that is an error until it is deleted), and an insert into a string of another program changes it before it fails; no merge, and no [`write_marks`](crate::FixedFilter::write_marks); [`Expiry::AfterFirst`] needs Redis 7.0, and an expiry is also set on a key of another type; an upload needs as much memory again, and for each key one command that occupies the server; old generations are freed in the foreground |
/// | `transactions`, `scripts` | plain pipelines | the losses of both; a client that dies between an insert and its expiry leaves a key without a time to live; elements inserted at the moment a rebuild ends may be lost |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commands {
    pub(crate) bitfield: bool,
    pub(crate) transactions: bool,
    pub(crate) scripts: bool,
}

impl Default for Commands {
    fn default() -> Self {
        Self {
            bitfield: true,
            transactions: true,
            scripts: true,
        }
    }
}

impl Commands {
    /// Only plain commands on strings.
    pub const PLAIN: Self = Self {
        bitfield: false,
        transactions: false,
        scripts: false,
    };

    /// Sets whether `BITFIELD` and `BITFIELD_RO` may be sent: many bits in one command.
    #[must_use]
    pub const fn bitfield(self, bitfield: bool) -> Self {
        Self { bitfield, ..self }
    }

    /// Sets whether `MULTI` and `EXEC` may be sent.
    #[must_use]
    pub const fn transactions(self, transactions: bool) -> Self {
        Self { transactions, ..self }
    }

    /// Sets whether `EVAL` and `EVALSHA` may be sent.
    #[must_use]
    pub const fn scripts(self, scripts: bool) -> Self {
        Self { scripts, ..self }
    }
}

/// The meaning of a filter that is not on the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Missing {
    /// The filter was evicted, expired, flushed or never created: queries answer
    /// [`Answer::Missing`](crate::Answer::Missing), and inserts fail with [`ErrorKind::Missing`] instead of starting a
    /// filter that lacks what the lost one held. New filters are created explicitly.
    #[default]
    Reported,
    /// The filter is empty: queries answer [`Answer::Absent`](crate::Answer::Absent), and the first insert creates it.
    /// The published programs do this. What was lost is not noticed, nor is a string of another length. It is right if filters come and go by design, for example one per day.
    Empty,
}

/// The answer of a query when the server fails: time-outs, lost connections, a server that loads or is out of memory
/// (see [`ErrorKind::is_unavailable`]). Errors of the caller are always reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum OnFailure {
    /// The error.
    #[default]
    Error,
    /// "Might contain": all queries reach what the filter guards (fail open).
    MightContain,
    /// "Absent": no query reaches what the filter guards (fail closed).
    Absent,
}

/// The time to live of a filter after an operation.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use bloom_redis::{Expiry, FixedFilter, Schema};
///
/// let schema = Schema::whole_words(3_000, 0.03)?;
/// let day = Duration::from_secs(86_400);
/// // A day after the last insert.
/// let sliding = FixedFilter::new("sessions", schema)?.with_expiry(Expiry::After(day));
/// // At a moment that the program knows.
/// let until = FixedFilter::new("today", schema)?.with_expiry(Expiry::At(SystemTime::UNIX_EPOCH + 20_000 * day));
/// # let _ = (sliding, until);
/// # Ok::<(), bloom_redis::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Expiry {
    /// Keeps the time to live. A created filter has none; a filter that replaces another gets its remaining time.
    #[default]
    Keep,
    /// Removes the time to live.
    Never,
    /// The filter expires this long after the operation: 1 ms to 2^53 ms.
    After(Duration),
    /// The filter expires this long after the first operation that finds no time to live; later operations change
    /// nothing.
    AfterFirst(Duration),
    /// The filter expires at this moment by the server's clock, or at once if that is past.
    At(SystemTime),
}

/// The longest time to live in ms, 285,616 years. Beyond it the server's arithmetic would overflow.
const LONGEST_MS: u64 = 1 << 53;

/// An expiry in the form of arguments to scripts and plain commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lifetime {
    /// The command that sets the time to live; empty to keep it, `NX` to set it only where there is none.
    how: &'static str,
    number: u64,
}

impl Expiry {
    /// Checks the time and converts it to arguments for the server.
    pub(crate) fn lifetime(self) -> Result<Lifetime, Error> {
        let (how, time) = match self {
            Self::Keep => ("", None),
            Self::Never => ("PERSIST", None),
            Self::After(time) => ("PEXPIRE", Some(time)),
            Self::AfterFirst(time) => ("NX", Some(time)),
            Self::At(time) => (
                "PEXPIREAT",
                Some(time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO)),
            ),
        };
        let number = match time {
            None => 0,
            Some(time) => millis(time)?,
        };
        Ok(Lifetime { how, number })
    }
}

pub(crate) fn millis(time: Duration) -> Result<u64, Error> {
    u64::try_from(time.as_millis())
        .ok()
        .filter(|millis| (1..=LONGEST_MS).contains(millis))
        .ok_or_else(|| {
            let (thing, got) = ("the time to live", format_args!("{time:?}"));
            Error::new(ErrorKind::InvalidArgument, thing, "from 1 ms to 2^53 ms", got)
        })
}

impl Lifetime {
    pub(crate) const fn is_kept(self) -> bool {
        self.how.is_empty()
    }

    pub(crate) fn push_to(self, command: &mut Cmd) -> &mut Cmd {
        command.arg(self.how).arg(self.number)
    }

    pub(crate) fn push_to_set(self, set: &mut Cmd) {
        match self.how {
            "PEXPIRE" | "NX" => set.arg("PX").arg(self.number),
            "PEXPIREAT" => set.arg("PXAT").arg(self.number),
            _ => set,
        };
    }

    /// Returns the command for a key, or `None` if its time to live stays.
    pub(crate) fn command(self, key: &[u8]) -> Option<Cmd> {
        let mut command = redis::cmd(if self.how == "NX" { "PEXPIRE" } else { self.how });
        command.arg(key);
        match self.how {
            "" => return None,
            "PERSIST" => {}
            "NX" => {
                command.arg(self.number).arg("NX");
            }
            _ => {
                command.arg(self.number);
            }
        }
        Some(command)
    }

    /// Returns the time to live of a filter that replaces one with `left` ms left, by the rules of `commit.lua`.
    pub(crate) const fn after(self, left: Option<u64>) -> Self {
        let (how, number) = match (self.how.as_bytes(), left) {
            (b"" | b"NX", Some(left)) => ("PEXPIRE", left),
            (b"", None) => ("PERSIST", 0),
            (b"NX", None) => ("PEXPIRE", self.number),
            _ => (self.how, self.number),
        };
        Self { how, number }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_the_server_would_take_for_now_or_never_are_refused() {
        assert_eq!(millis(Duration::from_millis(1)).unwrap(), 1);
        assert_eq!(millis(Duration::from_secs(86_400)).unwrap(), 86_400_000);
        for time in [Duration::ZERO, Duration::from_micros(999), Duration::MAX] {
            let error = Expiry::After(time).lifetime().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            let text = format!("the time to live must be from 1 ms to 2^53 ms, got {time:?}");
            assert_eq!(error.to_string(), text);
        }
    }
}
