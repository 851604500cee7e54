//! Counts of set bits.

use super::bitmap::Bitmap;
use crate::batch::{Batch, length};
use crate::call::Line;
use crate::error::Error;
use crate::options::{Missing, Options};
use crate::schema::Schema;
use crate::statistics::Statistics;

/// Counts the bits of a filter.
pub(crate) async fn statistics(line: &Line, bitmap: &Bitmap, options: &Options) -> Result<Statistics, Error> {
    let mut batch = Batch::new();
    batch.push(&bitmap.end());
    batch.push(&length(&bitmap.key));
    let count = batch.add("BITCOUNT").arg(&bitmap.key);
    count.arg(0).arg(bitmap.bytes() - 1);
    let mut replies = line.send(batch).await?;
    let end = replies.bytes()?.unwrap_or_default();
    if !bitmap.is_there(&end, options.missing)? && options.missing == Missing::Reported {
        return Err(Error::missing(&bitmap.key));
    }
    let mut statistics = Statistics::default();
    add(
        &mut statistics,
        &bitmap.schema,
        replies.count()?,
        replies.count()?,
    )?;
    Ok(statistics)
}

/// Adds a bitmap to the statistics.
pub(super) fn add(statistics: &mut Statistics, schema: &Schema, bytes: u64, ones: u64) -> Result<(), Error> {
    if ones > schema.bits().next_multiple_of(8) {
        let range = format_args!("a count of ones in {} bits", schema.bits());
        return Err(Error::reply(range, ones));
    }
    statistics.bytes += bytes;
    statistics.probe_count = schema.probe_count();
    statistics.bitmaps.push((schema.bits(), ones));
    Ok(())
}
