//! The keys of a growing filter as a whole: what creates, marks, checks and empties it. Plain commands, which find each
//! key also while the filter's slot moves to another node of a cluster.

use redis::cmd;

use super::chain::{Chain, MAX_BITMAPS};
use crate::batch::{Batch, length};
use crate::call::Line;
use crate::error::Error;
use crate::options::Missing;
use crate::stats::Stats;

/// The keys of a filter on the server.
struct State {
    cursor: Option<u64>,
    /// Set if there is a parameter record.
    has_record: bool,
    /// The length of each bitmap, and its number of ones.
    bitmaps: Vec<(u64, u64)>,
}

impl State {
    /// Returns the number of the current bitmap. As published, a filter without a cursor has one bitmap.
    fn current(&self) -> u64 {
        self.cursor.unwrap_or(0)
    }
}

impl Chain {
    async fn state(&self, line: &Line) -> Result<State, Error> {
        let mut batch = Batch::new();
        batch.add("GET").arg(&self.cursor);
        batch.add("GET").arg(&self.record);
        let mut replies = line.send(batch).await?;
        let mut read = |key| replies.bytes().map_err(|error| error.about(key));
        let (cursor, record) = (read(&self.cursor)?, read(&self.record)?);
        if let Some(record) = &record {
            self.check_record(record)?;
        }
        let mut state = State {
            cursor: cursor.map(|text| self.parse_cursor(&text)).transpose()?,
            has_record: record.is_some(),
            bitmaps: Vec::new(),
        };
        let keys: Vec<Vec<u8>> = (0..=state.current()).map(|number| self.key(number)).collect();
        let mut batch = Batch::new();
        for key in &keys {
            batch.push(&length(key));
            batch.add("BITCOUNT").arg(key);
        }
        let mut replies = line.send(batch).await?;
        for key in &keys {
            let mut count = || replies.count().map_err(|error| error.about(key));
            state.bitmaps.push((count()?, count()?));
        }
        Ok(state)
    }

    /// Returns the key of the first bitmap that is missing, if one is.
    fn missing_bitmap(&self, state: &State) -> Result<Option<Vec<u8>>, Error> {
        for (number, &(length, _)) in (0..).zip(&state.bitmaps) {
            if !self.is_there(number, length)? {
                return Ok(Some(self.key(number)));
            }
        }
        Ok(None)
    }

    fn missing_of(&self, state: &State) -> Result<Option<Vec<u8>>, Error> {
        Ok(match self.missing_bitmap(state)? {
            None if state.cursor.is_none() => Some(self.cursor.clone()),
            None if !state.has_record => Some(self.record.clone()),
            missing => missing,
        })
    }

    /// Returns a key of the filter that is missing, if one is.
    pub(super) async fn missing(&self, line: &Line) -> Result<Option<Vec<u8>>, Error> {
        self.missing_of(&self.state(line).await?)
    }

    /// Counts the bits of all bitmaps.
    pub(crate) async fn stats(&self, line: &Line) -> Result<Stats, Error> {
        let state = self.state(line).await?;
        if self.options.missing == Missing::Reported
            && let Some(key) = self.missing_of(&state)?
        {
            return Err(Error::missing(&key));
        }
        let mut stats = Stats::default();
        for (bytes, ones) in state.bitmaps {
            stats.add(self.schema.bits(), self.schema.probe_count(), bytes, ones)?;
        }
        Ok(stats)
    }

    /// Creates the filter. Returns true if there was none. Fails if some of its keys are lost.
    pub(crate) async fn create(&self, line: &Line) -> Result<bool, Error> {
        let mut lost = Vec::new();
        // Twice, because another client may create the filter meanwhile.
        for _ in 0..2 {
            let state = self.state(line).await?;
            let Some(key) = self.missing_of(&state)? else {
                return Ok(false);
            };
            if self.is_new(line, &state).await? {
                line.run(&self.allocate(0)).await?.checked()?;
                self.write_cursor_and_record(line, 0).await?;
                return Ok(true);
            }
            lost = key;
        }
        Err(Error::missing(&lost))
    }

    /// Returns true if nothing is left of an earlier filter.
    async fn is_new(&self, line: &Line, state: &State) -> Result<bool, Error> {
        let (length, ones) = state.bitmaps[0];
        // What a client that died while it created the filter left: a bitmap of zeros, then the cursor.
        let begun = length > 0 && ones == 0 && state.current() == 0;
        let nothing = length == 0 && state.cursor.is_none();
        let others: Vec<_> = (1..MAX_BITMAPS).map(|number| self.key(number)).collect();
        let left = line.run(cmd("EXISTS").arg(others)).await?.count()?;
        Ok(!state.has_record && left == 0 && (begun || nothing))
    }

    /// Writes the cursor and the parameter record of a filter that the published program made.
    pub(crate) async fn write_marks(&self, line: &Line) -> Result<(), Error> {
        let state = self.state(line).await?;
        if let Some(key) = self.missing_bitmap(&state)? {
            return Err(Error::missing(&key));
        }
        // A bitmap after the cursor's shows that the cursor was lost.
        let after = self.key(state.current() + 1);
        if line.run(cmd("EXISTS").arg(after)).await?.count()? > 0 {
            return Err(Error::missing(&self.cursor));
        }
        self.write_cursor_and_record(line, state.current()).await
    }

    /// Writes the cursor, unless there is one, and then the record.
    async fn write_cursor_and_record(&self, line: &Line, current: u64) -> Result<(), Error> {
        for command in [
            cmd("SET").arg(&self.cursor).arg(current).arg("NX"),
            cmd("SET").arg(&self.record).arg(self.parameters()),
        ] {
            line.run(command).await?.checked()?;
        }
        Ok(())
    }

    /// Deletes all bitmaps and starts over with an empty one. Without its record, the filter is missing meanwhile.
    pub(crate) async fn clear(&self, line: &Line) -> Result<(), Error> {
        let keys: Vec<Vec<u8>> = (0..MAX_BITMAPS).map(|number| self.key(number)).collect();
        let mut batch = Batch::new();
        batch.add("UNLINK").arg(&self.record);
        batch.add("UNLINK").arg(keys);
        batch.push(&self.allocate(0));
        batch.add("SET").arg(&self.cursor).arg("0");
        batch.add("SET").arg(&self.record).arg(self.parameters());
        line.send(batch).await?.checked().map(drop)
    }
}
