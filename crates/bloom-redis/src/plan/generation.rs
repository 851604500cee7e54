//! New generations of a filter: how they are begun, found by those who insert meanwhile, and put in its place.
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

use redis::{Cmd, Value, cmd};

use super::Batch;
use super::batch::unexpected;
use super::bits::{Bitmap, exists};
use super::scripts::{COMMIT, eval};
use crate::call::Line;
use crate::error::Error;
use crate::names::companion;
use crate::options::{Expiry, Options};

/// Time to live that those who insert give a generation where it has none, since they do not know the lease: whatever
/// becomes of the rebuild, its keys go at last.
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
        let mut command = cmd("GET");
        command.arg(self.pointer.as_slice());
        command
    }

    /// What it told.
    pub(crate) fn read(&self, reply: Option<&[u8]>) -> Result<Option<Token>, Error> {
        let Some(text) = reply else {
            return Ok(None);
        };
        let number = core::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        number
            .map(|number| Some(Token(number)))
            .ok_or_else(|| Error::Malformed {
                key: self.pointer.clone(),
                expected: "the number of a rebuild",
                found: text[..text.len().min(40)].escape_ascii().to_string(),
            })
    }
}

/// Time to live that a generation gets from those who only follow it: its own stays.
pub(crate) const fn follower_expiry() -> Expiry {
    Expiry::Fixed(ORPHAN)
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
    let mut command = cmd("HGET");
    command.arg(record_key(anchor)).arg("last");
    command
}

/// The server's time: seconds since 1970 as it writes them, and microseconds.
async fn time(line: &Line) -> Result<(Vec<u8>, u64), Error> {
    let mut replies = line.send(Batch::of(cmd("TIME"))).await?;
    let parts = replies.array()?;
    let number = |part: &Value| match part {
        Value::BulkString(text) => core::str::from_utf8(text).ok()?.parse::<u64>().ok(),
        _ => None,
    };
    if let [Value::BulkString(text), rest] = &parts[..]
        && let (Some(seconds), Some(micros)) = (number(&parts[0]), number(rest))
        && let Some(micros) = seconds
            .checked_mul(1_000_000)
            .and_then(|all| all.checked_add(micros))
    {
        return Ok((text.clone(), micros));
    }
    Err(unexpected("a time", parts.first()))
}

/// Begins a rebuild: its bits are all zero.
///
/// The anchor is what companions belong to; `name` gives the keys of the new bitmaps.
pub(crate) async fn begin(
    line: &Line,
    anchor: &[u8],
    name: impl Fn(Token) -> Vec<Vec<u8>>,
    lease: Duration,
) -> Result<Token, Error> {
    let millis = Expiry::Sliding(lease).millis()?;
    let (_, now) = time(line).await?;
    let mut batch = Batch::new();
    let mut first = cmd("HSETNX");
    first.arg(record_key(anchor)).arg("attempts").arg(now);
    batch.push(first);
    let mut count = cmd("HINCRBY");
    count.arg(record_key(anchor)).arg("attempts").arg(1);
    batch.push(count);
    let mut replies = line.send(batch).await?;
    replies.count()?;
    let token = Token(replies.count()?);

    let (watch, keys) = (Watch::new(anchor), name(token));
    let mut batch = Batch::new();
    let mut take = cmd("SET");
    take.arg(watch.pointer.as_slice())
        .arg(token.0)
        .arg("NX")
        .arg("PX")
        .arg(millis);
    batch.push(take);
    // Asked for, because a cluster client may have to send a command twice.
    batch.push(watch.look());
    for key in &keys {
        let mut create = cmd("SET");
        create.arg(key.as_slice()).arg(&[0_u8][..]).arg("PX").arg(millis);
        batch.push(create);
    }
    let mut replies = line.send(batch).await?;
    replies.value()?;
    if watch.read(replies.bytes()?.as_deref())? != Some(token) {
        abandon(line, anchor, &keys, token).await?;
        return Err(Error::RebuildUnderWay { key: anchor.to_vec() });
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
    let millis = Expiry::Sliding(lease).millis()?;
    let watch = Watch::new(anchor);
    let mut batch = Batch::new();
    batch.push(watch.look());
    for key in keys.iter().chain([&watch.pointer]) {
        let mut command = cmd("PEXPIRE");
        command.arg(key.as_slice()).arg(millis);
        batch.push(command);
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
    Error::Missing {
        key: keys.first().cloned().unwrap_or_default(),
    }
}

/// Puts the rebuild in the filter's place.
pub(crate) async fn commit(
    line: &Line,
    live: &Bitmap,
    token: Token,
    expiry: Option<Expiry>,
    options: &Options,
) -> Result<(), Error> {
    let millis = expiry.map(Expiry::millis).transpose()?;
    let next = next(live, token);
    let (watch, record) = (Watch::new(live.anchor()), record_key(live.anchor()));
    if options.commands.scripts {
        let mut keys = vec![watch.pointer.as_slice(), &record];
        for (live, next) in live.keys.iter().zip(&next.keys) {
            keys.extend([live.as_slice(), next]);
        }
        let mut command = eval(&COMMIT, &keys);
        command.arg(token.0);
        match millis {
            Some(millis) => command.arg(millis),
            None => command.arg(""),
        };
        return match line.send(Batch::of(command)).await?.count()? {
            0 => Err(next.missing()),
            _ => Ok(()),
        };
    }

    let mut batch = Batch::new();
    batch.push(watch.look());
    for key in &next.keys {
        batch.push(exists(key));
    }
    let mut replies = line.send(batch).await?;
    let under_way = watch.read(replies.bytes()?.as_deref())?;
    let mut complete = under_way == Some(token);
    for _ in &next.keys {
        complete &= replies.count()? == 1;
    }
    if !complete {
        return Err(next.missing());
    }
    let (seconds, _) = time(line).await?;
    let mut batch = if options.commands.transactions {
        Batch::atomic()
    } else {
        Batch::new()
    };
    for (live, next) in live.keys.iter().zip(&next.keys) {
        let mut rename = cmd("RENAME");
        rename.arg(next.as_slice()).arg(live.as_slice());
        batch.push(rename);
        let mut live_for = cmd(if millis.is_some() { "PEXPIRE" } else { "PERSIST" });
        live_for.arg(live.as_slice());
        if let Some(millis) = millis {
            live_for.arg(millis);
        }
        batch.push(live_for);
    }
    let mut done = cmd("DEL");
    done.arg(watch.pointer.as_slice());
    batch.push(done);
    let mut count = cmd("HINCRBY");
    count.arg(record.as_slice()).arg("swaps").arg(1);
    batch.push(count);
    let mut at = cmd("HSET");
    at.arg(record.as_slice()).arg("at").arg(seconds.as_slice());
    at.arg("last").arg(token.0);
    batch.push(at);
    line.send(batch).await?.checked().map(|_| ())
}

/// Gives a rebuild up: the filter stays as it is.
pub(crate) async fn abandon(line: &Line, anchor: &[u8], keys: &[Vec<u8>], token: Token) -> Result<(), Error> {
    let watch = Watch::new(anchor);
    let mut batch = Batch::new();
    batch.push(watch.look());
    let mut unlink = cmd("UNLINK");
    for key in keys {
        unlink.arg(key.as_slice());
    }
    batch.push(unlink);
    let mut replies = line.send(batch).await?;
    let under_way = watch.read(replies.bytes()?.as_deref())?;
    replies.count()?;
    if under_way == Some(token) {
        let mut forget = cmd("DEL");
        forget.arg(watch.pointer.as_slice());
        line.send(Batch::of(forget)).await?.checked()?;
    }
    Ok(())
}
