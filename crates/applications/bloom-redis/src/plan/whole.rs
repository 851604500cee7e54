//! A fixed filter as a whole: its creation, the mark of a published one, and its state.

use membership_filters::redisbloom::companion_key;
use redis::Cmd;

use super::bitmap::Bitmap;
use super::scripts::{CREATE, WRITE_MARK, eval};
use crate::batch::{Batch, length};
use crate::call::Line;
use crate::error::Error;
use crate::options::{Expiry, Missing, Options};
use crate::stats::Stats;

/// Returns the command that creates a string of zeros unless there is one. It names a companion of the string as well,
/// so that a cluster refuses at once what a rebuild cannot keep in one slot.
pub(super) fn create_command(bitmap: &Bitmap, expiry: Expiry) -> Result<Cmd, Error> {
    let mut create = eval(&CREATE, &[&bitmap.key, &companion_key("next", &bitmap.key)]);
    let create = create.arg(bitmap.mark()).arg(bitmap.bytes());
    Ok(expiry.lifetime()?.push_to(create).take())
}

/// Creates a filter of zeros. Returns true if there was none.
pub(crate) async fn create(line: &Line, bitmap: &Bitmap, expiry: Expiry) -> Result<bool, Error> {
    let create = create_command(bitmap, expiry)?;
    let created = line.run(&create).await.and_then(|mut replies| replies.bytes());
    match created.map_err(|error| error.of_slots(&bitmap.key))? {
        None => Ok(true),
        // An empty string belongs to another program.
        Some(end) if end.is_empty() => Err(bitmap.without_mark(&end)),
        Some(end) => bitmap.is_there(&end, Missing::Reported).map(|_| false),
    }
}

/// Gives a string of a published program its mark.
pub(crate) async fn write_mark(line: &Line, bitmap: &Bitmap) -> Result<(), Error> {
    let mut mark = eval(&WRITE_MARK, &[&bitmap.key]);
    mark.arg(bitmap.mark()).arg(bitmap.bytes());
    let end = line.run(&mark).await?.bytes()?.unwrap_or_default();
    if bitmap.is_there(&end, Missing::Reported)? {
        Ok(())
    } else {
        Err(Error::missing(&bitmap.key))
    }
}

/// Counts the bits of a filter.
pub(crate) async fn stats(line: &Line, bitmap: &Bitmap, options: &Options) -> Result<Stats, Error> {
    let mut batch = Batch::of(&bitmap.end());
    batch.push(&length(&bitmap.key));
    let count = batch.add("BITCOUNT").arg(&bitmap.key);
    count.arg(0).arg(bitmap.bytes() - 1);
    let mut replies = line.send(batch).await?;
    let end = replies.bytes()?.unwrap_or_default();
    if !bitmap.is_there(&end, options.missing)? && options.missing == Missing::Reported {
        return Err(Error::missing(&bitmap.key));
    }
    let (schema, mut stats) = (&bitmap.schema, Stats::default());
    let (bytes, ones) = (replies.count()?, replies.count()?);
    stats.add(schema.bits(), schema.probe_count(), bytes, ones)?;
    Ok(stats)
}
