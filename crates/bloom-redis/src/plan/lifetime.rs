//! Creation of filters, and the mark of a published one.

use redis::Cmd;

use super::bitmap::Bitmap;
use super::scripts::{CREATE, WRITE_MARK, eval};
use crate::call::Line;
use crate::error::Error;
use crate::options::{Expiry, Missing};

/// Returns the command that creates a string of zeros unless there is one.
pub(super) fn create_command(bitmap: &Bitmap, expiry: Expiry) -> Result<Cmd, Error> {
    let mut create = eval(&CREATE, &[&bitmap.key]);
    let create = create.arg(bitmap.mark()).arg(bitmap.bytes());
    Ok(expiry.lifetime()?.push_to(create).take())
}

/// Creates a filter of zeros. Returns true if there was none.
pub(crate) async fn create(line: &Line, bitmap: &Bitmap, expiry: Expiry) -> Result<bool, Error> {
    let create = create_command(bitmap, expiry)?;
    match line.ask(&create).await?.bytes()? {
        None => Ok(true),
        // An empty string is somebody else's.
        Some(end) if end.is_empty() => Err(bitmap.without_mark(&end)),
        Some(end) => bitmap.is_there(&end, Missing::Reported).map(|_| false),
    }
}

/// Gives a string of a published program its mark.
pub(crate) async fn write_mark(line: &Line, bitmap: &Bitmap) -> Result<(), Error> {
    let mut mark = eval(&WRITE_MARK, &[&bitmap.key]);
    mark.arg(bitmap.mark()).arg(bitmap.bytes());
    let end = line.ask(&mark).await?.bytes()?.unwrap_or_default();
    if bitmap.is_there(&end, Missing::Reported)? {
        Ok(())
    } else {
        Err(Error::missing(&bitmap.key))
    }
}
