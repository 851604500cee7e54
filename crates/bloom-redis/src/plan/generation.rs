//! New generations of a filter: how they begin, how concurrent inserts find them, and how they replace the filter.
//!
//! Keys beside a filter, companions of its first key:
//!
//! | companion | type | holds |
//! |---|---|---|
//! | `rebuilding` | string | the number of the rebuild that is under way; expires with the lease |
//! | `generation` | hash | `attempts`: the number of the last rebuild that was begun; `swaps`: generations put in place; `at`: when the last was, Unix seconds of the server; `last`: the number of its rebuild |
//! | `next:N` | bitmap | what rebuild N has so far; expires with the lease |
//! | `load:next:N`, `loaded:next:N` | string | bits on their way into it, during an upload |
//!
//! A rebuild has a number of its own so that one that was slow and lost its lease writes to nothing that counts. Numbers begin
//! at the server's time in microseconds, so that none comes again after the record was lost with all else.

use core::time::Duration;

use redis::{Cmd, cmd};

use super::bitmap::Bitmap;
use super::scripts::{COMMIT, eval};
use crate::batch::{Batch, exists};
use crate::call::Line;
use crate::error::{Error, ErrorKind};
use crate::names::companion;
use crate::options::{Expiry, Options, millis};

/// Time to live that those who insert give a generation where it has none, since they do not know the lease: whatever
/// becomes of the rebuild, its keys go at last. Its own stays.
pub(crate) const ORPHAN: Duration = Duration::from_secs(3_600);

/// The number of a rebuild.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token(pub(crate) u64);

/// Looks for a rebuild under way.
#[derive(Debug, Clone)]
pub(crate) struct Watch {
    pub(crate) pointer: Vec<u8>,
}

impl Watch {
    pub(crate) fn new(anchor: &[u8]) -> Self {
        Self {
            pointer: companion("rebuilding", anchor),
        }
    }

    /// The command that tells.
    pub(crate) fn look(&self) -> Cmd {
        cmd("GET").arg(&self.pointer).take()
    }

    /// What it told.
    pub(crate) fn read(&self, reply: Option<&[u8]>) -> Result<Option<Token>, Error> {
        let Some(text) = reply else {
            return Ok(None);
        };
        let number = core::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        number
            .map(|number| Some(Token(number)))
            .ok_or_else(|| Error::malformed(&self.pointer, "the number of a rebuild", text))
    }
}

/// The bits of a rebuild of this filter.
pub(crate) fn next(live: &Bitmap, token: Token) -> Bitmap {
    Bitmap {
        keys: live.keys.iter().map(|key| next_key(key, token)).collect(),
        ..live.clone()
    }
}

/// The key, or what keys begin with, of a rebuild.
pub(crate) fn next_key(key: &[u8], token: Token) -> Vec<u8> {
    companion(&format!("next:{}", token.0), key)
}

/// The key of the generations' record.
pub(crate) fn record_key(anchor: &[u8]) -> Vec<u8> {
    companion("generation", anchor)
}

/// Asks which generation was put in place last: where it is another than before, the bits are others.
pub(super) fn last(anchor: &[u8]) -> Cmd {
    cmd("HGET").arg(record_key(anchor)).arg("last").take()
}

/// What a write to the generation of a rebuild that was seen under way says: the rebuild, if its generation is gone. It may
/// have become the filter, which then lacks what was written, and is written to again.
pub(super) fn gone<T>(token: Token, wrote: Result<T, Error>) -> Result<Option<Token>, Error> {
    match wrote {
        Ok(_) => Ok(None),
        Err(error) if error.kind() == ErrorKind::Missing => Ok(Some(token)),
        Err(error) => Err(error),
    }
}

/// The server's time: seconds since 1970, and microseconds. Proxies refuse `TIME` where they take a script for the server of a
/// key.
async fn time(line: &Line, key: &[u8], options: &Options) -> Result<(u64, u64), Error> {
    let ask = if options.commands.scripts {
        eval("return redis.call('TIME')", &[key])
    } else {
        cmd("TIME")
    };
    line.ask(&ask).await?.read("a time")
}

/// Begins a rebuild: its bits are all zero.
///
/// The anchor is what companions belong to; `name` gives the keys of the new bitmaps.
pub(crate) async fn begin(
    line: &Line,
    anchor: &[u8],
    name: impl Fn(Token) -> Vec<Vec<u8>>,
    lease: Duration,
    options: &Options,
) -> Result<Token, Error> {
    let millis = millis(lease)?;
    let (watch, record) = (Watch::new(anchor), record_key(anchor));
    let (seconds, micros) = time(line, &record, options).await?;
    let now = seconds.saturating_mul(1_000_000).saturating_add(micros);
    let mut batch = Batch::new();
    batch.add("HSETNX").arg(&record).arg("attempts").arg(now);
    batch.add("HINCRBY").arg(&record).arg("attempts").arg(1);
    let mut replies = line.send(batch).await?;
    replies.count()?;
    let token = Token(replies.count()?);

    let keys = name(token);
    let mut batch = Batch::new();
    let take = batch.add("SET").arg(&watch.pointer).arg(token.0);
    take.arg("NX").arg("PX").arg(millis);
    // Asked for, because a cluster client may have to send a command twice.
    batch.push(&watch.look());
    for key in &keys {
        let create = batch.add("SET").arg(key).arg(&[0_u8][..]);
        create.arg("PX").arg(millis);
    }
    let mut replies = line.send(batch).await?;
    replies.value()?;
    if watch.read(replies.bytes()?.as_deref())? != Some(token) {
        abandon(line, anchor, &keys, token).await?;
        let what = "another rebuild is under way";
        return Err(Error::of_key(ErrorKind::RebuildUnderWay, anchor, what));
    }
    replies.checked()?;
    Ok(token)
}

/// Makes the rebuild's lease run anew.
pub(crate) async fn renew(
    line: &Line,
    anchor: &[u8],
    keys: &[Vec<u8>],
    token: Token,
    lease: Duration,
) -> Result<(), Error> {
    let millis = millis(lease)?;
    let watch = Watch::new(anchor);
    let mut batch = Batch::new();
    batch.push(&watch.look());
    for key in keys.iter().chain([&watch.pointer]) {
        batch.add("PEXPIRE").arg(key).arg(millis);
    }
    let mut replies = line.send(batch).await?;
    let mut alive = watch.read(replies.bytes()?.as_deref())? == Some(token);
    for _ in keys {
        alive &= replies.count()? == 1;
    }
    if alive { Ok(()) } else { Err(lost(keys)) }
}

/// The error for a rebuild whose lease ended.
pub(crate) fn lost(keys: &[Vec<u8>]) -> Error {
    Error::missing(keys.first().map_or(&[], Vec::as_slice))
}

/// Puts the rebuild in the filter's place.
pub(crate) async fn commit(
    line: &Line,
    live: &Bitmap,
    token: Token,
    expiry: Expiry,
    options: &Options,
) -> Result<(), Error> {
    let lifetime = expiry.lifetime()?;
    let next = next(live, token);
    let (watch, record) = (Watch::new(live.anchor()), record_key(live.anchor()));
    if options.commands.scripts {
        let mut keys = vec![watch.pointer.as_slice(), &record];
        for (live, next) in live.keys.iter().zip(&next.keys) {
            keys.extend([live.as_slice(), next]);
        }
        let mut command = eval(&COMMIT, &keys);
        lifetime.push_to(command.arg(token.0));
        return match line.ask(&command).await?.count()? {
            0 => Err(next.missing()),
            _ => Ok(()),
        };
    }

    let mut batch = Batch::new();
    batch.push(&watch.look());
    for (live, next) in live.keys.iter().zip(&next.keys) {
        batch.push(&exists(next));
        batch.add("PTTL").arg(live);
    }
    let mut replies = line.send(batch).await?;
    let mut complete = watch.read(replies.bytes()?.as_deref())? == Some(token);
    let mut left = Vec::with_capacity(next.keys.len());
    for _ in &next.keys {
        complete &= replies.count()? == 1;
        let millis: i64 = replies.read("a time to live")?;
        left.push(u64::try_from(millis).ok().filter(|&millis| millis > 0));
    }
    if !complete {
        return Err(next.missing());
    }
    let (seconds, _) = time(line, &record, options).await?;
    let mut batch = Batch::atomic(options.commands.transactions);
    for ((live, next), left) in live.keys.iter().zip(&next.keys).zip(left) {
        batch.add("RENAME").arg(next).arg(live);
        if let Some(command) = lifetime.after(left).command(live) {
            batch.push(&command);
        }
    }
    batch.add("DEL").arg(&watch.pointer);
    batch.add("HINCRBY").arg(&record).arg("swaps").arg(1);
    let at = batch.add("HSET").arg(&record).arg("at").arg(seconds);
    at.arg("last").arg(token.0);
    line.send(batch).await?.checked().map(drop)
}

/// A number for a script, or nothing.
pub(super) fn or_empty(number: Option<u64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

/// Gives a rebuild up: the filter stays as it is.
pub(crate) async fn abandon(line: &Line, anchor: &[u8], keys: &[Vec<u8>], token: Token) -> Result<(), Error> {
    let watch = Watch::new(anchor);
    let mut batch = Batch::new();
    batch.push(&watch.look());
    batch.add("UNLINK").arg(keys);
    let mut replies = line.send(batch).await?;
    let under_way = watch.read(replies.bytes()?.as_deref())?;
    replies.count()?;
    if under_way == Some(token) {
        line.ask(cmd("DEL").arg(&watch.pointer)).await?.checked()?;
    }
    Ok(())
}

/// Gives up whichever rebuild is under way; whether there was one. `name` gives the keys of its bitmaps.
pub(crate) async fn abandon_any(
    line: &Line,
    anchor: &[u8],
    name: impl Fn(Token) -> Vec<Vec<u8>>,
) -> Result<bool, Error> {
    let Some(token) = under_way(line, anchor).await? else {
        return Ok(false);
    };
    abandon(line, anchor, &name(token), token).await?;
    Ok(true)
}

/// The rebuild that is under way.
pub(super) async fn under_way(line: &Line, anchor: &[u8]) -> Result<Option<Token>, Error> {
    let watch = Watch::new(anchor);
    let mut replies = line.ask(&watch.look()).await?;
    watch.read(replies.bytes()?.as_deref())
}
