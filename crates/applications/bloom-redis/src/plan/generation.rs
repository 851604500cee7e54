//! New generations of a filter: how they begin, how concurrent inserts find them, and how they replace the filter.
//!
//! Companion keys of a filter:
//!
//! | companion | type | holds |
//! |---|---|---|
//! | `rebuilding` | string | the number of the rebuild under way; expires with the lease |
//! | `next:N` | bitmap | the bits of rebuild N so far; expires with the lease |
//! | `load:next:N`, `loaded:next:N` | string | bits on their way into `next:N` during an upload |
//!
//! Each rebuild has a random number of its own, so that a slow one that lost its lease cannot write to a later one.

use core::time::Duration;
use std::hash::{BuildHasher as _, RandomState};

use membership_filters::redisbloom::companion_key;
use redis::{Cmd, cmd};

use super::bitmap::Bitmap;
use super::scripts::{COMMIT, eval};
use crate::batch::{Batch, Replies};
use crate::call::Line;
use crate::error::{Details, Error};
use crate::options::{Expiry, Missing, millis};

impl Bitmap {
    /// Returns the key that names the rebuild under way of this filter.
    fn pointer(&self) -> Vec<u8> {
        companion_key("rebuilding", &self.key)
    }

    /// Returns the command that reads which rebuild is under way.
    pub(super) fn look(&self) -> Cmd {
        cmd("GET").arg(self.pointer()).take()
    }

    /// Reads the reply to [`look`](Self::look). Returns the generation of the rebuild under way.
    pub(super) fn under_way(&self, replies: &mut Replies) -> Result<Option<Self>, Error> {
        let pointer = self.pointer();
        let Some(text) = replies.bytes().map_err(|error| error.about(&pointer))? else {
            return Ok(None);
        };
        let number = core::str::from_utf8(&text)
            .ok()
            .and_then(|text| text.parse().ok());
        let malformed = || Error::malformed(&pointer, "the number of a rebuild", &text);
        number.map(|number| Some(self.next(number))).ok_or_else(malformed)
    }

    /// Returns the generation of a rebuild.
    fn next(&self, generation: u64) -> Self {
        Self {
            key: companion_key(&format!("next:{generation}"), &self.key),
            schema: self.schema,
            generation,
            options: self.options.missing(Missing::Reported),
            expiry: Expiry::Keep,
        }
    }

    /// Begins a rebuild with all bits zero. Returns its generation.
    pub(crate) async fn begin(&self, line: &Line, lease: Duration) -> Result<Self, Error> {
        let millis = millis(lease)?;
        // Not 0, which is the number of no rebuild.
        let next = self.next(RandomState::new().hash_one(&self.key) | 1);
        let mut batch = Batch::new();
        let take = batch.add("SET").arg(self.pointer()).arg(next.generation);
        take.arg("NX").arg("PX").arg(millis);
        // Read back, because a cluster client may have to send `SET` twice.
        batch.push(&self.look());
        batch.push(&next.create_command(Expiry::After(lease))?);
        let mut replies = line.send(batch).await?;
        replies.value()?;
        if self.under_way(&mut replies)?.as_ref() != Some(&next) {
            self.abandon(line, &next).await?;
            let what = "another rebuild is under way";
            return Err(Error::RebuildUnderWay(Details::of_key(&self.key, what)));
        }
        replies.checked()?;
        Ok(next)
    }

    pub(crate) async fn renew(&self, line: &Line, next: &Self, lease: Duration) -> Result<(), Error> {
        let millis = millis(lease)?;
        let mut batch = Batch::of(&self.look());
        for key in [&next.key, &self.pointer()] {
            batch.add("PEXPIRE").arg(key).arg(millis);
        }
        let mut replies = line.send(batch).await?;
        match (self.under_way(&mut replies)?, replies.count()?) {
            (Some(under_way), 1) if under_way == *next => Ok(()),
            _ => Err(Error::missing(&next.key)),
        }
    }

    pub(crate) async fn commit(&self, line: &Line, next: &Self, expiry: Expiry) -> Result<(), Error> {
        let mut command = eval(&COMMIT, &[&self.pointer(), &self.key, &next.key]);
        let command = expiry.push_to(command.arg(next.generation))?;
        match line.run(command.arg(next.mark())).await?.count()? {
            0 => Err(Error::missing(&next.key)),
            _ => Ok(()),
        }
    }

    /// Abandons a rebuild. The filter stays as it is.
    pub(crate) async fn abandon(&self, line: &Line, next: &Self) -> Result<(), Error> {
        let mut batch = Batch::of(&self.look());
        batch.add("UNLINK").arg(&next.key);
        let mut replies = line.send(batch).await?;
        let under_way = self.under_way(&mut replies)?;
        replies.count()?;
        if under_way.as_ref() == Some(next) {
            line.run(cmd("DEL").arg(self.pointer())).await?.checked()?;
        }
        Ok(())
    }

    /// Abandons the rebuild under way. Returns true if there was one.
    pub(crate) async fn abandon_any(&self, line: &Line) -> Result<bool, Error> {
        let Some(next) = self.under_way(&mut line.run(&self.look()).await?)? else {
            return Ok(false);
        };
        self.abandon(line, &next).await?;
        Ok(true)
    }
}
