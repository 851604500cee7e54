//! Operations on a growing filter: by scripts, each in one step, or by plain commands.

use guava_bloom::Hash128;
use redis::Value;

use super::acknowledged::Acknowledged;
use super::bitmap::per_trip;
use super::bits::settle;
use super::chain::{Chain, moving};
use super::generation::{self, Token, Watch, or_empty, record_key};
use super::{chain_by_commands, scripts};
use crate::answer::Answer;
use crate::batch::{Replies, unexpected};
use crate::call::Line;
use crate::error::Error;
use crate::options::{Missing, Options, millis};

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
        let some = if chain.by_script(options) {
            contains_by_script(line, chain, trip, options).await
        } else {
            chain_by_commands::contains(line, chain, trip, options).await
        };
        if !settle(&mut answers, some, hashes.len(), options)? {
            break;
        }
    }
    Ok(answers)
}

async fn contains_by_script(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Vec<Answer>, Error> {
    let mut replies = chain
        .run(&scripts::CONTAINS, line, &[], options, None, |command| {
            command.arg(chain.schema.probe_count()).arg(chain.offsets(hashes));
        })
        .await?;
    characters(&mut replies, hashes.len(), |character| match character {
        b'0' => Some(Answer::Absent),
        b'1' => Some(Answer::MightContain),
        b'?' => Some(Answer::Missing),
        _ => None,
    })
}

/// Reads a reply with one character per element.
fn characters<T>(
    replies: &mut Replies,
    elements: usize,
    read: impl Fn(u8) -> Option<T>,
) -> Result<Vec<T>, Error> {
    let text = replies.bytes()?.unwrap_or_default();
    let answers: Option<Vec<T>> = text.iter().map(|&character| read(character)).collect();
    answers
        .filter(|answers| answers.len() == elements)
        .ok_or_else(|| unexpected("a character an element", Some(&Value::BulkString(text))))
}

pub(crate) async fn insert(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Vec<bool>, Error> {
    let mut new = Vec::with_capacity(hashes.len());
    let mut acknowledged = Acknowledged::new(options);
    for trip in hashes.chunks(per_insert(chain, options)) {
        let (mut gone, ack) = (None, &mut acknowledged);
        loop {
            let (some, under_way) = insert_once(line, chain, trip, None, options, ack).await?;
            if gone.is_none() {
                new.extend(some);
            }
            let followed = |&token: &Token| options.follow_rebuilds && gone != Some(token);
            let Some(token) = under_way.filter(followed) else {
                break;
            };
            let orphan = millis(generation::ORPHAN)?;
            let wrote = insert_into_generation(line, chain, token, trip, orphan, options, ack);
            gone = generation::gone(token, wrote.await)?;
            if gone.is_none() {
                break;
            }
        }
    }
    acknowledged.check()?;
    Ok(new)
}

/// Returns the number of elements in one insert. Without scripts, each is queried, set and counted by itself.
fn per_insert(chain: &Chain, options: &Options) -> usize {
    if chain.by_script(options) {
        per_trip(&chain.schema, options)
    } else {
        1
    }
}

/// Inserts elements into a generation that must exist and then lives at least for the lease.
pub(crate) async fn insert_into_generation(
    line: &Line,
    live: &Chain,
    token: Token,
    hashes: &[Hash128],
    millis: u64,
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<Vec<bool>, Error> {
    let options = options.reported();
    let (next, millis) = (live.next(token), Some(millis));
    let mut new = Vec::with_capacity(hashes.len());
    for hashes in hashes.chunks(per_insert(&next, &options)) {
        let (some, under_way) = insert_once(line, &next, hashes, millis, &options, acknowledged).await?;
        // The keys may be left over from inserts that came too late.
        if under_way != Some(token) {
            return Err(next.missing());
        }
        new.extend(some);
    }
    Ok(new)
}

/// Inserts elements, in one round trip if scripts are allowed. Returns whether each was new, and the rebuild under way.
async fn insert_once(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    millis: Option<u64>,
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<(Vec<bool>, Option<Token>), Error> {
    if !chain.by_script(options) {
        return chain_by_commands::insert(line, chain, hashes, millis, options, acknowledged).await;
    }
    let (watch, counter) = (Watch::new(&chain.anchor), chain.counter());
    let mut keys: Vec<&[u8]> = vec![&watch.pointer];
    // The generation of a rebuild has a lease, but a kept count would have none.
    if options.keep_count && millis.is_none() {
        keys.push(&counter);
    }
    for _ in 0..ATTEMPTS {
        let wait = acknowledged.wait();
        let run = chain.run(&scripts::INSERT, line, &keys, options, wait, |command| {
            command.arg(chain.schema.probe_count()).arg(or_empty(millis));
            command.arg(chain.offsets(hashes));
        });
        let mut replies = run.await?;
        if let Some(mut told) = replies.parts()? {
            acknowledged.read(&mut replies)?;
            let new = characters(&mut told, hashes.len(), |character| match character {
                b'0' => Some(false),
                b'1' => Some(true),
                _ => None,
            })?;
            return Ok((new, watch.read(told.bytes()?.as_deref())?));
        }
        if chain_by_commands::is_missing(line, chain).await? {
            return Err(chain.missing());
        }
        // The bitmap came back meanwhile, or the script ran on a node that lacks some bitmaps while their slot moves.
    }
    Err(moving())
}

pub(crate) async fn exchange(
    line: &Line,
    live: &Chain,
    token: Token,
    options: &Options,
) -> Result<(), Error> {
    let (next, watch, counter) = (live.next(token), Watch::new(&live.cursor), live.counter());
    let record = record_key(&live.cursor);
    let keys = [
        watch.pointer.as_slice(),
        &record,
        &live.cursor,
        &live.record,
        &counter,
    ];
    let options = options.reported();
    let run = next.run(&scripts::EXCHANGE, line, &keys, &options, None, |command| {
        command.arg(&live.base).arg(token.0);
    });
    match run.await?.count()? {
        0 => Err(next.missing()),
        _ => Ok(()),
    }
}

pub(crate) async fn abandon(line: &Line, live: &Chain, token: Token) -> Result<(), Error> {
    let next = live.next(token);
    let last = chain_by_commands::current(line, &next, &Options::default().missing(Missing::Empty)).await?;
    let mut keys: Vec<Vec<u8>> = (0..=last).map(|number| next.key(number)).collect();
    keys.extend([next.cursor, next.record]);
    generation::abandon(line, &live.cursor, &keys, token).await
}

/// Abandons the rebuild under way. Returns whether there was one.
pub(crate) async fn abandon_any(line: &Line, live: &Chain) -> Result<bool, Error> {
    let Some(token) = generation::under_way(line, &live.cursor).await? else {
        return Ok(false);
    };
    abandon(line, live, token).await?;
    Ok(true)
}
