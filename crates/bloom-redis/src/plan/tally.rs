//! Counts of set bits, and when the filter was last rebuilt.

use redis::{Value, cmd};

use super::Batch;
use super::batch::unexpected;
use super::bits::{Bitmap, exists};
use super::generation::record_key;
use crate::call::Line;
use crate::error::Error;
use crate::options::{Missing, Options};
use crate::statistics::Statistics;

/// Counts the bits of bitmaps that are one filter, whose companions belong to `anchor`.
pub(crate) async fn statistics(
    line: &Line,
    anchor: &[u8],
    bitmaps: &[Bitmap],
    options: &Options,
) -> Result<Statistics, Error> {
    let mut batch = Batch::new();
    for key in bitmaps.iter().flat_map(|bitmap| &bitmap.keys) {
        for name in ["STRLEN", "BITCOUNT"] {
            let mut command = cmd(name);
            command.arg(key.as_slice());
            batch.push(command);
        }
        batch.push(exists(key));
    }
    let mut record = cmd("HMGET");
    record.arg(record_key(anchor)).arg("swaps").arg("at");
    batch.push(record);

    let mut replies = line.send(batch).await?;
    let mut statistics = Statistics {
        probes: 0,
        bitmaps: Vec::with_capacity(bitmaps.len()),
        bytes: 0,
        swaps: 0,
        rebuilt_at: None,
    };
    for bitmap in bitmaps {
        let mut ones = 0;
        for key in &bitmap.keys {
            let bytes = replies.count()?;
            // A longer string was filled with other parameters.
            if bytes > bitmap.part_bits.div_ceil(8) {
                return Err(Error::Malformed {
                    key: key.clone(),
                    expected: "a bitmap of the filter's length",
                    found: format!("{bytes} bytes for {} bits", bitmap.part_bits),
                });
            }
            statistics.bytes += bytes;
            ones += replies.count()?;
            if replies.count()? == 0 && options.missing == Missing::Reported {
                return Err(Error::Missing { key: key.clone() });
            }
        }
        statistics.probes = bitmap.schema.probes();
        statistics.bitmaps.push((bitmap.schema.bits(), ones));
    }
    let record = replies.array()?;
    let number = |at: usize| match record.get(at) {
        Some(Value::Nil) => Ok(None),
        Some(Value::BulkString(text)) => core::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok())
            .map(Some)
            .ok_or_else(|| unexpected("a number", record.get(at))),
        other => Err(unexpected("a number", other)),
    };
    statistics.swaps = number(0)?.unwrap_or(0);
    statistics.rebuilt_at = number(1)?;
    Ok(statistics)
}
