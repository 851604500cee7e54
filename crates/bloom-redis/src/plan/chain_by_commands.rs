//! A growing filter by plain commands, as published, including the races. It is for servers and proxies without
//! scripts, and for filters spread over several slots of a cluster, which no script sees as a whole. Spread filters are
//! never rebuilt. Clients with scripts may rebuild the others at any moment, so every operation checks afterwards
//! whether that happened.

use guava_bloom::Hash128;
use redis::{Cmd, cmd};

use super::acknowledged::Acknowledged;
use super::bits::{ATTEMPTS, push_bits, read_zeros};
use super::chain::{Chain, MAX_BITMAPS};
use super::generation::{self, Token, Watch};
use crate::answer::Answer;
use crate::batch::{Batch, Replies, exists};
use crate::bitfield::Access;
use crate::call::Line;
use crate::error::Error;
use crate::options::{Missing, Options};

/// Queries elements as published: first the cursor, then all bitmaps, in two round trips.
pub(super) async fn contains(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Vec<Answer>, Error> {
    let Some(found) = ask(line, chain, hashes, options).await? else {
        // The filter exists, but its contents could not be read.
        return Ok(vec![Answer::MightContain; hashes.len()]);
    };
    Ok((found.held.into_iter())
        .map(|held| match (held, found.missing) {
            (true, _) => Answer::MightContain,
            (false, true) => Answer::Missing,
            (false, false) => Answer::Absent,
        })
        .collect())
}

/// Returns true if a bitmap or the cursor is missing.
pub(super) async fn is_missing(line: &Line, chain: &Chain, options: &Options) -> Result<bool, Error> {
    let found = ask(line, chain, &[], options).await?;
    Ok(found.is_some_and(|found| found.missing))
}

/// Queries all bitmaps up to the cursor. Starts over if a rebuild replaced the filter meanwhile, because the new filter
/// has other bits and possibly more bitmaps. Returns `None` if that happened again and again.
async fn ask(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Option<Found>, Error> {
    for _ in 0..ATTEMPTS {
        let state = State::read(line, chain, options).await?;
        if let Some(found) = look(line, chain, &state, hashes, options).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The cursor, and the generation that it belongs to.
struct State {
    /// The rebuild that last replaced the filter.
    generation: Option<Vec<u8>>,
    current: u64,
    missing: bool,
}

impl State {
    async fn read(line: &Line, chain: &Chain, options: &Options) -> Result<Self, Error> {
        let commands = [
            cmd("GET").arg(&chain.cursor).take(),
            exists(&chain.key(1)),
            exists(&chain.record),
        ];
        // Read before the cursor, so that a rebuild that ends in between is noticed afterwards.
        let last = (!chain.spread).then(|| generation::last(&chain.anchor));
        let batches = last.iter().chain(&commands).map(Batch::of);
        let mut replies = line.send_all(divide(batches, chain)).await?;
        let generation = if chain.spread { None } else { replies.bytes()? };
        let text = replies.bytes()?;
        let current = chain.parse_cursor(text.as_deref())?;
        // A second bitmap or a parameter record shows that there was a cursor.
        let left = replies.count()? + replies.count()?;
        Ok(Self {
            generation,
            current,
            missing: text.is_none() && left > 0 && options.missing == Missing::Reported,
        })
    }

    /// Returns the commands for [`unchanged`](Self::unchanged). The rebuild under way comes first, so that a rebuild
    /// that ends in between is noticed by the second command.
    fn watch(chain: &Chain) -> Batch {
        let mut batch = Batch::new();
        if !chain.spread {
            batch.push(&Watch::new(&chain.anchor).look());
            batch.push(&generation::last(&chain.anchor));
        }
        batch
    }

    /// Returns the rebuild under way, if there is one. The outer `None` means that a rebuild replaced the filter since
    /// the state was read, so that all other replies are useless.
    fn unchanged(&self, chain: &Chain, replies: &mut Replies) -> Result<Option<Option<Token>>, Error> {
        if chain.spread {
            return Ok(Some(None));
        }
        let under_way = Watch::new(&chain.anchor).read(replies.bytes()?.as_deref())?;
        Ok((replies.bytes()? == self.generation).then_some(under_way))
    }
}

/// The result of a query.
struct Found {
    /// For each element, whether a bitmap has it.
    held: Vec<bool>,
    /// Set if a bitmap or the cursor is missing.
    missing: bool,
    under_way: Option<Token>,
}

/// Queries all bitmaps in one round trip. Returns `None` if a rebuild replaced the filter since the state was read.
async fn look(
    line: &Line,
    chain: &Chain,
    state: &State,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Option<Found>, Error> {
    let probes = usize::from(chain.schema.probe_count());
    let offsets = chain.offsets(hashes);
    let reported = options.missing == Missing::Reported;
    let bitmaps = (0..=state.current).map(|number| {
        let (mut batch, key) = (Batch::new(), chain.key(number));
        push_bits(&mut batch, options.commands, Access::Get, &key, &offsets);
        if reported {
            batch.push(&exists(&key));
        }
        batch
    });
    let batches = bitmaps.chain([State::watch(chain)]);
    let mut replies = line.send_all(divide(batches, chain)).await?;
    let mut found = Found {
        held: vec![false; hashes.len()],
        missing: state.missing,
        under_way: None,
    };
    for _ in 0..=state.current {
        let mut held = vec![true; hashes.len()];
        read_zeros(&mut replies, options.commands, offsets.len(), |at| {
            held[at / probes] = false
        })?;
        for (found, held) in found.held.iter_mut().zip(held) {
            *found |= held;
        }
        if reported {
            found.missing |= replies.count()? == 0;
        }
    }
    let unchanged = state.unchanged(chain, &mut replies)?;
    Ok(unchanged.map(|under_way| Found { under_way, ..found }))
}

/// Returns the batches to send: one per key if the filter is spread, a single one otherwise.
fn divide(batches: impl IntoIterator<Item = Batch>, chain: &Chain) -> Vec<Batch> {
    let batches = batches.into_iter();
    if chain.spread {
        batches.collect()
    } else {
        vec![batches.reduce(Batch::then).unwrap_or_default()]
    }
}

/// Inserts one element as published: queries it, sets its bits, counts the ones, and grows the filter if necessary. Two
/// writers at the same moment may both grow it. Returns whether the element was new, and the rebuild under way. Keys
/// that this creates in a generation live for `millis`.
pub(super) async fn insert(
    line: &Line,
    chain: &Chain,
    hash: &[Hash128],
    millis: Option<u64>,
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<(Vec<bool>, Option<Token>), Error> {
    let (offsets, mut new) = (chain.offsets(hash), false);
    for _ in 0..ATTEMPTS {
        let state = State::read(line, chain, options).await?;
        // The published program does not query the first bitmap either.
        if state.current > 0 || options.missing == Missing::Reported {
            let Some(found) = look(line, chain, &state, hash, options).await? else {
                continue;
            };
            if found.missing {
                return Err(chain.missing());
            }
            if found.held.contains(&true) {
                return Ok((vec![new], found.under_way));
            }
        }
        let (mut batch, key) = (Batch::new(), chain.key(state.current));
        if millis.is_some() {
            batch.push(&begin(&key, &[0], millis));
        }
        push_bits(&mut batch, options.commands, Access::Set, &key, &offsets);
        batch.add("BITCOUNT").arg(&key);
        let batch = batch.then(State::watch(chain)).and_wait(acknowledged.wait());
        let mut replies = line.send(batch).await?;
        if millis.is_some() {
            replies.value()?;
        }
        read_zeros(&mut replies, options.commands, offsets.len(), |_| new = true)?;
        let ones = replies.count()?;
        let unchanged = state.unchanged(chain, &mut replies)?;
        acknowledged.read(&mut replies)?;
        let Some(under_way) = unchanged else { continue };
        if ones * 2 > chain.schema.bits() {
            if state.current + 1 >= MAX_BITMAPS {
                return Err(chain.full());
            }
            open_next(line, chain, state.current, millis, options, acknowledged).await?;
        }
        return Ok((vec![new], under_way));
    }
    Err(Error::replaced(&chain.cursor))
}

/// Opens the bitmap after this one, or after those that others opened meanwhile.
async fn open_next(
    line: &Line,
    chain: &Chain,
    current: u64,
    millis: Option<u64>,
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<(), Error> {
    // The cursor must exist before a second bitmap does, or it would count as lost. The bitmap must exist before the
    // cursor advances, so that a client that dies here leaves no bitmap missing.
    write(line, &begin(&chain.cursor, b"0", millis), acknowledged).await?;
    write(line, &begin(&chain.key(current + 1), &[0], millis), acknowledged).await?;
    let mut advance = cmd("INCR");
    let opened = write(line, advance.arg(&chain.cursor), acknowledged)
        .await?
        .count()?;
    if millis.is_some() {
        write(line, &begin(&chain.key(opened), &[0], millis), acknowledged).await?;
    }
    write(line, &chain.allocate(opened, options.commands), acknowledged).await?;
    Ok(())
}

/// Returns the command that writes a key unless it exists.
fn begin(key: &[u8], value: &[u8], millis: Option<u64>) -> Cmd {
    let expiry = millis.map(|millis| ("PX", millis));
    cmd("SET").arg(key).arg(value).arg("NX").arg(expiry).take()
}

/// Sends a write, and waits for replicas if the caller does. Returns the reply to the write.
async fn write(line: &Line, command: &Cmd, acknowledged: &mut Acknowledged) -> Result<Replies, Error> {
    let mut replies = line
        .send(Batch::of(command).and_wait(acknowledged.wait()))
        .await?;
    let reply = replies.take(1).checked()?;
    acknowledged.read(&mut replies)?;
    Ok(reply)
}
