//! The keys of a growing filter as a whole: what creates, marks, checks and empties it. Plain commands, which find each
//! key also while the filter's slot moves to another node of a cluster.

use redis::cmd;

use super::chain::{Chain, MAX_BITMAPS};
use crate::batch::{Batch, exists, length};
use crate::call::Line;
use crate::error::Error;
use crate::options::{Missing, Options};
use crate::stats::Stats;

/// Returns a key of the filter that is missing, if one is.
pub(super) async fn missing(line: &Line, chain: &Chain) -> Result<Option<Vec<u8>>, Error> {
    let state = State::read(line, chain).await?;
    let (lengths, _) = state.lengths(line, chain).await?;
    state.missing(chain, &lengths)
}

/// Counts the bits of all bitmaps.
pub(crate) async fn stats(line: &Line, chain: &Chain, options: &Options) -> Result<Stats, Error> {
    let state = State::read(line, chain).await?;
    let (lengths, ones) = state.lengths(line, chain).await?;
    if options.missing == Missing::Reported
        && let Some(key) = state.missing(chain, &lengths)?
    {
        return Err(Error::missing(&key));
    }
    let mut stats = Stats::default();
    for (bytes, ones) in lengths.into_iter().zip(ones) {
        stats.add(chain.schema.bits(), chain.schema.probe_count(), bytes, ones)?;
    }
    Ok(stats)
}

/// Creates the filter. Returns true if there was none. Fails if some of its keys are lost.
pub(crate) async fn create(line: &Line, chain: &Chain) -> Result<bool, Error> {
    let mut lost = Vec::new();
    // Twice, because another client may create the filter meanwhile.
    for _ in 0..2 {
        let Some(key) = missing(line, chain).await? else {
            return Ok(false);
        };
        if is_new(line, chain).await? {
            line.run(&chain.allocate(0)).await?.checked()?;
            write_cursor_and_record(line, chain, 0).await?;
            return Ok(true);
        }
        lost = key;
    }
    Err(Error::missing(&lost))
}

/// Returns true if nothing is left of an earlier filter.
async fn is_new(line: &Line, chain: &Chain) -> Result<bool, Error> {
    let state = State::read(line, chain).await?;
    // What a client that died while it created the filter left: a bitmap of zeros, then the cursor.
    let first = chain.key(0);
    let mut batch = Batch::new();
    batch.push(&exists(&first));
    batch.add("BITCOUNT").arg(&first);
    let others = (1..MAX_BITMAPS).map(|number| chain.key(number));
    batch.add("EXISTS").arg(others.collect::<Vec<_>>());
    let mut replies = line.send(batch).await?;
    let (there, ones, left) = (replies.count()?, replies.count()?, replies.count()?);
    let begun = there == 1 && ones == 0 && state.current() == 0;
    let nothing = there == 0 && state.cursor.is_none();
    Ok(!state.record && left == 0 && (begun || nothing))
}

/// Writes the cursor and the parameter record of a filter that the published program made.
pub(crate) async fn write_marks(line: &Line, chain: &Chain) -> Result<(), Error> {
    let state = State::read(line, chain).await?;
    for (number, length) in (0..).zip(state.lengths(line, chain).await?.0) {
        if !chain.is_there(number, length)? {
            return Err(Error::missing(&chain.key(number)));
        }
    }
    // A bitmap after the cursor's shows that the cursor was lost.
    let after = exists(&chain.key(state.current() + 1));
    if line.run(&after).await?.count()? > 0 {
        return Err(Error::missing(&chain.cursor));
    }
    write_cursor_and_record(line, chain, state.current()).await
}

/// Writes the cursor, unless there is one, and then the record.
async fn write_cursor_and_record(line: &Line, chain: &Chain, current: u64) -> Result<(), Error> {
    let commands = [
        cmd("SET").arg(&chain.cursor).arg(current).arg("NX").take(),
        cmd("SET").arg(&chain.record).arg(chain.parameters()).take(),
    ];
    for command in commands {
        line.run(&command).await?.checked()?;
    }
    Ok(())
}

/// Deletes all bitmaps and starts over with an empty one. Without its record, the filter is missing meanwhile.
pub(crate) async fn clear(line: &Line, chain: &Chain) -> Result<(), Error> {
    let keys: Vec<Vec<u8>> = (0..MAX_BITMAPS).map(|number| chain.key(number)).collect();
    let mut batch = Batch::new();
    batch.add("UNLINK").arg(&chain.record);
    batch.add("UNLINK").arg(keys);
    batch.push(&chain.allocate(0));
    batch.add("SET").arg(&chain.cursor).arg("0");
    batch.add("SET").arg(&chain.record).arg(chain.parameters());
    line.send(batch).await?.checked().map(drop)
}

/// The cursor, and whether there is a parameter record.
struct State {
    cursor: Option<u64>,
    record: bool,
}

impl State {
    async fn read(line: &Line, chain: &Chain) -> Result<Self, Error> {
        let mut batch = Batch::new();
        batch.add("GET").arg(&chain.cursor);
        batch.add("GET").arg(&chain.record);
        let mut replies = line.send(batch).await?;
        let mut read = |key| replies.bytes().map_err(|error| error.about(key));
        let (cursor, record) = (read(&chain.cursor)?, read(&chain.record)?);
        if let Some(record) = &record {
            chain.check_record(record)?;
        }
        Ok(Self {
            cursor: cursor.map(|text| chain.parse_cursor(&text)).transpose()?,
            record: record.is_some(),
        })
    }

    /// Returns the number of the current bitmap. As published, a filter without a cursor has one bitmap.
    fn current(&self) -> u64 {
        self.cursor.unwrap_or(0)
    }

    /// Returns the length of each bitmap, and its number of ones.
    async fn lengths(&self, line: &Line, chain: &Chain) -> Result<(Vec<u64>, Vec<u64>), Error> {
        let keys: Vec<Vec<u8>> = (0..=self.current()).map(|number| chain.key(number)).collect();
        let mut batch = Batch::new();
        for key in &keys {
            batch.push(&length(key));
            batch.add("BITCOUNT").arg(key);
        }
        let mut replies = line.send(batch).await?;
        let mut read = |key: &Vec<u8>| {
            let mut count = || replies.count().map_err(|error| error.about(key));
            Ok((count()?, count()?))
        };
        keys.iter().map(&mut read).collect()
    }

    /// Returns the first key that is missing, if one is.
    fn missing(&self, chain: &Chain, lengths: &[u64]) -> Result<Option<Vec<u8>>, Error> {
        for (number, &length) in (0..).zip(lengths) {
            if !chain.is_there(number, length)? {
                return Ok(Some(chain.key(number)));
            }
        }
        Ok(match self {
            Self { cursor: None, .. } => Some(chain.cursor.clone()),
            Self { record: false, .. } => Some(chain.record.clone()),
            _ => None,
        })
    }
}
