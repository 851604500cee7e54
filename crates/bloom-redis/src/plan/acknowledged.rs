//! Waits for replicas to acknowledge writes.

use redis::{Cmd, cmd};

use crate::batch::Replies;
use crate::error::{Error, ErrorKind};
use crate::options::{Options, Replicas};

/// The smallest number of replicas that acknowledged any write. Each write has its `WAIT` in the same batch.
#[derive(Debug)]
pub(crate) struct Acknowledged {
    wanted: Option<Replicas>,
    least: u32,
}

impl Acknowledged {
    pub(crate) const fn new(options: &Options) -> Self {
        Self {
            wanted: options.replicas,
            least: u32::MAX,
        }
    }

    /// Returns the command to send after the writes of a batch, if the caller waits for replicas.
    pub(super) fn wait(&self) -> Option<Cmd> {
        let wanted = self.wanted?;
        // A time-out of 0 would mean "for ever".
        let millis = u64::try_from(wanted.timeout.as_millis()).unwrap_or(u64::MAX);
        let millis = millis.clamp(1, i64::MAX as u64 / 2);
        Some(cmd("WAIT").arg(wanted.count).arg(millis).take())
    }

    pub(super) fn read(&mut self, replies: &mut Replies) -> Result<(), Error> {
        if self.wanted.is_some() {
            let reached = u32::try_from(replies.count()?).unwrap_or(u32::MAX);
            self.least = self.least.min(reached);
        }
        Ok(())
    }

    /// Checks that enough replicas acknowledged each write. Called at the end, so that a late replica prevents no
    /// write.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.wanted {
            Some(Replicas { count, .. }) if self.least < count => {
                let (thing, range) = (
                    "the replicas that have the insert",
                    format_args!("at least {count}"),
                );
                Err(Error::new(ErrorKind::Replication, thing, range, self.least))
            }
            _ => Ok(()),
        }
    }
}
