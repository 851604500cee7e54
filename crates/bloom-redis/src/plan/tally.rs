//! Counts of set bits, and the time of the last rebuild.

use std::collections::BTreeMap;

use redis::cmd;

use super::bitmap::{Bitmap, Piece};
use super::generation::record_key;
use super::lifetime::ask_each;
use crate::batch::{Batch, length};
use crate::call::Line;
use crate::error::{Error, ErrorKind};
use crate::options::{Missing, Options};
use crate::statistics::Statistics;

/// Counts the bits of a filter's bitmaps. The filter's companions belong to `anchor`.
pub(crate) async fn statistics(
    line: &Line,
    anchor: &[u8],
    bitmaps: &[Bitmap],
    options: &Options,
) -> Result<Statistics, Error> {
    let count = |batch: &mut Batch, piece: Piece<'_>| {
        batch.push(&length(piece.key));
        batch.add("BITCOUNT").arg(piece.key);
    };
    let pieces = bitmaps.iter().flat_map(Bitmap::pieces);
    let spread = bitmaps.iter().any(|bitmap| bitmap.spread);
    let (pieces, mut replies) = ask_each(line, pieces, spread, count).await?;
    let mut counts: BTreeMap<&[u8], [u64; 2]> = BTreeMap::new();
    for piece in pieces {
        counts.insert(piece.key, [replies.count()?, replies.count()?]);
    }
    let mut record = cmd("HMGET");
    record.arg(record_key(anchor)).arg("swaps").arg("at");
    let mut replies = line.ask(&record).await?;
    let mut statistics = Statistics {
        probe_count: 0,
        bitmaps: Vec::with_capacity(bitmaps.len()),
        bytes: 0,
        rebuilds: 0,
        last_rebuild: None,
    };
    for bitmap in bitmaps {
        let mut ones = 0;
        for piece in bitmap.pieces() {
            let [bytes, ones_here] = counts[piece.key];
            // A longer string was filled with other parameters. A shorter one may be as published.
            let there = if options.missing == Missing::Reported || bytes > piece.bytes {
                piece.is_there(bytes)?
            } else {
                true
            };
            if !there {
                return Err(Error::missing(piece.key));
            }
            if ones_here > bytes * 8 {
                let range = format_args!("a count of ones in {bytes} bytes");
                let kind = ErrorKind::UnexpectedReply;
                return Err(Error::new(kind, "the reply", range, ones_here));
            }
            statistics.bytes += bytes;
            ones += ones_here;
        }
        statistics.probe_count = bitmap.schema.probe_count();
        statistics.bitmaps.push((bitmap.schema.bits(), ones));
    }
    let (rebuilds, last_rebuild): (Option<u64>, _) = replies.read("two numbers")?;
    (statistics.rebuilds, statistics.last_rebuild) = (rebuilds.unwrap_or(0), last_rebuild);
    Ok(statistics)
}
