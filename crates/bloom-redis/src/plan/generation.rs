//! New generations of a filter: how they begin, how concurrent inserts find them, and how they replace the filter.
//!
//! Companion keys of a filter:
//!
//! | companion | type | holds |
//! |---|---|---|
//! | `rebuilding` | string | the number of the rebuild under way; expires with the lease |
//! | `generation` | hash | `attempts`: the number of the last rebuild begun; `swaps`: the number of rebuilds that replaced the filter; `at`: when the last one did, in Unix seconds of the server; `last`: its number |
//! | `next:N` | bitmap | the bits of rebuild N so far; expires with the lease |
//! | `load:next:N`, `loaded:next:N` | string | bits on their way into `next:N` during an upload |
//!
//! Each rebuild has its own number, so that a slow one that lost its lease cannot write to a later one. Numbers begin
//! at the server's time in microseconds, so that they do not repeat after the record was lost.

use core::time::Duration;

use redis::{Cmd, cmd};

use super::bitmap::Bitmap;
use super::scripts::{COMMIT, eval};
use crate::batch::{Batch, length};
use crate::call::Line;
use crate::error::{Error, ErrorKind};
use crate::names::companion;
use crate::options::{Expiry, Options, millis};

/// The time to live that inserts give to a generation without one, since they do not know the lease. It makes the keys
/// of every rebuild expire in the end. An existing time to live stays.
pub(crate) const ORPHAN: Duration = Duration::from_secs(3_600);

/// The number of a rebuild.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token(pub(crate) u64);

/// The key that names the rebuild under way.
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

    pub(crate) fn look(&self) -> Cmd {
        cmd("GET").arg(&self.pointer).take()
    }

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

pub(crate) fn next(live: &Bitmap, token: Token) -> Bitmap {
    Bitmap {
        keys: live.keys.iter().map(|key| next_key(key, token)).collect(),
        ..live.clone()
    }
}

/// Returns a key, or the prefix of keys, of a rebuild.
pub(crate) fn next_key(key: &[u8], token: Token) -> Vec<u8> {
    companion(&format!("next:{}", token.0), key)
}

/// Returns the key of the hash that describes the generations.
pub(crate) fn record_key(anchor: &[u8]) -> Vec<u8> {
    companion("generation", anchor)
}

/// Returns the command that reads which rebuild last replaced the filter. If the reply changes, the bits have changed.
pub(super) fn last(anchor: &[u8]) -> Cmd {
    cmd("HGET").arg(record_key(anchor)).arg("last").take()
}

/// Interprets a write to the generation of a rebuild under way. Returns the rebuild if its generation is gone: it may
/// have become the filter, which then lacks the elements and must be written to again. A string of another length is
/// none of a generation, and its rebuild fails.
pub(super) fn gone<T>(token: Token, wrote: Result<T, Error>) -> Result<Option<Token>, Error> {
    match wrote {
        Ok(_) => Ok(None),
        Err(error) if matches!(error.kind(), ErrorKind::Missing | ErrorKind::Malformed) => Ok(Some(token)),
        Err(error) => Err(error),
    }
}

/// Reads the server's time: seconds since 1970, and microseconds. Proxies refuse `TIME`, but pass a script on to the
/// server of its key.
async fn time(line: &Line, key: &[u8], options: &Options) -> Result<(u64, u64), Error> {
    let ask = if options.commands.scripts {
        eval("return redis.call('TIME')", &[key])
    } else {
        cmd("TIME")
    };
    line.ask(&ask).await?.read("a time")
}

/// Begins a rebuild with all bits zero. Its companions belong to `anchor`; `name` returns its bitmap, and other keys with
/// their values.
pub(crate) async fn begin(
    line: &Line,
    anchor: &[u8],
    name: impl Fn(Token) -> (Bitmap, Vec<(Vec<u8>, String)>),
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

    let (bitmap, others) = name(token);
    let mut batch = Batch::new();
    let take = batch.add("SET").arg(&watch.pointer).arg(token.0);
    take.arg("NX").arg("PX").arg(millis);
    // Read back, because a cluster client may have to send `SET` twice.
    batch.push(&watch.look());
    for piece in bitmap.pieces() {
        let create = batch.add("SET").arg(piece.key).arg(&[0_u8][..]);
        create.arg("PX").arg(millis);
        batch.push(&piece.allocate());
    }
    for (key, value) in &others {
        batch.add("SET").arg(key).arg(value).arg("PX").arg(millis);
    }
    let mut replies = line.send(batch).await?;
    replies.value()?;
    if watch.read(replies.bytes()?.as_deref())? != Some(token) {
        let others = others.into_iter().map(|(key, _)| key);
        let keys: Vec<Vec<u8>> = bitmap.keys.into_iter().chain(others).collect();
        abandon(line, anchor, &keys, token).await?;
        let what = "another rebuild is under way";
        return Err(Error::of_key(ErrorKind::RebuildUnderWay, anchor, what));
    }
    replies.checked()?;
    Ok(token)
}

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

pub(crate) fn lost(keys: &[Vec<u8>]) -> Error {
    Error::missing(keys.first().map_or(&[], Vec::as_slice))
}

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
        for piece in next.pieces() {
            command.arg(piece.bytes);
        }
        return match line.ask(&command).await?.count()? {
            0 => Err(next.missing()),
            _ => Ok(()),
        };
    }

    let mut batch = Batch::new();
    batch.push(&watch.look());
    for (live, next) in live.keys.iter().zip(&next.keys) {
        batch.push(&length(next));
        batch.add("PTTL").arg(live);
    }
    let mut replies = line.send(batch).await?;
    let mut complete = watch.read(replies.bytes()?.as_deref())? == Some(token);
    let mut left = Vec::with_capacity(next.keys.len());
    for piece in next.pieces() {
        complete &= replies.count()? == piece.bytes;
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
    let done = line.send(batch).await?.checked().map(drop);
    if done.is_err() && live.keys.len() > 1 {
        // A part of the generation was lost just now: the filter has parts of both.
        line.ask(cmd("UNLINK").arg(&live.keys)).await?.checked()?;
    }
    done
}

/// Formats a number for a script; `None` becomes empty.
pub(super) fn or_empty(number: Option<u64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

/// Abandons a rebuild. The filter stays as it is.
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

/// Abandons the rebuild under way. Returns whether there was one. `name` returns the keys of its bitmaps.
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

pub(super) async fn under_way(line: &Line, anchor: &[u8]) -> Result<Option<Token>, Error> {
    let watch = Watch::new(anchor);
    let mut replies = line.ask(&watch.look()).await?;
    watch.read(replies.bytes()?.as_deref())
}
