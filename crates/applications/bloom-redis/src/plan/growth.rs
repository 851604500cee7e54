//! Queries of and inserts into a growing filter, by scripts, each in one step.

use membership_filters::Hash128;
use redis::Value;

use super::chain::{Chain, moving};
use super::scripts::{CONTAINS, INSERT};
use crate::answer::Answer;
use crate::batch::{characters, news};
use crate::call::Line;
use crate::error::Error;

/// The number of attempts of an insert that finds a key missing.
const ATTEMPTS: usize = 4;

impl Chain {
    pub(crate) async fn contains(&self, line: &Line, hashes: &[Hash128]) -> Result<Vec<Answer>, Error> {
        let mut answers = Vec::with_capacity(hashes.len());
        for trip in hashes.chunks(self.options.keys_per_trip(self.schema.probe_count())) {
            let mut replies = self.run(&CONTAINS, line, trip).await?;
            answers.extend(characters(replies.value()?, trip.len(), |character| {
                Some(match character {
                    b'0' => Answer::Absent,
                    b'1' => Answer::Maybe,
                    b'?' => Answer::Missing,
                    _ => return None,
                })
            })?);
        }
        Ok(answers)
    }

    pub(crate) async fn insert(&self, line: &Line, hashes: &[Hash128]) -> Result<Vec<bool>, Error> {
        let mut new = Vec::with_capacity(hashes.len());
        for trip in hashes.chunks(self.options.keys_per_trip(self.schema.probe_count())) {
            new.extend(self.insert_trip(line, trip).await?);
        }
        Ok(new)
    }

    async fn insert_trip(&self, line: &Line, hashes: &[Hash128]) -> Result<Vec<bool>, Error> {
        for _ in 0..ATTEMPTS {
            let reply = self.run(&INSERT, line, hashes).await?.value()?;
            if reply != Value::Nil {
                return news(reply, hashes.len());
            }
            if let Some(key) = self.missing(line).await? {
                return Err(Error::missing(&key));
            }
            // The bitmap came back meanwhile, or the script ran on a node that lacks some bitmaps while their slot moves.
        }
        Err(moving())
    }
}
