//! Queries of and inserts into a growing filter, by scripts, each in one step.

use membership_filters::Hash128;
use redis::Value;

use super::bitmap::per_trip;
use super::chain::{Chain, moving};
use super::chain_marks;
use super::scripts::{CONTAINS, INSERT};
use crate::answer::Answer;
use crate::batch::{characters, news};
use crate::call::Line;
use crate::error::Error;
use crate::options::Options;

/// The number of attempts of an insert that finds a key missing.
const ATTEMPTS: usize = 4;

pub(crate) async fn contains(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Vec<Answer>, Error> {
    let mut answers = Vec::with_capacity(hashes.len());
    for trip in hashes.chunks(per_trip(&chain.schema, options)) {
        let mut replies = chain.run(&CONTAINS, line, trip, options).await?;
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

pub(crate) async fn insert(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Vec<bool>, Error> {
    let mut new = Vec::with_capacity(hashes.len());
    for trip in hashes.chunks(per_trip(&chain.schema, options)) {
        new.extend(insert_trip(line, chain, trip, options).await?);
    }
    Ok(new)
}

async fn insert_trip(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Vec<bool>, Error> {
    for _ in 0..ATTEMPTS {
        let mut replies = chain.run(&INSERT, line, hashes, options).await?;
        let reply = replies.value()?;
        if reply != Value::Nil {
            return news(reply, hashes.len());
        }
        if let Some(key) = chain_marks::missing(line, chain).await? {
            return Err(Error::missing(&key));
        }
        // The bitmap came back meanwhile, or the script ran on a node that lacks some bitmaps while their slot moves.
    }
    Err(moving())
}
