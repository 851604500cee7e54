//! A growing filter on the server: bitmaps behind a cursor, and the scripts that run on them.
//!
//! Its parameter record is the last key that `create` writes, so that a filter without it has lost keys, or was never
//! created. It reveals a caller with other parameters. The key is `bloom-redis:parameters:` followed by the prefix, in
//! its slot of a cluster. The value is one line of text, for instance
//! `bloom-redis 1 design=growing insertions=10000 fpp=0.0005 bits=158208 probes=11 part_bits=158208`.

use membership_filters::Hash128;
use membership_filters::redisbloom::{companion_key, hash_tag};
use redis::{Cmd, ErrorKind as RedisErrorKind, RedisError, ServerErrorKind, cmd};

use super::bitmap::offsets;
use super::scripts::Digested;
use crate::batch::Replies;
use crate::call::Line;
use crate::error::{Details, Error, is_cross_slot};
use crate::options::Options;
use crate::schema::Schema;

/// The beginning of a parameter record: the program, and the version of the format.
const HEAD: &str = "bloom-redis 1 ";

/// The largest number of bitmaps of a filter. Every query tests all of them, so a filter is past its use long before
/// this limit. The limit also keeps a malformed cursor from occupying the server.
pub(crate) const MAX_BITMAPS: u64 = 1_000;

/// A growing filter's keys and size.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chain {
    pub(crate) cursor: Vec<u8>,
    /// The prefix of the bitmaps' keys; a number follows.
    pub(crate) base: Vec<u8>,
    /// The key of the parameter record. A filter that lacks it is not complete.
    pub(crate) record: Vec<u8>,
    pub(crate) schema: Schema,
    pub(crate) options: Options,
}

impl Chain {
    pub(crate) fn new(prefix: &[u8], schema: Schema, options: Options) -> Self {
        Self {
            cursor: [prefix, b"cursor"].concat(),
            base: [prefix, b"bloomfilter-"].concat(),
            record: companion_key("parameters", prefix),
            schema,
            options,
        }
    }

    pub(crate) fn key(&self, number: u64) -> Vec<u8> {
        [&self.base, number.to_string().as_bytes()].concat()
    }

    /// Interprets the length of a bitmap on the server: returns whether it is there.
    pub(crate) fn is_there(&self, number: u64, length: u64) -> Result<bool, Error> {
        let bytes = self.schema.bits() / 8;
        match length {
            0 => Ok(false),
            _ if length == bytes => Ok(true),
            _ => Err(Error::of_length(&self.key(number), bytes, length)),
        }
    }

    /// Returns the parameter record. The rate is the shortest text that reads back as the same number.
    pub(super) fn parameters(&self) -> String {
        let (insertions, rate) = (self.schema.capacity(), self.schema.rate());
        let (bits, probes) = (self.schema.bits(), self.schema.probe_count());
        format!(
            "{HEAD}design=growing insertions={insertions} fpp={rate} bits={bits} probes={probes} part_bits={bits}"
        )
    }

    pub(super) async fn run(
        &self,
        script: &Digested,
        line: &Line,
        hashes: &[Hash128],
    ) -> Result<Replies, Error> {
        let replies = script
            .run(line, |command| {
                command.arg(2).arg(&self.cursor).arg(&self.record);
                command.arg(&self.base).arg(MAX_BITMAPS);
                command.arg(self.options.missing.word());
                command.arg(self.parameters()).arg(self.schema.bits() / 8);
                command.arg(self.schema.probe_count());
                command.arg(offsets(&self.schema, hashes));
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
            Some("FULL") => {
                let most = MAX_BITMAPS;
                let what = format_args!("the number of bitmaps must be at most {most}, got {}", most + 1);
                Error::Full(Details::of_key(&self.cursor, what))
            }
            // All keys have the same hash tag, so that some of them are on another node only while the slot moves.
            _ if redis.is_some_and(is_cross_slot) && hash_tag(&self.base).is_some() => moving(),
            _ => error,
        }
    }

    pub(super) fn check_record(&self, found: &[u8]) -> Result<(), Error> {
        let ours = self.parameters();
        if found == ours.as_bytes() {
            return Ok(());
        }
        if !found.starts_with(HEAD.as_bytes()) {
            return Err(Error::malformed(&self.record, "a parameter record", found));
        }
        let what = format_args!("the record must be \"{ours}\", got \"{}\"", found.escape_ascii());
        Err(Error::Mismatch(Details::of_key(&self.record, what)))
    }

    fn bad_cursor(&self, found: &[u8]) -> Error {
        Error::malformed(&self.cursor, "the number of a bitmap, below 1,000", found)
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
    pub(super) fn allocate(&self, number: u64) -> Cmd {
        let (key, last) = (self.key(number), self.schema.bits() - 1);
        let mut command = cmd("BITFIELD");
        command.arg(key).arg("INCRBY").arg("u1").arg(last).arg("0").take()
    }
}

/// Returns the error for a filter whose slot is moving between two nodes of a cluster.
pub(super) fn moving() -> Error {
    let kind = RedisErrorKind::Server(ServerErrorKind::TryAgain);
    RedisError::from((kind, "the filter's slot is moving between nodes")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_recognised_and_a_mismatch_names_both_values() {
        let [ours, other] = [0.0005, 0.03].map(|rate| {
            let schema = Schema::whole_words(10_000, rate).unwrap();
            Chain::new(b"", schema, Options::default())
        });
        let expected =
            "bloom-redis 1 design=growing insertions=10000 fpp=0.0005 bits=158208 probes=11 part_bits=158208";
        assert_eq!(ours.parameters(), expected);
        ours.check_record(expected.as_bytes()).unwrap();
        let other = other.parameters();
        let error = ours.check_record(other.as_bytes()).unwrap_err();
        assert!(matches!(error, Error::Mismatch(_)));
        assert!(error.to_string().contains(expected) && error.to_string().contains(&other));
        let error = ours.check_record(b"").unwrap_err();
        let text = "bloom-redis:parameters:{}: the value must be a parameter record, got \"\"";
        assert_eq!(error.to_string(), text);
    }
}
