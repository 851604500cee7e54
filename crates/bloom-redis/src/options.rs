//! What a caller chooses.

use core::num::NonZeroUsize;
use core::time::Duration;

use crate::error::Error;

/// How a filter talks to its server. The same for all designs.
///
/// ```
/// use bloom_redis::{Commands, Missing, OnFailure, Options};
///
/// let options = Options {
///     // Days that nobody has written to are empty, not lost.
///     missing: Missing::Empty,
///     // A server that is gone must not hide what the database holds.
///     on_failure: OnFailure::MayContain,
///     ..Options::default()
/// };
/// assert_eq!(options.commands, Commands::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Which commands may be sent.
    pub commands: Commands,
    /// What a filter means that is not on the server.
    pub missing: Missing,
    /// What a query answers when the server does not.
    pub on_failure: OnFailure,
    /// Bits that one round trip tests or sets at most, 65,536 by default: batches beyond it take several trips. A bit
    /// costs some 35 bytes in the request and 4 in the reply (a `Value` of the client meanwhile), so that the default
    /// is some 2 MiB. An element is never divided, and each trip has one at least.
    pub bits_per_trip: NonZeroUsize,
    /// Whether inserts look for a rebuild under way and write to its generation too, and queries for several elements whether
    /// one took the filter's place between their commands. It costs a `GET` or two `HGET` in the same round
    /// trip, and a second trip while a rebuild runs. Without it, what is inserted during a rebuild is lost when the
    /// generations are swapped, unless the caller inserts it into the [`Rebuild`](crate::Rebuild) as well.
    pub follow_rebuilds: bool,
    /// Whether a growing filter's set bits are counted once a bitmap and the count is kept in a key beside it, in place of
    /// counting the bitmap in every round trip that inserts: at a million elements a bitmap, that is most of the server's
    /// work. For filters that this crate alone writes to, with this option and with scripts: what others insert is not
    /// counted, so that the filter grows late and its false-positive rate rises. Nothing that was inserted is lost.
    pub keep_count: bool,
    /// Replicas that must have an insert before it counts. `WAIT` goes in the same round trip, behind what it waits for: over
    /// another connection it could reach another master, and count replicas that have nothing of it.
    pub replicas: Option<Replicas>,
}

/// Bits in one round trip unless the caller says otherwise.
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
    /// The same for what must be there: a generation of a rebuild, say.
    pub(crate) fn reported(self) -> Self {
        Self {
            missing: Missing::Reported,
            ..self
        }
    }
}

/// Which commands a server, or the proxy in front of it, takes. All by default. The crate's page lists who refuses what, under
/// "Servers and proxies".
///
/// | off | used instead | lost |
/// |---|---|---|
/// | `bitfield` | a `GETBIT` or `SETBIT` for each bit | speed |
/// | `transactions` | a script for each insert that must not start a filter, or has a time to live | speed: a `SETBIT` for each bit, in one step that occupies the server; while a slot of a cluster moves to another node, "new" may come out "seen" |
/// | `scripts` | plain commands in transactions | a growing filter is grown as published: two writers at the same moment may open two bitmaps (nothing that was inserted is lost), and takes several round trips, and cannot be rebuilt but by another client that has scripts; an insert into a missing filter starts a new one, and only this insert learns of it; expiry needs Redis 7.0 where it is fixed, and is set on a key of another type too; a merged filter loses its time to live; an upload takes as much memory again, and one command for each key that occupies the server; old generations are freed in the foreground |
/// | `transactions`, `scripts` | plain pipelines | what is lost with either; a client that dies between an insert and its expiry leaves a key without a time to live; and what is inserted at the moment at which a rebuild ends may be lost |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commands {
    /// `BITFIELD` and `BITFIELD_RO`: many bits in one command.
    pub bitfield: bool,
    /// `MULTI` and `EXEC`.
    pub transactions: bool,
    /// `EVAL` and `EVALSHA`.
    pub scripts: bool,
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
    /// Nothing but plain commands on strings.
    pub const PLAIN: Self = Self {
        bitfield: false,
        transactions: false,
        scripts: false,
    };
}

/// What it means that a filter is not on the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Missing {
    /// It was evicted, expired, flushed or never created: queries say [`Answer::Missing`](crate::Answer::Missing), and
    /// inserts fail with [`Error::Missing`] instead of starting a filter that lacks what the lost one held. New filters
    /// are created explicitly.
    #[default]
    Reported,
    /// It holds nothing: queries say [`Answer::Absent`](crate::Answer::Absent), and the first insert creates it. This is
    /// what the published programs do, and right where filters come and go by design, one a day, say.
    Empty,
}

/// What a query answers when the server does not: time-outs, lost connections, a server that loads or is out of memory
/// (see [`Trouble::is_unavailable`](crate::Trouble::is_unavailable)). Errors of the caller's are reported in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OnFailure {
    /// The error.
    #[default]
    Error,
    /// "May contain": what the filter guards is asked each time (fail open).
    MayContain,
    /// "Absent": what the filter guards is not asked (fail closed).
    Absent,
}

/// When a key goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Expiry {
    /// So long after the last insert, as published.
    Sliding(Duration),
    /// So long after the insert that found no time to live, later ones change nothing.
    Fixed(Duration),
}

/// Longest time to live, ms: beyond it the server's arithmetic would overflow. 285,616 years.
const LONGEST_MS: u128 = 1 << 53;

impl Expiry {
    /// Milliseconds to live.
    pub(crate) fn millis(self) -> Result<u64, Error> {
        let (Self::Sliding(time) | Self::Fixed(time)) = self;
        u64::try_from(time.as_millis())
            .ok()
            .filter(|&millis| (1..=LONGEST_MS).contains(&u128::from(millis)))
            .ok_or(Error::Expiry { given: time })
    }

    pub(crate) const fn is_fixed(self) -> bool {
        matches!(self, Self::Fixed(_))
    }
}

/// What `WAIT` is asked for after inserts. It says that replicas received the write, not that a fail-over keeps it:
/// replication is asynchronous, and a replica that lags may be elected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Replicas {
    /// How many must have it.
    pub count: u32,
    /// How long to wait for them. A connection's response time-out must be longer.
    pub timeout: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_the_server_would_take_for_now_or_never_are_refused() {
        let sliding = |time| Expiry::Sliding(time).millis();
        assert_eq!(sliding(Duration::from_millis(1)).unwrap(), 1);
        assert_eq!(sliding(Duration::from_secs(86_400)).unwrap(), 86_400_000);
        for time in [Duration::ZERO, Duration::from_micros(999), Duration::MAX] {
            assert!(matches!(sliding(time), Err(Error::Expiry { given }) if given == time));
        }
    }
}
