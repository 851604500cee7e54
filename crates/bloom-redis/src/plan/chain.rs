//! A growing filter on the server: bitmaps behind a cursor, and the scripts that run on them.

use guava_bloom::Hash128;
use redis::{Cmd, cmd};

use super::bitmap::Bitmap;
use super::generation::{Token, next_key};
use super::scripts::Digested;
use crate::batch::Replies;
use crate::call::Line;
use crate::error::{Error, ErrorKind};
use crate::names::companion;
use crate::options::{Commands, Missing, Options};
use crate::schema::Schema;

/// The largest number of bitmaps of a filter. Every one is asked in every query, so that a filter of so many is long past its use; and a
/// cursor that holds anything else cannot occupy the server.
pub(crate) const MAX_BITMAPS: u64 = 1_000;

/// A growing filter's keys and size.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chain {
    /// The cursor of the filter, whose companions tell of rebuilds, also where this is one of its generations.
    pub(crate) anchor: Vec<u8>,
    pub(crate) cursor: Vec<u8>,
    /// What the keys of the bitmaps begin with; a number follows.
    pub(crate) base: Vec<u8>,
    /// The key of the parameter record. Where there is one, there is a cursor.
    pub(crate) record: Vec<u8>,
    pub(crate) schema: Schema,
    /// Whether the bitmaps are meant to lie in several slots of a cluster.
    pub(crate) spread: bool,
}

impl Chain {
    /// The key of a bitmap.
    pub(crate) fn key(&self, number: u64) -> Vec<u8> {
        [&self.base, number.to_string().as_bytes()].concat()
    }

    pub(crate) fn bitmap(&self, number: u64) -> Bitmap {
        Bitmap {
            spread: self.spread,
            ..Bitmap::whole(self.key(number), self.schema)
        }
    }

    /// The key of the kept count.
    pub(super) fn counter(&self) -> Vec<u8> {
        companion("ones", &self.cursor)
    }

    /// Whether scripts do the work: they take all keys in one slot.
    pub(super) fn by_script(&self, options: &Options) -> bool {
        options.commands.scripts && !self.spread
    }

    /// The filter of a rebuild.
    pub(crate) fn next(&self, token: Token) -> Self {
        Self {
            cursor: next_key(&self.cursor, token),
            base: next_key(&self.base, token),
            // There is none.
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
                command.arg(1 + keys.len()).arg(&self.cursor).arg(keys);
                command.arg(&self.base).arg(MAX_BITMAPS);
                command.arg(u8::from(options.missing == Missing::Reported));
                arguments(command.arg(&self.record));
            })
            .await;
        match replies {
            Err(error) => Err(
                match error
                    .redis()
                    .and_then(|error| Some((error.code()?, error.detail())))
                {
                    Some(("BADCURSOR", detail)) => self.bad_cursor(detail.unwrap_or_default().as_bytes()),
                    Some(("FULL", _)) => self.full(),
                    _ => error,
                },
            ),
            replies => replies,
        }
    }

    /// Where the bits of elements lie, element by element.
    pub(super) fn offsets(&self, hashes: &[Hash128]) -> Vec<u64> {
        (hashes.iter())
            .flat_map(|&hash| self.schema.positions(hash))
            .collect()
    }

    fn bad_cursor(&self, found: &[u8]) -> Error {
        Error::malformed(&self.cursor, "the number of a bitmap, below 1,000", found)
    }

    /// The error for a filter with as many bitmaps as it may have.
    pub(super) fn full(&self) -> Error {
        let what = format_args!("the number of bitmaps must be at most {MAX_BITMAPS}, got another");
        Error::of_key(ErrorKind::Full, &self.cursor, what)
    }

    /// The number of the current bitmap; 0 if there is no cursor.
    pub(crate) async fn read_cursor(&self, line: &Line) -> Result<u64, Error> {
        let mut replies = line.ask(cmd("GET").arg(&self.cursor)).await?;
        self.parse_cursor(replies.bytes()?.as_deref())
    }

    pub(super) fn parse_cursor(&self, text: Option<&[u8]>) -> Result<u64, Error> {
        let Some(text) = text else {
            return Ok(0);
        };
        core::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok())
            .filter(|&number| number < MAX_BITMAPS)
            .ok_or_else(|| self.bad_cursor(&text[..text.len().min(40)]))
    }

    /// Gives a bitmap its full length, as published. Its last bit stays what it is where the command for that is allowed: others
    /// may write already.
    pub(super) fn allocate(&self, number: u64, commands: Commands) -> Cmd {
        let (key, last) = (self.key(number), self.schema.bits() - 1);
        if commands.bitfield {
            let mut command = cmd("BITFIELD");
            return command.arg(key).arg("INCRBY").arg("u1").arg(last).arg("0").take();
        }
        cmd("SETBIT").arg(key).arg(last).arg("0").take()
    }
}
