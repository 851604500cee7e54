//! Options of operations.

use core::time::Duration;
use std::time::{SystemTime, UNIX_EPOCH};

use redis::Cmd;

use crate::error::Error;

/// Options of a filter's operations, the same for all designs.
///
/// ```
/// use bloom_redis::{Missing, Options};
///
/// // Days that nobody has written to are empty, not lost.
/// let options = Options::default().missing(Missing::Empty);
/// # let _ = options;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    pub(crate) missing: Missing,
    pub(crate) bits_per_trip: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            missing: Missing::default(),
            bits_per_trip: 1 << 16,
        }
    }
}

impl Options {
    /// Sets the meaning of a filter that is not on the server; [`Missing::Reported`] by default.
    #[must_use]
    pub const fn missing(self, missing: Missing) -> Self {
        Self { missing, ..self }
    }

    /// Sets the largest number of bits that one round trip tests or sets, 65,536 by default; larger batches take
    /// several trips. A bit costs some 35 bytes in the request and 4 in the reply (a `Value` of the client until it is
    /// read), so the default amounts to some 2 MiB. The bits of a key stay in one trip, and each trip has at least
    /// one key, however few bits this allows. ElastiCache serverless, with commands of 3,999 arguments, needs 3,900.
    #[must_use]
    pub fn bits_per_trip(self, bits: u64) -> Self {
        let bits_per_trip = usize::try_from(bits).unwrap_or(usize::MAX);
        Self {
            bits_per_trip,
            ..self
        }
    }

    /// Returns the number of keys of so many bits that one round trip has.
    pub(crate) fn keys_per_trip(&self, probe_count: u32) -> usize {
        (self.bits_per_trip / probe_count as usize).max(1)
    }
}

/// The meaning of a filter that is not on the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Missing {
    /// The filter was evicted, expired, flushed or never created: queries answer
    /// [`Answer::Missing`](crate::Answer::Missing), and inserts fail with [`Error::Missing`](crate::Error::Missing) instead of starting a
    /// filter that lacks what the lost one held. New filters are created explicitly.
    #[default]
    Reported,
    /// The filter is empty: queries answer [`Answer::Absent`](crate::Answer::Absent), and the first insert creates it.
    /// A lost filter goes unnoticed. Choose this if filters come and go by design, for example one per day.
    Empty,
    /// Follows the published programs, whose strings have no mark: a missing filter is empty, the first insert begins its
    /// string, and nothing shows a loss or other parameters. A filter with a mark is still refused if its parameters
    /// differ. [`FixedFilter::write_marks`](crate::FixedFilter::write_marks) gives such a filter a mark, so that it no
    /// longer needs this.
    Published,
}

impl Missing {
    /// Returns the word for scripts.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::Empty => "empty",
            Self::Published => "published",
        }
    }
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
/// let sliding = FixedFilter::new("sessions", schema)?.expiry(Expiry::After(day));
/// // At a moment that the program knows.
/// let until = FixedFilter::new("today", schema)?.expiry(Expiry::At(SystemTime::UNIX_EPOCH + 20_000 * day));
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
    /// The filter expires at this moment by the server's clock, or at once if that is past.
    At(SystemTime),
}

/// The longest time to live in ms, 285,616 years. Beyond it the server's arithmetic would overflow.
const LONGEST_MS: u64 = 1 << 53;

impl Expiry {
    /// Checks the time and adds the command that sets it, which is empty to keep it, and its number.
    pub(crate) fn push_to(self, command: &mut Cmd) -> Result<&mut Cmd, Error> {
        let (how, number) = match self {
            Self::Keep => ("", 0),
            Self::Never => ("PERSIST", 0),
            Self::After(time) => ("PEXPIRE", millis(time)?),
            Self::At(time) => {
                let time = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
                ("PEXPIREAT", millis(time)?)
            }
        };
        Ok(command.arg(how).arg(number))
    }
}

pub(crate) fn millis(time: Duration) -> Result<u64, Error> {
    u64::try_from(time.as_millis())
        .ok()
        .filter(|millis| (1..=LONGEST_MS).contains(millis))
        .ok_or_else(|| {
            let got = format_args!("{time:?}");
            Error::argument("the time to live", "from 1 ms to 2^53 ms", got)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_the_server_would_take_for_now_or_never_are_refused() {
        assert_eq!(millis(Duration::from_millis(1)).unwrap(), 1);
        assert_eq!(millis(Duration::from_secs(86_400)).unwrap(), 86_400_000);
        for time in [Duration::ZERO, Duration::from_micros(999), Duration::MAX] {
            let error = Expiry::After(time).push_to(&mut Cmd::new()).unwrap_err();
            assert!(matches!(error, Error::InvalidArgument(_)));
            let text = format!("the time to live must be from 1 ms to 2^53 ms, got {time:?}");
            assert_eq!(error.to_string(), text);
        }
    }
}
