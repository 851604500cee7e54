//! A growing filter on the server: bitmaps behind a cursor, and the scripts that run on them.

use guava_bloom::Hash128;
use redis::{Cmd, ErrorKind as RedisErrorKind, RedisError, ServerErrorKind, cmd};

use super::bitmap::Bitmap;
use super::generation::{Token, next_key};
use super::scripts::Digested;
use crate::batch::Replies;
use crate::call::Line;
use crate::error::{Error, ErrorKind};
use crate::names::{companion, hash_tag};
use crate::options::{Commands, Missing, Options};
use crate::record;
use crate::schema::Schema;

/// The largest number of bitmaps of a filter. Every query tests all of them, so a filter is past its use long before
/// this limit. The limit also keeps a malformed cursor from occupying the server.
pub(crate) const MAX_BITMAPS: u64 = 1_000;

/// A growing filter's keys and size.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chain {
    /// The cursor of the filter in use, whose companions describe rebuilds, even if this is a generation of a rebuild.
    pub(crate) anchor: Vec<u8>,
    pub(crate) cursor: Vec<u8>,
    /// The prefix of the bitmaps' keys; a number follows.
    pub(crate) base: Vec<u8>,
    /// The key of the parameter record. A filter that lacks it is not complete.
    pub(crate) record: Vec<u8>,
    pub(crate) schema: Schema,
    /// Set if the bitmaps are meant to lie in several slots of a cluster.
    pub(crate) spread: bool,
}

impl Chain {
    pub(crate) fn key(&self, number: u64) -> Vec<u8> {
        [&self.base, number.to_string().as_bytes()].concat()
    }

    pub(crate) fn bitmap(&self, number: u64) -> Bitmap {
        Bitmap {
            spread: self.spread,
            ..Bitmap::whole(self.key(number), self.schema, false)
        }
    }

    pub(crate) fn parameters(&self) -> String {
        record::text(&self.schema)
    }

    /// Returns the key of the kept count of ones.
    pub(super) fn counter(&self) -> Vec<u8> {
        companion("ones", &self.cursor)
    }

    /// Returns true if scripts do the work. They need all keys in one slot.
    pub(super) fn by_script(&self, options: &Options) -> bool {
        options.commands.scripts && !self.spread
    }

    pub(crate) fn next(&self, token: Token) -> Self {
        Self {
            cursor: next_key(&self.cursor, token),
            base: next_key(&self.base, token),
            record: next_key(&self.record, token),
            ..self.clone()
        }
    }

    pub(super) fn missing(&self) -> Error {
        Error::missing(&self.key(0))
    }

    pub(super) async fn run(
        &self,
        script: &Digested,
        line: &Line,
        keys: &[&[u8]],
        options: &Options,
        wait: Option<Cmd>,
        arguments: impl Fn(&mut Cmd),
    ) -> Result<Replies, Error> {
        let replies = script
            .run(line, wait, |command| {
                command
                    .arg(2 + keys.len())
                    .arg(&self.cursor)
                    .arg(&self.record)
                    .arg(keys);
                command.arg(&self.base).arg(MAX_BITMAPS);
                command.arg(u8::from(options.missing == Missing::Reported));
                arguments(command.arg(self.parameters()).arg(self.schema.bits() / 8));
            })
            .await;
        replies.map_err(|error| self.explain(error))
    }

    fn explain(&self, error: Error) -> Error {
        let redis = error.redis();
        let detail = redis.and_then(RedisError::detail).unwrap_or_default();
        match redis.and_then(RedisError::code) {
            Some("BADCURSOR") => self.bad_cursor(detail.as_bytes()),
            Some("BADRECORD") => match self.check_record(detail.as_bytes()) {
                Err(error) => error,
                Ok(()) => error,
            },
            Some("BADLENGTH") => {
                let mut numbers = detail.split(' ').map(|number| number.parse().unwrap_or(0));
                let (number, length) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
                Error::of_length(&self.key(number), self.schema.bits() / 8, length)
            }
            Some("FULL") => self.full(),
            // All keys have the same hash tag, so that some of them are on another node only while the slot moves.
            _ if error.kind() == ErrorKind::CrossSlot && hash_tag(&self.base).is_some() => moving(),
            _ => error,
        }
    }

    pub(super) fn check_record(&self, found: &[u8]) -> Result<(), Error> {
        record::check(&self.record, &self.parameters(), found)
    }

    pub(super) fn offsets(&self, hashes: &[Hash128]) -> Vec<u64> {
        (hashes.iter())
            .flat_map(|&hash| self.schema.positions(hash))
            .collect()
    }

    fn bad_cursor(&self, found: &[u8]) -> Error {
        Error::malformed(&self.cursor, "the number of a bitmap, below 1,000", found)
    }

    pub(super) fn full(&self) -> Error {
        let what = format_args!(
            "the number of bitmaps must be at most {MAX_BITMAPS}, got {}",
            MAX_BITMAPS + 1
        );
        Error::of_key(ErrorKind::Full, &self.cursor, what)
    }

    pub(super) fn parse_cursor(&self, text: &[u8]) -> Result<u64, Error> {
        core::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok())
            .filter(|&number| number < MAX_BITMAPS)
            .ok_or_else(|| self.bad_cursor(&text[..text.len().min(40)]))
    }

    /// Returns the command that gives a bitmap its full length, as published. `BITFIELD` leaves the last bit as it is,
    /// which another client may have set already; `SETBIT` clears it.
    pub(super) fn allocate(&self, number: u64, commands: Commands) -> Cmd {
        let (key, last) = (self.key(number), self.schema.bits() - 1);
        if commands.bitfield {
            let mut command = cmd("BITFIELD");
            return command.arg(key).arg("INCRBY").arg("u1").arg(last).arg("0").take();
        }
        cmd("SETBIT").arg(key).arg(last).arg("0").take()
    }
}

/// Returns the error for a filter whose slot is moving between two nodes of a cluster.
pub(super) fn moving() -> Error {
    let kind = RedisErrorKind::Server(ServerErrorKind::TryAgain);
    RedisError::from((kind, "the filter's slot is moving between nodes")).into()
}
