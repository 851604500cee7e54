//! Counts of set bits, and the time of the last rebuild.

use std::collections::BTreeMap;

use redis::cmd;

use super::bitmap::Bitmap;
use super::generation::record_key;
use crate::batch::Batch;
use crate::call::Line;
use crate::error::{Error, ErrorKind};
use crate::names::slots;
use crate::options::{Missing, Options};
use crate::statistics::Statistics;

/// Returns the commands for the length, ones and existence of each string.
fn count(keys: &[&[u8]]) -> Batch {
    let mut batch = Batch::new();
    for key in keys {
        for name in ["STRLEN", "BITCOUNT", "EXISTS"] {
            batch.add(name).arg(*key);
        }
    }
    batch
}

/// Counts the bits of a filter's bitmaps. The filter's companions belong to `anchor`.
pub(crate) async fn statistics(
    line: &Line,
    anchor: &[u8],
    bitmaps: &[Bitmap],
    options: &Options,
) -> Result<Statistics, Error> {
    let keys: Vec<&[u8]> = (bitmaps.iter().flat_map(|bitmap| &bitmap.keys))
        .map(Vec::as_slice)
        .collect();
    let spread = bitmaps.iter().any(|bitmap| bitmap.spread);
    let slots = slots(&keys, spread);
    let mut batches: Vec<Batch> = slots.iter().map(|keys| count(keys)).collect();
    let mut record = cmd("HMGET");
    record.arg(record_key(anchor)).arg("swaps").arg("at");
    match batches.last_mut() {
        Some(last) if !spread => last.push(&record),
        _ => batches.push(Batch::of(&record)),
    }

    let mut replies = line.send_all(batches).await?;
    let mut counts: BTreeMap<&[u8], [u64; 3]> = BTreeMap::new();
    for key in slots.into_iter().flatten() {
        counts.insert(key, [replies.count()?, replies.count()?, replies.count()?]);
    }
    let mut statistics = Statistics {
        probe_count: 0,
        bitmaps: Vec::with_capacity(bitmaps.len()),
        bytes: 0,
        rebuilds: 0,
        last_rebuild: None,
    };
    for bitmap in bitmaps {
        let mut ones = 0;
        for key in &bitmap.keys {
            let [bytes, ones_here, there] = counts[key.as_slice()];
            // A longer string was filled with other parameters.
            let bits = bitmap.part_bits;
            let most = bits.div_ceil(8);
            if bytes > most {
                let range = format_args!("at most {most} for {bits} bits");
                let what = format_args!("the length in bytes must be {range}, got {bytes}");
                return Err(Error::of_key(ErrorKind::Malformed, key, what));
            }
            if ones_here > bytes * 8 {
                let range = format_args!("a count of ones in {bytes} bytes");
                return Err(Error::new(
                    ErrorKind::UnexpectedReply,
                    "the reply",
                    range,
                    ones_here,
                ));
            }
            statistics.bytes += bytes;
            ones += ones_here;
            if there == 0 && options.missing == Missing::Reported {
                return Err(Error::missing(key));
            }
        }
        statistics.probe_count = bitmap.schema.probe_count();
        statistics.bitmaps.push((bitmap.schema.bits(), ones));
    }
    let (rebuilds, last_rebuild): (Option<u64>, _) = replies.read("two numbers")?;
    (statistics.rebuilds, statistics.last_rebuild) = (rebuilds.unwrap_or(0), last_rebuild);
    Ok(statistics)
}
