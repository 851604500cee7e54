//! Operations on a growing filter: by scripts, each in one step, or by plain commands.

use guava_bloom::Hash128;
use redis::{ErrorKind, RedisError, ServerErrorKind, Value, cmd};

use super::acknowledged::Acknowledged;
use super::bitmap::per_trip;
use super::bits::settle;
use super::chain::Chain;
use super::generation::{self, Token, Watch, or_empty, record_key};
use super::{chain_by_commands, scripts};
use crate::answer::Answer;
use crate::batch::{Batch, Replies, exists, unexpected};
use crate::call::Line;
use crate::error::Error;
use crate::options::{Options, millis};

/// The number of attempts of an insert that finds a bitmap missing.
const ATTEMPTS: usize = 4;

/// Queries elements. Returns one answer per hash.
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

/// Inserts elements. Returns whether each was new.
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
            command.arg(chain.schema.probe_count()).arg(chain.schema.bits());
            command.arg(or_empty(millis)).arg(chain.offsets(hashes));
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
        if chain_by_commands::is_missing(line, chain, options).await? {
            return Err(chain.missing());
        }
        // The bitmap came back meanwhile, or the script ran on a node that lacks some bitmaps while their slot moves.
    }
    Err(RedisError::from((
        ErrorKind::Server(ServerErrorKind::TryAgain),
        "the filter's slot is moving between nodes",
    ))
    .into())
}

/// Replaces the filter by a rebuild.
pub(crate) async fn exchange(
    line: &Line,
    live: &Chain,
    token: Token,
    options: &Options,
) -> Result<(), Error> {
    let (next, watch, counter) = (live.next(token), Watch::new(&live.cursor), live.counter());
    let record = record_key(&live.cursor);
    let keys = [watch.pointer.as_slice(), &record, &live.cursor, &counter];
    let options = options.reported();
    let run = next.run(&scripts::EXCHANGE, line, &keys, &options, None, |command| {
        command.arg(&live.base).arg(token.0).arg(live.schema.bits());
    });
    match run.await?.count()? {
        0 => Err(next.missing()),
        _ => Ok(()),
    }
}

/// Creates the current bitmap unless it exists. Returns whether it was created.
pub(crate) async fn create(line: &Line, chain: &Chain, options: &Options) -> Result<bool, Error> {
    let current = chain.read_cursor(line).await?;
    // Sent alone, so that the key is found while its slot moves between nodes.
    if line.ask(&exists(&chain.key(current))).await?.count()? == 1 {
        return Ok(false);
    }
    if chain.by_script(options) {
        let counter = chain.counter();
        let keys = [counter.as_slice()];
        let run = chain.run(&scripts::CREATE, line, &keys, options, None, |command| {
            command.arg(chain.schema.bits());
        });
        return Ok(run.await?.count()? == 1);
    }
    let allocate = chain.allocate(current, options.commands);
    line.ask(&allocate).await?.checked()?;
    write_first_cursor(line, chain).await?;
    Ok(true)
}

/// Writes the cursor of a filter with one bitmap, unless there is one. The published program omits it; once written, a
/// missing cursor is known to be lost.
async fn write_first_cursor(line: &Line, chain: &Chain) -> Result<(), Error> {
    if line.ask(&exists(&chain.key(1))).await?.count()? == 0 {
        let mut set = cmd("SET");
        line.ask(set.arg(&chain.cursor).arg("0").arg("NX"))
            .await?
            .checked()?;
    }
    Ok(())
}

/// Writes the cursor before the first parameter record of a filter, so that a cursor that is missing later was lost.
pub(crate) async fn prepare_record(line: &Line, chain: &Chain) -> Result<(), Error> {
    if line.ask(&exists(&chain.record)).await?.count()? == 0 {
        write_first_cursor(line, chain).await?;
    }
    Ok(())
}

/// Deletes all bitmaps and starts over with an empty one.
pub(crate) async fn reset(line: &Line, chain: &Chain, options: &Options) -> Result<(), Error> {
    if chain.by_script(options) {
        let counter = chain.counter();
        let keys = [counter.as_slice()];
        let run = chain.run(&scripts::RESET, line, &keys, options, None, |command| {
            command.arg(chain.schema.bits());
        });
        return run.await.map(drop);
    }
    let last = chain.read_cursor(line).await?;
    let mut batch = Batch::atomic(options.commands.transactions && !chain.spread);
    let unlink = batch.add("UNLINK").arg(chain.counter());
    for number in 0..=last {
        unlink.arg(chain.key(number));
    }
    batch.add("SET").arg(&chain.cursor).arg("0");
    batch.push(&chain.allocate(0, options.commands));
    if chain.spread {
        for command in batch.commands() {
            line.ask(&command).await?.checked()?;
        }
        return Ok(());
    }
    line.send(batch).await?.checked().map(drop)
}

/// Abandons a rebuild: deletes its bitmaps and its cursor.
pub(crate) async fn abandon(line: &Line, live: &Chain, token: Token) -> Result<(), Error> {
    let next = live.next(token);
    let last = next.read_cursor(line).await?;
    let mut keys: Vec<Vec<u8>> = (0..=last).map(|number| next.key(number)).collect();
    keys.push(next.cursor);
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
