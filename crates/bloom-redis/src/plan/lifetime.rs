//! Creation and expiry of filters, and the mark that shows that a string was made as a whole.

use redis::Cmd;

use super::bitmap::Bitmap;
use super::scripts::{CREATE, WRITE_MARK, eval};
use crate::batch::{Batch, exists};
use crate::call::Line;
use crate::error::Error;
use crate::options::Expiry;

/// Returns the command that creates a string of zeros unless there is one.
pub(super) fn create_command(bitmap: &Bitmap, expiry: Expiry) -> Result<Cmd, Error> {
    let mut create = eval(&CREATE, &[&bitmap.key]);
    Ok(expiry.lifetime()?.push_to(create.arg(bitmap.bytes)).take())
}

/// Creates a filter of zeros. Returns true if there was none.
pub(crate) async fn create(line: &Line, bitmap: &Bitmap, expiry: Expiry) -> Result<bool, Error> {
    let create = create_command(bitmap, expiry)?;
    let length: Option<u64> = line.ask(&create).await?.read("a length")?;
    match length {
        None => Ok(true),
        Some(length) if bitmap.is_there(length)? => Ok(false),
        // An empty string, which is somebody else's.
        Some(length) => Err(Error::of_length(&bitmap.key, bitmap.bytes, length)),
    }
}

/// Gives a string that exists its full length.
pub(crate) async fn write_mark(line: &Line, bitmap: &Bitmap) -> Result<(), Error> {
    let mut mark = eval(&WRITE_MARK, &[&bitmap.key]);
    let length = line.ask(mark.arg(bitmap.bytes)).await?.count()?;
    if bitmap.is_there(length)? {
        Ok(())
    } else {
        Err(bitmap.missing())
    }
}

pub(crate) async fn expire(line: &Line, bitmap: &Bitmap, expiry: Expiry) -> Result<(), Error> {
    let mut batch = Batch::new();
    batch.push(&exists(&bitmap.key));
    if let Some(command) = expiry.lifetime()?.command(&bitmap.key) {
        batch.push(&command);
    }
    let mut replies = line.send(batch).await?.checked()?;
    match replies.count()? {
        0 => Err(bitmap.missing()),
        _ => Ok(()),
    }
}
