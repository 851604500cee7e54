//! A fixed filter as a whole: its creation, the mark of a published one, and its state.

use membership_filters::redisbloom::companion_key;
use redis::Cmd;

use super::bitmap::Bitmap;
use super::scripts::{CREATE, WRITE_MARK, eval};
use crate::batch::{Batch, length};
use crate::call::Line;
use crate::error::Error;
use crate::options::{Expiry, Options};
use crate::stats::Stats;

impl Bitmap {
    /// Returns the command that creates a string of zeros unless there is one. It names a companion of the string as
    /// well, so that a cluster refuses at once what a rebuild cannot keep in one slot.
    pub(super) fn create_command(&self, expiry: Expiry) -> Result<Cmd, Error> {
        let mut create = eval(&CREATE, &[&self.key, &companion_key("next", &self.key)]);
        let create = create.arg(self.mark()).arg(self.bytes());
        Ok(expiry.push_to(create)?.take())
    }

    /// Creates a filter of zeros. Returns true if there was none.
    pub(crate) async fn create(&self, line: &Line, expiry: Expiry) -> Result<bool, Error> {
        let create = self.create_command(expiry)?;
        let created = line.run(&create).await.and_then(|mut replies| replies.bytes());
        match created.map_err(|error| error.of_slots(&self.key))? {
            None => Ok(true),
            // An empty string belongs to another program.
            Some(end) if end.is_empty() => Err(self.without_mark(&end)),
            Some(end) => self.marked().is_there(&end).map(|_| false),
        }
    }

    /// Gives a string of a published program its mark.
    pub(crate) async fn write_mark(&self, line: &Line) -> Result<(), Error> {
        let mut mark = eval(&WRITE_MARK, &[&self.key]);
        mark.arg(self.mark()).arg(self.bytes());
        let end = line.run(&mark).await?.bytes()?.unwrap_or_default();
        self.marked().expect(&end)
    }

    /// Returns the same string, which must have a mark.
    fn marked(&self) -> Self {
        Self {
            options: Options::default(),
            ..self.clone()
        }
    }

    /// Counts the bits of a filter.
    pub(crate) async fn stats(&self, line: &Line) -> Result<Stats, Error> {
        let mut batch = Batch::of(&self.end());
        batch.push(&length(&self.key));
        batch.add("BITCOUNT").arg(&self.key).arg(0).arg(self.bytes() - 1);
        let mut replies = line.send(batch).await?;
        self.expect(&replies.bytes()?.unwrap_or_default())?;
        let (bytes, ones, mut stats) = (replies.count()?, replies.count()?, Stats::default());
        stats.add(self.schema.bits(), self.schema.probe_count(), bytes, ones)?;
        Ok(stats)
    }
}
