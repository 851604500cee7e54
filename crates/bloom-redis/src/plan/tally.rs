//! Counts of set bits, and the time of the last rebuild.

use redis::cmd;

use super::bitmap::Bitmap;
use super::generation::record_key;
use crate::batch::{Batch, length};
use crate::call::Line;
use crate::error::{Error, ErrorKind};
use crate::options::{Missing, Options};
use crate::statistics::Statistics;

/// Counts the bits of a filter's bitmaps.
pub(crate) async fn statistics(
    line: &Line,
    bitmaps: &[Bitmap],
    options: &Options,
) -> Result<Statistics, Error> {
    let mut batch = Batch::new();
    for bitmap in bitmaps {
        batch.push(&length(&bitmap.key));
        batch.add("BITCOUNT").arg(&bitmap.key);
    }
    let mut replies = line.send(batch).await?;
    let mut statistics = Statistics::default();
    for bitmap in bitmaps {
        let (bytes, ones) = (replies.count()?, replies.count()?);
        // A longer string was filled with other parameters. A shorter one may be as published.
        let checked = options.missing == Missing::Reported || bytes > bitmap.bytes;
        if checked && !bitmap.is_there(bytes)? {
            return Err(bitmap.missing());
        }
        if ones > bytes * 8 {
            let range = format_args!("a count of ones in {bytes} bytes");
            return Err(Error::new(ErrorKind::UnexpectedReply, "the reply", range, ones));
        }
        statistics.bytes += bytes;
        statistics.probe_count = bitmap.schema.probe_count();
        statistics.bitmaps.push((bitmap.schema.bits(), ones));
    }
    Ok(statistics)
}

/// Adds how often rebuilds replaced a filter, and when the last one did.
pub(crate) async fn add_rebuilds(
    line: &Line,
    live: &Bitmap,
    statistics: &mut Statistics,
) -> Result<(), Error> {
    let mut record = cmd("HMGET");
    record.arg(record_key(&live.key)).arg("swaps").arg("at");
    let (rebuilds, last): (Option<u64>, _) = line.ask(&record).await?.read("two numbers")?;
    (statistics.rebuilds, statistics.last_rebuild) = (rebuilds.unwrap_or(0), last);
    Ok(())
}
