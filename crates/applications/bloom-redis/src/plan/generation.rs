//! New generations of a filter: how they begin, how concurrent inserts find them, and how they replace the filter.
//!
//! Companion keys of a filter:
//!
//! | companion | type | holds |
//! |---|---|---|
//! | `rebuilding` | string | the number of the rebuild under way; expires with the lease |
//! | `next:N` | bitmap | the bits of rebuild N so far; expires with the lease |
//! | `load:next:N`, `loaded:next:N` | string | bits on their way into `next:N` during an upload |
//!
//! Each rebuild has a random number of its own, so that a slow one that lost its lease cannot write to a later one.

use core::time::Duration;
use std::hash::{BuildHasher as _, RandomState};

use redis::{Cmd, cmd};

use super::bitmap::Bitmap;

use super::scripts::{COMMIT, eval};
use super::whole::create_command;
use crate::batch::{Batch, Replies};
use crate::call::Line;
use crate::error::Error;
use crate::options::{Expiry, millis};
use membership_filters::redisbloom::companion_key;

/// The number of a rebuild.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token(pub(crate) u64);

/// Returns the key that names the rebuild under way of a filter.
fn pointer(live: &Bitmap) -> Vec<u8> {
    companion_key("rebuilding", &live.key)
}

/// Returns the command that reads which rebuild is under way.
pub(crate) fn look(live: &Bitmap) -> Cmd {
    cmd("GET").arg(pointer(live)).take()
}

/// Reads the reply to [`look`].
pub(crate) fn read_token(live: &Bitmap, replies: &mut Replies) -> Result<Option<Token>, Error> {
    let pointer = pointer(live);
    let Some(text) = replies.bytes().map_err(|error| error.about(&pointer))? else {
        return Ok(None);
    };
    let number = core::str::from_utf8(&text)
        .ok()
        .and_then(|text| text.parse().ok());
    let malformed = || Error::malformed(&pointer, "the number of a rebuild", &text);
    number.map(|number| Some(Token(number))).ok_or_else(malformed)
}

/// Returns the generation of a rebuild.
pub(crate) fn next(live: &Bitmap, token: Token) -> Bitmap {
    Bitmap {
        key: companion_key(&format!("next:{}", token.0), &live.key),
        schema: live.schema,
        generation: token.0,
    }
}

/// Interprets a write to the generation of a rebuild under way. Returns the rebuild if its generation is gone: it may
/// have become the filter, which then lacks the keys and must be written to again. A string of another length is
/// none of a generation, and its rebuild fails.
pub(super) fn gone<T>(token: Token, wrote: Result<T, Error>) -> Result<Option<Token>, Error> {
    match wrote {
        Ok(_) => Ok(None),
        Err(Error::Missing { .. } | Error::Malformed(_)) => Ok(Some(token)),
        Err(error) => Err(error),
    }
}

/// Begins a rebuild with all bits zero.
pub(crate) async fn begin(line: &Line, live: &Bitmap, lease: Duration) -> Result<Token, Error> {
    let millis = millis(lease)?;
    // Not 0, which is the number of no rebuild.
    let token = Token(RandomState::new().hash_one(&live.key) | 1);
    let next = next(live, token);
    let mut batch = Batch::new();
    let take = batch.add("SET").arg(pointer(live)).arg(token.0);
    take.arg("NX").arg("PX").arg(millis);
    // Read back, because a cluster client may have to send `SET` twice.
    batch.push(&look(live));
    batch.push(&create_command(&next, Expiry::After(lease))?);
    let mut replies = line.send(batch).await?;
    replies.value()?;
    if read_token(live, &mut replies)? != Some(token) {
        abandon(line, live, token).await?;
        let key = live.key.clone();
        return Err(Error::RebuildUnderWay { key });
    }
    replies.checked()?;
    Ok(token)
}

pub(crate) async fn renew(line: &Line, live: &Bitmap, token: Token, lease: Duration) -> Result<(), Error> {
    let millis = millis(lease)?;
    let next = next(live, token);
    let mut batch = Batch::new();
    batch.push(&look(live));
    for key in [&next.key, &pointer(live)] {
        batch.add("PEXPIRE").arg(key).arg(millis);
    }
    let mut replies = line.send(batch).await?;
    match (read_token(live, &mut replies)?, replies.count()?) {
        (Some(under_way), 1) if under_way == token => Ok(()),
        _ => Err(Error::missing(&next.key)),
    }
}

pub(crate) async fn commit(line: &Line, live: &Bitmap, token: Token, expiry: Expiry) -> Result<(), Error> {
    let lifetime = expiry.lifetime()?;
    let next = next(live, token);
    let mut command = eval(&COMMIT, &[&pointer(live), &live.key, &next.key]);
    let command = lifetime.push_to(command.arg(token.0)).arg(next.mark());
    match line.run(command).await?.count()? {
        0 => Err(Error::missing(&next.key)),
        _ => Ok(()),
    }
}

/// Abandons a rebuild. The filter stays as it is.
pub(crate) async fn abandon(line: &Line, live: &Bitmap, token: Token) -> Result<(), Error> {
    let mut batch = Batch::new();
    batch.push(&look(live));
    batch.add("UNLINK").arg(&next(live, token).key);
    let mut replies = line.send(batch).await?;
    let under_way = read_token(live, &mut replies)?;
    replies.count()?;
    if under_way == Some(token) {
        line.run(cmd("DEL").arg(pointer(live))).await?.checked()?;
    }
    Ok(())
}

/// Abandons the rebuild under way. Returns true if there was one.
pub(crate) async fn abandon_any(line: &Line, live: &Bitmap) -> Result<bool, Error> {
    let Some(token) = read_token(live, &mut line.run(&look(live)).await?)? else {
        return Ok(false);
    };
    abandon(line, live, token).await?;
    Ok(true)
}
