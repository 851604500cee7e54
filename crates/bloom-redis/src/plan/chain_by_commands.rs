//! A growing filter by plain commands: as published, with the races that this has. For servers and proxies without scripts, and
//! for filters in several slots of a cluster, which no script sees as a whole. Neither is ever rebuilt.

use guava_bloom::Hash128;
use redis::{Cmd, cmd};

use super::acknowledged::Acknowledged;
use super::bits::{push_bits, read_zeros};
use super::chain::{Chain, MOST_BITMAPS};
use crate::answer::Answer;
use crate::batch::{Batch, Replies, exists};
use crate::bitfield::Access;
use crate::call::Line;
use crate::error::Error;
use crate::options::{Missing, Options};

/// As published: the cursor first, then all bitmaps, in two round trips.
pub(super) async fn contains(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Vec<Answer>, Error> {
    let state = State::read(line, chain, options).await?;
    let found = look(line, chain, &state, hashes, options).await?;
    Ok((found.held.into_iter())
        .map(|held| match (held, found.missing) {
            (true, _) => Answer::MayContain,
            (false, true) => Answer::Missing,
            (false, false) => Answer::Absent,
        })
        .collect())
}

/// Whether a bitmap or the cursor is missing.
pub(super) async fn is_missing(line: &Line, chain: &Chain, options: &Options) -> Result<bool, Error> {
    let state = State::read(line, chain, options).await?;
    Ok(look(line, chain, &state, &[], options).await?.missing)
}

/// What tells how many bitmaps there are.
struct State {
    current: u64,
    /// Whether the cursor was lost.
    missing: bool,
}

impl State {
    /// Reads it in one round trip.
    async fn read(line: &Line, chain: &Chain, options: &Options) -> Result<Self, Error> {
        let commands = [
            cmd("GET").arg(&chain.cursor).take(),
            exists(&chain.key(1)),
            exists(&chain.record),
        ];
        let batches = commands.iter().map(Batch::of);
        let mut replies = line.send_all(divide(batches, chain)).await?;
        let text = replies.bytes()?;
        let current = chain.parse_cursor(text.as_deref())?;
        // A bitmap beyond a cursor that is missing, or a parameter record, which is written with a cursor.
        let left = replies.count()? + replies.count()?;
        Ok(Self {
            current,
            missing: text.is_none() && left > 0 && options.missing == Missing::Reported,
        })
    }
}

/// What a query finds.
struct Found {
    /// Of each element, whether a bitmap has it.
    held: Vec<bool>,
    /// Whether a bitmap or the cursor is missing.
    missing: bool,
}

/// Asks all bitmaps, in one round trip.
async fn look(
    line: &Line,
    chain: &Chain,
    state: &State,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Found, Error> {
    let probes = usize::from(chain.schema.probes());
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
    let mut replies = line.send_all(divide(bitmaps, chain)).await?;
    let mut found = Found {
        held: vec![false; hashes.len()],
        missing: state.missing,
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
    Ok(found)
}

/// The batches to send: one for each key of a filter that is spread, one in all otherwise.
fn divide(batches: impl IntoIterator<Item = Batch>, chain: &Chain) -> Vec<Batch> {
    let batches = batches.into_iter();
    if chain.spread {
        batches.collect()
    } else {
        vec![batches.reduce(Batch::then).unwrap_or_default()]
    }
}

/// As published: asked first, set then, counted, and grown if need be. Two writers at the same moment may both grow.
pub(super) async fn insert(
    line: &Line,
    chain: &Chain,
    hash: Hash128,
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<bool, Error> {
    let state = State::read(line, chain, options).await?;
    // As published, the first bitmap is not asked.
    if state.current > 0 || options.missing == Missing::Reported {
        let found = look(line, chain, &state, &[hash], options).await?;
        if found.missing {
            return Err(chain.missing());
        }
        if found.held.contains(&true) {
            return Ok(false);
        }
    }
    let (key, offsets) = (chain.key(state.current), chain.offsets(&[hash]));
    let mut batch = Batch::new();
    push_bits(&mut batch, options.commands, Access::Set, &key, &offsets);
    batch.add("BITCOUNT").arg(&key);
    let mut replies = line.send(batch.and_wait(acknowledged.wait())).await?;
    let mut new = false;
    read_zeros(&mut replies, options.commands, offsets.len(), |_| new = true)?;
    let ones = replies.count()?;
    acknowledged.read(&mut replies)?;
    if ones * 2 > chain.schema.bits() {
        if state.current + 1 >= MOST_BITMAPS {
            return Err(Error::Full {
                bitmaps: MOST_BITMAPS,
            });
        }
        open_next(line, chain, state.current, options, acknowledged).await?;
    }
    Ok(new)
}

/// Opens the bitmap after this one, or after those that others opened meanwhile.
async fn open_next(
    line: &Line,
    chain: &Chain,
    current: u64,
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<(), Error> {
    // First the cursor, since one that is missing beside a second bitmap is taken for lost; then the bitmap, so that a client
    // that dies here leaves none that is missing.
    let mut begin = cmd("SET");
    write(line, begin.arg(&chain.cursor).arg("0").arg("NX"), acknowledged).await?;
    let mut create = cmd("SET");
    create.arg(chain.key(current + 1)).arg(&[0_u8][..]).arg("NX");
    write(line, &create, acknowledged).await?;
    let mut advance = cmd("INCR");
    let opened = write(line, advance.arg(&chain.cursor), acknowledged)
        .await?
        .count()?;
    write(line, &chain.allocate(opened, options.commands), acknowledged).await?;
    Ok(())
}

/// Sends a command that writes, and waits for replicas if the caller wants it; its reply.
async fn write(line: &Line, command: &Cmd, acknowledged: &mut Acknowledged) -> Result<Replies, Error> {
    let mut replies = line
        .send(Batch::of(command).and_wait(acknowledged.wait()))
        .await?;
    let reply = replies.take(1).checked()?;
    acknowledged.read(&mut replies)?;
    Ok(reply)
}
