//! Creation and expiry of filters, and the mark that shows that a string was made as a whole.

use redis::Value;

use super::bitmap::{Bitmap, Piece};
use super::scripts::{EXPIRE, WRITE_MARK, eval};
use crate::batch::{Batch, Replies, exists, length};
use crate::call::Line;
use crate::error::Error;
use crate::names::slots;
use crate::options::{Expiry, Lifetime, Options};

/// Sends commands for each string, in a batch per slot. Returns the strings in the order of the replies.
pub(super) async fn ask_each<'a>(
    line: &Line,
    pieces: impl IntoIterator<Item = Piece<'a>>,
    spread: bool,
    ask: impl Fn(&mut Batch, Piece<'a>),
) -> Result<(Vec<Piece<'a>>, Replies), Error> {
    let slots = slots(pieces, spread);
    let batches = slots.iter().map(|pieces| {
        let mut batch = Batch::new();
        pieces.iter().for_each(|&piece| ask(&mut batch, piece));
        batch
    });
    let replies = line.send_all(batches.collect()).await?;
    Ok((slots.into_iter().flatten().collect(), replies))
}

/// The first thing that a client writes when it creates a string.
const BEGUN: &[u8] = &[0];

/// Creates a filter of zeros. Returns true if there was none. Fails if parts are lost and others are left.
pub(crate) async fn create(line: &Line, bitmap: &Bitmap, expiry: Expiry) -> Result<bool, Error> {
    // Twice, because another client may create the filter meanwhile.
    for _ in 0..2 {
        if let Some(created) = create_once(line, bitmap, expiry.lifetime()?).await? {
            return Ok(created);
        }
    }
    Err(bitmap.missing())
}

/// Returns `None` if parts are lost and others are left.
async fn create_once(line: &Line, bitmap: &Bitmap, lifetime: Lifetime) -> Result<Option<bool>, Error> {
    let spread = bitmap.spread;
    // Two bytes tell a string that another client has only begun.
    let look = |batch: &mut Batch, piece: Piece<'_>| {
        batch.push(&length(piece.key));
        batch.add("GETRANGE").arg(piece.key).arg(0).arg(1);
    };
    let (pieces, mut replies) = ask_each(line, bitmap.pieces(), spread, look).await?;
    let (mut whole, mut absent, mut begun) = (false, Vec::new(), Vec::new());
    for piece in pieces {
        let (bytes, start) = (replies.count()?, replies.bytes()?);
        if start.as_deref() == Some(BEGUN) {
            begun.push(piece);
        } else if piece.is_there(bytes)? {
            whole = true;
        } else {
            absent.push(piece);
        }
    }
    if absent.is_empty() && begun.is_empty() {
        return Ok(Some(false));
    }
    // All strings are begun before the first gets its length.
    if whole && !absent.is_empty() {
        return Ok(None);
    }
    // A string gets its length in a second step, which must not extend a string of somebody else.
    let begin = |batch: &mut Batch, piece: Piece<'_>| {
        let set = batch.add("SET").arg(piece.key).arg(BEGUN).arg("NX");
        lifetime.push_to_set(set);
        look(batch, piece);
    };
    let (absent, mut replies) = ask_each(line, absent, spread, begin).await?;
    let mut created = false;
    for piece in absent {
        let ours = replies.value()? != Value::Nil;
        let (bytes, start) = (replies.count()?, replies.bytes()?);
        if start.as_deref() == Some(BEGUN) {
            begun.push(piece);
        } else if !ours && !piece.is_there(bytes)? {
            // A string without a byte, which is somebody else's.
            return Err(Error::of_length(piece.key, piece.bytes, 0));
        }
        created |= ours;
    }
    let finish = |batch: &mut Batch, piece: Piece<'_>| batch.push(&piece.allocate());
    let (_, replies) = ask_each(line, begun, spread, finish).await?;
    replies.checked()?;
    Ok(Some(created))
}

/// Gives a string that exists its full length.
pub(crate) async fn write_mark(line: &Line, bitmap: &Bitmap, options: &Options) -> Result<(), Error> {
    options.need_scripts("writing the mark of a filter")?;
    for piece in bitmap.pieces() {
        let mut mark = eval(&WRITE_MARK, &[piece.key]);
        let bytes = line.ask(mark.arg(piece.bytes)).await?.count()?;
        if !piece.is_there(bytes)? {
            return Err(Error::missing(piece.key));
        }
    }
    Ok(())
}

pub(crate) async fn expire(
    line: &Line,
    bitmap: &Bitmap,
    expiry: Expiry,
    options: &Options,
) -> Result<(), Error> {
    let lifetime = expiry.lifetime()?;
    let expire = |batch: &mut Batch, piece: Piece<'_>| {
        if options.commands.scripts {
            batch.push(lifetime.push_to(&mut eval(&EXPIRE, &[piece.key])));
            return;
        }
        batch.push(&exists(piece.key));
        if let Some(command) = lifetime.command(piece.key) {
            batch.push(&command);
        }
    };
    let (pieces, mut replies) = ask_each(line, bitmap.pieces(), bitmap.spread, expire).await?;
    let plain = usize::from(!options.commands.scripts && !lifetime.is_kept());
    for piece in pieces {
        let there = replies.count()? > 0;
        replies.take(plain).checked()?;
        if !there {
            return Err(Error::missing(piece.key));
        }
    }
    Ok(())
}
