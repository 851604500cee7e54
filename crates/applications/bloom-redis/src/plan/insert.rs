//! Inserts into a filter in one string.

use membership_filters::Hash128;
use redis::Value;

use super::bitmap::{Bitmap, offsets};
use super::scripts::{SET, eval};
use crate::batch::{Batch, Replies, news};
use crate::call::Line;
use crate::error::Error;

/// The number of bits that one script sets: some hundred microseconds of the server.
const BITS_PER_SCRIPT: usize = 1 << 10;

/// The result of the inserts of one round trip.
struct Done {
    /// Set for each key that was new.
    new: Vec<bool>,
    /// The generation of the rebuild under way after the inserts.
    under_way: Option<Bitmap>,
    /// Set if no rebuild replaced the filter meanwhile.
    is_settled: bool,
}

impl Bitmap {
    /// Inserts keys. Returns true for each that was new.
    pub(crate) async fn insert(&self, line: &Line, hashes: &[Hash128]) -> Result<Vec<bool>, Error> {
        let mut new = Vec::with_capacity(hashes.len());
        for trip in hashes.chunks(self.options.keys_per_trip(self.schema.probe_count())) {
            let (mut first, mut gone) = (None, None);
            loop {
                let done = self.insert_once(line, trip).await?;
                first.get_or_insert(done.new);
                if !done.is_settled {
                    continue;
                }
                let Some(next) = done.under_way.filter(|next| gone != Some(next.generation)) else {
                    break;
                };
                match next.insert_alone(line, trip).await {
                    Ok(_) => break,
                    // It may have become the filter, which then lacks the keys and must be written to again. A string
                    // of another length is none of a generation, and its rebuild fails.
                    Err(Error::Missing { .. } | Error::Malformed(_)) => gone = Some(next.generation),
                    Err(error) => return Err(error),
                }
            }
            new.extend(first.into_iter().flatten());
        }
        Ok(new)
    }

    /// Inserts keys into this string alone, whatever rebuild is under way. Returns true for each that was new to it.
    pub(crate) async fn insert_alone(&self, line: &Line, hashes: &[Hash128]) -> Result<Vec<bool>, Error> {
        let mut new = Vec::with_capacity(hashes.len());
        for trip in hashes.chunks(self.options.keys_per_trip(self.schema.probe_count())) {
            new.extend(self.insert_once(line, trip).await?.new);
        }
        Ok(new)
    }

    /// Inserts in one round trip.
    async fn insert_once(&self, line: &Line, hashes: &[Hash128]) -> Result<Done, Error> {
        let probes = self.schema.probe_count();
        // The keys of a script are never divided, so that only one of two concurrent inserts of a key finds it new.
        let parts = hashes.chunks((BITS_PER_SCRIPT / probes as usize).max(1));
        // Read before the bits too: a rebuild may begin and end before the reads after them. Moreover, a cluster client
        // that is redirected for one key repeats the whole pipeline on the other node, which accepts the first command
        // even for a key that it does not have yet: if that command wrote, it would begin a second bitmap.
        let mut batch = Batch::of(&self.end());
        for part in parts.clone() {
            let mut set = eval(&SET, &[&self.key]);
            set.arg(self.parameters()).arg(self.options.missing.word());
            let set = self.expiry.push_to(set.arg(self.bytes()))?;
            batch.push(set.arg(probes).arg(offsets(&self.schema, part)));
        }
        // Read after the bits, so that a rebuild that is not seen began after them.
        batch.push(&self.look());
        batch.push(&self.end());
        let mut replies = line.send(batch).await?;
        let generation = |replies: &mut Replies| {
            let end = replies.bytes()?.unwrap_or_default();
            Ok::<_, Error>(self.generation_of(&end))
        };
        let (before, mut new) = (generation(&mut replies)?, Vec::new());
        for part in parts {
            let value = replies.value()?;
            if let Value::Array(other) = value {
                let end = Replies::new(other).bytes()?.unwrap_or_default();
                self.is_there(&end)?;
                return Err(Error::missing(&self.key));
            }
            new.extend(news(value, part.len())?);
        }
        Ok(Done {
            new,
            under_way: self.under_way(&mut replies)?,
            is_settled: before == generation(&mut replies)?,
        })
    }
}
