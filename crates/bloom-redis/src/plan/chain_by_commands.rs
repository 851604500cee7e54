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
use crate::batch::{Batch, Replies, exists, length};
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

pub(super) async fn is_missing(line: &Line, chain: &Chain) -> Result<bool, Error> {
    let found = ask(line, chain, &[], &Options::default()).await?;
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
        let state = State::read(line, chain).await?;
        if let Some(found) = look(line, chain, &state, hashes, options).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

pub(crate) async fn current(line: &Line, chain: &Chain, options: &Options) -> Result<u64, Error> {
    let state = State::read(line, chain).await?;
    if options.missing == Missing::Reported && !(state.record && state.cursor.is_some()) {
        return Err(chain.missing());
    }
    Ok(state.current())
}

/// Creates the filter. Returns true if there was none. Fails if some of its keys are lost.
pub(crate) async fn create(line: &Line, chain: &Chain, options: &Options) -> Result<bool, Error> {
    // Twice, because another client may create the filter meanwhile.
    for _ in 0..2 {
        if !is_missing(line, chain).await? {
            return Ok(false);
        }
        if is_new(line, chain).await? {
            line.ask(&chain.allocate(0, options.commands)).await?.checked()?;
            write_cursor_and_record(line, chain, 0).await?;
            return Ok(true);
        }
    }
    Err(chain.missing())
}

/// Returns true if nothing is left of an earlier filter.
async fn is_new(line: &Line, chain: &Chain) -> Result<bool, Error> {
    let state = State::read(line, chain).await?;
    // What a client that died while it created the filter left: a bitmap of zeros, then the cursor.
    let first = chain.key(0);
    let mut begun = Batch::new();
    begun.push(&exists(&first));
    begun.add("BITCOUNT").arg(&first);
    let others = (1..MAX_BITMAPS).map(|number| chain.key(number));
    let batches = if chain.spread {
        others.map(|key| Batch::of(&exists(&key))).collect()
    } else {
        vec![Batch::of(cmd("EXISTS").arg(others.collect::<Vec<_>>()))]
    };
    let mut replies = line
        .send_all(divide([begun].into_iter().chain(batches), chain))
        .await?;
    let (there, ones, mut left) = (replies.count()?, replies.count()?, 0);
    for _ in 0..if chain.spread { MAX_BITMAPS - 1 } else { 1 } {
        left += replies.count()?;
    }
    let begun = there == 1 && ones == 0 && state.current() == 0;
    let nothing = there == 0 && state.cursor.is_none();
    Ok(!state.record && left == 0 && (begun || nothing))
}

/// Writes the cursor and the parameter record of a filter that the published program made.
pub(crate) async fn write_marks(line: &Line, chain: &Chain, options: &Options) -> Result<(), Error> {
    let state = State::read(line, chain).await?;
    // A bitmap after the cursor's shows that the cursor was lost.
    let after = exists(&chain.key(state.current() + 1));
    let Some(found) = look(line, chain, &state, &[], &options.reported()).await? else {
        return Err(Error::replaced(&chain.cursor));
    };
    if found.lost > 0 || line.ask(&after).await?.count()? > 0 {
        return Err(chain.missing());
    }
    write_cursor_and_record(line, chain, state.current()).await
}

/// Writes the cursor, unless there is one, and then the record.
async fn write_cursor_and_record(line: &Line, chain: &Chain, current: u64) -> Result<(), Error> {
    let commands = [
        cmd("SET").arg(&chain.cursor).arg(current).arg("NX").take(),
        cmd("SET").arg(&chain.record).arg(chain.parameters()).take(),
    ];
    for command in commands {
        line.ask(&command).await?.checked()?;
    }
    Ok(())
}

/// Deletes all bitmaps and starts over with an empty one. Without its record, the filter is missing meanwhile.
pub(crate) async fn clear(line: &Line, chain: &Chain, options: &Options) -> Result<(), Error> {
    let keys = (0..MAX_BITMAPS).map(|number| chain.key(number));
    let commands = [
        cmd("UNLINK").arg(&chain.record).take(),
        cmd("UNLINK").arg(chain.counter()).take(),
    ];
    let unlink = |key: Vec<u8>| cmd("UNLINK").arg(key).take();
    if chain.spread {
        for command in commands.into_iter().chain(keys.map(unlink)) {
            line.ask(&command).await?.checked()?;
        }
        for command in [
            chain.allocate(0, options.commands),
            cmd("UNLINK").arg(&chain.cursor).take(),
        ] {
            line.ask(&command).await?.checked()?;
        }
        return write_cursor_and_record(line, chain, 0).await;
    }
    let mut batch = Batch::atomic(options.commands.transactions);
    commands.iter().for_each(|command| batch.push(command));
    batch.add("UNLINK").arg(keys.collect::<Vec<_>>());
    batch.push(&chain.allocate(0, options.commands));
    batch.add("SET").arg(&chain.cursor).arg("0");
    batch.add("SET").arg(&chain.record).arg(chain.parameters());
    line.send(batch).await?.checked().map(drop)
}

/// The cursor, and the generation that it belongs to.
struct State {
    /// The rebuild that last replaced the filter.
    generation: Option<Vec<u8>>,
    cursor: Option<u64>,
    /// Set if there is a parameter record.
    record: bool,
}

impl State {
    /// Returns the number of the current bitmap. As published, a filter without a cursor has one bitmap.
    fn current(&self) -> u64 {
        self.cursor.unwrap_or(0)
    }

    async fn read(line: &Line, chain: &Chain) -> Result<Self, Error> {
        let commands = [&chain.cursor, &chain.record].map(|key| cmd("GET").arg(key).take());
        // Read before the cursor, so that a rebuild that ends in between is noticed afterwards.
        let last = (!chain.spread).then(|| generation::last(&chain.anchor));
        let batches = last.iter().chain(&commands).map(Batch::of);
        let mut replies = line.send_all(divide(batches, chain)).await?;
        let generation = if chain.spread { None } else { replies.bytes()? };
        let (cursor, record) = (replies.bytes()?, replies.bytes()?);
        if let Some(record) = &record {
            chain.check_record(record)?;
        }
        Ok(Self {
            generation,
            cursor: cursor.map(|text| chain.parse_cursor(&text)).transpose()?,
            record: record.is_some(),
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

struct Found {
    /// For each element, whether a bitmap has it.
    held: Vec<bool>,
    /// The number of bitmaps that are missing.
    lost: u64,
    /// Set if a key of the filter is missing and that is reported.
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
    let bitmaps = (0..=state.current()).map(|number| {
        let (mut batch, key) = (Batch::new(), chain.key(number));
        push_bits(&mut batch, options.commands, Access::Get, &key, &offsets);
        // Afterwards, because no insert that follows a loss gives the bitmap its length back.
        if reported {
            batch.push(&length(&key));
        }
        batch
    });
    let batches = bitmaps.chain([State::watch(chain)]);
    let mut replies = line.send_all(divide(batches, chain)).await?;
    let mut found = Found {
        held: vec![false; hashes.len()],
        lost: 0,
        missing: false,
        under_way: None,
    };
    let mut lengths = Vec::new();
    for _ in 0..=state.current() {
        let mut held = vec![true; hashes.len()];
        read_zeros(&mut replies, options.commands, offsets.len(), |at| {
            held[at / probes] = false
        })?;
        for (found, held) in found.held.iter_mut().zip(held) {
            *found |= held;
        }
        if reported {
            lengths.push(replies.count()?);
        }
    }
    let Some(under_way) = state.unchanged(chain, &mut replies)? else {
        return Ok(None);
    };
    for (number, length) in (0..).zip(lengths) {
        found.lost += u64::from(!chain.bitmap(number).piece(0).is_there(length)?);
    }
    let marked = state.record && state.cursor.is_some();
    found.missing = reported && !(marked && found.lost == 0);
    Ok(Some(Found { under_way, ..found }))
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
    let reported = options.missing == Missing::Reported;
    for _ in 0..ATTEMPTS {
        let state = State::read(line, chain).await?;
        // The published program does not query the first bitmap either.
        if state.current() > 0 || reported {
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
        let bitmap = chain.bitmap(state.current());
        let piece = bitmap.piece(0);
        let mut batch = Batch::atomic(millis.is_some() && options.commands.transactions);
        if millis.is_some() {
            // If the generation ended just now, what this writes expires.
            batch.push(&begin(piece.key, millis));
        }
        batch.add("BITCOUNT").arg(piece.key);
        batch.push(&length(piece.key));
        push_bits(&mut batch, options.commands, Access::Set, piece.key, &offsets);
        batch.push(&length(piece.key));
        batch.add("BITCOUNT").arg(piece.key);
        let batch = batch.then(State::watch(chain)).and_wait(acknowledged.wait());
        let mut replies = line.send(batch).await?;
        if millis.is_some() {
            replies.value()?;
        }
        let (ones_before, before, mut added) = (replies.count()?, replies.count()?, 0);
        read_zeros(&mut replies, options.commands, offsets.len(), |_| added += 1)?;
        let (after, ones) = (replies.count()?, replies.count()?);
        new |= added > 0;
        let unchanged = state.unchanged(chain, &mut replies)?;
        acknowledged.read(&mut replies)?;
        let Some(under_way) = unchanged else { continue };
        // The bits of an insert may by chance give a new string the full length, but not the ones of the old one.
        let kept = (before, after) == (piece.bytes, piece.bytes) && ones >= ones_before.saturating_add(added);
        if reported && !kept {
            // The bitmap was lost since the query, and this insert began another.
            line.ask(cmd("UNLINK").arg(piece.key)).await?.checked()?;
            return Err(chain.missing());
        }
        if ones * 2 > chain.schema.bits() {
            if state.current() + 1 >= MAX_BITMAPS {
                return Err(chain.full());
            }
            open_next(line, chain, &state, millis, options, acknowledged).await?;
        }
        return Ok((vec![new], under_way));
    }
    Err(Error::replaced(&chain.cursor))
}

/// Opens the bitmap after this one, or after those that others opened meanwhile.
async fn open_next(
    line: &Line,
    chain: &Chain,
    state: &State,
    millis: Option<u64>,
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<(), Error> {
    let current = state.current();
    // The bitmap must exist before the cursor advances, so that a client that dies here leaves none missing.
    open(line, chain, current + 1, millis, options, acknowledged).await?;
    let mut batch = Batch::new();
    batch.push(&exists(&chain.cursor));
    batch.add("INCR").arg(&chain.cursor);
    let batch = batch.then(State::watch(chain)).and_wait(acknowledged.wait());
    let mut replies = line.send(batch).await?;
    let (there, opened) = (replies.count()?, replies.count()?);
    let unchanged = state.unchanged(chain, &mut replies)?.is_some();
    acknowledged.read(&mut replies)?;
    let began = there == 0 && opened == 1;
    if options.missing == Missing::Reported && (began || unchanged && opened <= current) {
        // The cursor was lost since it was read, and this began another.
        line.ask(cmd("UNLINK").arg(&chain.cursor)).await?.checked()?;
        return Err(chain.missing());
    }
    // A rebuild that ended meanwhile has removed the bitmap.
    if opened != current + 1 || !unchanged {
        open(line, chain, opened, millis, options, acknowledged).await?;
    }
    Ok(())
}

/// Gives a bitmap its full length, whether it is there or not.
async fn open(
    line: &Line,
    chain: &Chain,
    number: u64,
    millis: Option<u64>,
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<(), Error> {
    let mut batch = Batch::atomic(millis.is_some() && options.commands.transactions);
    batch.push(&begin(&chain.key(number), millis));
    batch.push(&chain.allocate(number, options.commands));
    let mut replies = line.send(batch.and_wait(acknowledged.wait())).await?;
    replies.take(2).checked()?;
    acknowledged.read(&mut replies)
}

/// Returns the command that begins a bitmap unless it exists.
fn begin(key: &[u8], millis: Option<u64>) -> Cmd {
    let expiry = millis.map(|millis| ("PX", millis));
    cmd("SET").arg(key).arg(&[0_u8][..]).arg("NX").arg(expiry).take()
}
