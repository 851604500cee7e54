//! A growing filter without scripts: as published, with the races that this has.

use guava_bloom::Hash128;
use redis::{Cmd, Value, cmd};

use super::Batch;
use super::acknowledged::Acknowledged;
use super::batch::count;
use super::bits::{ATTEMPTS, exists, push_get, push_set, read_zeros};
use super::chain::{Chain, MOST_BITMAPS, allocate, parse_cursor};
use super::generation;
use crate::answer::Answer;
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
    let Some((_, found)) = ask(line, chain, hashes, options).await? else {
        // The filter is there, and what it holds could not be read.
        return Ok(vec![Answer::MayContain; hashes.len()]);
    };
    Ok((found.held.into_iter())
        .map(|held| match (held, found.missing) {
            (true, _) => Answer::MayContain,
            (false, true) => Answer::Missing,
            (false, false) => Answer::Absent,
        })
        .collect())
}

/// Looks at all bitmaps up to the cursor; again, if a rebuild took the filter's place in between: its bitmaps may be more, and
/// each of them has other bits. `None` if that happened again and again.
async fn ask(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Option<(State, Found)>, Error> {
    for _ in 0..ATTEMPTS {
        let state = State::read(line, chain, options).await?;
        let found = look(line, chain, &state, hashes, options).await?;
        if !found.replaced {
            return Ok(Some((state, found)));
        }
    }
    Ok(None)
}

/// Which rebuild took the filter's place last.
pub(super) async fn generation(line: &Line, chain: &Chain) -> Result<Option<Vec<u8>>, Error> {
    line.send(Batch::of(generation::last(&chain.cursor)))
        .await?
        .bytes()
}

/// What tells how many bitmaps there are.
struct State {
    /// The rebuild that took the filter's place last.
    generation: Option<Vec<u8>>,
    current: u64,
    /// Whether the cursor was lost.
    missing: bool,
}

impl State {
    /// Reads it in one round trip.
    async fn read(line: &Line, chain: &Chain, options: &Options) -> Result<Self, Error> {
        let mut get = cmd("GET");
        get.arg(chain.cursor.as_slice());
        // The generation before the cursor: one that comes in between is then seen afterwards.
        let commands = [
            generation::last(&chain.cursor),
            get,
            exists(&chain.key(1)),
            exists(&chain.record),
        ];
        let mut replies = line.send_all(divide(commands.map(Batch::of), chain)).await?;
        let generation = replies.bytes()?;
        let text = replies.bytes()?;
        let current = parse_cursor(chain, text.as_deref())?;
        let mut missing = false;
        // A bitmap beyond a cursor that is missing, or a parameter record, which is written with a cursor.
        for _ in 0..2 {
            missing |= text.is_none() && replies.count()? == 1;
        }
        Ok(Self {
            generation,
            current,
            missing: missing && options.missing == Missing::Reported,
        })
    }
}

/// What a query finds.
struct Found {
    /// Of each element, whether a bitmap has it.
    held: Vec<bool>,
    /// Whether a bitmap or the cursor is missing.
    missing: bool,
    /// Whether a rebuild took the filter's place since the state was read, so that all else says nothing.
    replaced: bool,
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
    let offsets: Vec<u64> = (hashes.iter())
        .flat_map(|&hash| chain.schema.positions(hash))
        .collect();
    let reported = options.missing == Missing::Reported;
    let bitmaps = (0..=state.current).map(|number| {
        let (mut batch, key) = (Batch::new(), chain.key(number));
        push_get(&mut batch, options.commands, &key, &offsets);
        if reported {
            batch.push(exists(&key));
        }
        batch
    });
    // A filter that is spread is never rebuilt.
    let after = (!chain.spread).then(|| Batch::of(generation::last(&chain.cursor)));
    let mut replies = line.send_all(divide(bitmaps.chain(after), chain)).await?;
    let mut found = Found {
        held: vec![false; hashes.len()],
        missing: state.missing,
        replaced: false,
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
    if !chain.spread {
        found.replaced = replies.bytes()? != state.generation;
    }
    Ok(found)
}

/// Whether a bitmap or the cursor is missing.
pub(super) async fn is_missing(line: &Line, chain: &Chain, options: &Options) -> Result<bool, Error> {
    let asked = ask(line, chain, &[], options).await?;
    Ok(asked.is_some_and(|(_, found)| found.missing))
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
///
/// The keys of a rebuild's generation live for `millis`. Whether a rebuild took the filter's place meanwhile is for the caller
/// to see.
pub(super) async fn insert(
    line: &Line,
    chain: &Chain,
    hash: Hash128,
    millis: Option<u64>,
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<bool, Error> {
    // As published, the first bitmap is not asked.
    let first = match options.missing {
        Missing::Empty => Some(State::read(line, chain, options).await?).filter(|state| state.current == 0),
        Missing::Reported => None,
    };
    let state = match first {
        Some(state) => state,
        None => {
            let asked = ask(line, chain, &[hash], options).await?;
            let (state, found) = asked.ok_or_else(|| chain.replaced())?;
            if found.missing {
                return Err(chain.missing());
            }
            if found.held.contains(&true) {
                return Ok(false);
            }
            state
        }
    };
    let (key, offsets) = (
        chain.key(state.current),
        chain.schema.positions(hash).collect::<Vec<u64>>(),
    );
    let mut batch = Batch::new();
    push_set(&mut batch, options.commands, &key, &offsets);
    let mut count = cmd("BITCOUNT");
    count.arg(key.as_slice());
    batch.push(count);
    if millis.is_some() {
        let mut left = cmd("PTTL");
        left.arg(key.as_slice());
        batch.push(left);
    }
    let mut replies = line.send(batch.and_wait(acknowledged.wait())).await?;
    let mut new = false;
    read_zeros(&mut replies, options.commands, offsets.len(), |_| new = true)?;
    let ones = replies.count()?;
    // One that has a time to live keeps it: the rebuild knows its lease.
    let mut mortal: Vec<Vec<u8>> = match millis {
        Some(_) if replies.value()? == Value::Int(-1) => vec![key],
        _ => Vec::new(),
    };
    acknowledged.read(&mut replies)?;
    if ones * 2 > chain.schema.bits() {
        if state.current + 1 >= MOST_BITMAPS {
            return Err(Error::Full {
                bitmaps: MOST_BITMAPS,
            });
        }
        let opened = open_next(line, chain, state.current, options, acknowledged).await?;
        if millis.is_some() {
            let cursor = chain.cursor.clone();
            mortal.extend([cursor, chain.key(state.current + 1), chain.key(opened)]);
        }
    }
    if let Some(millis) = millis.filter(|_| !mortal.is_empty()) {
        let mut batch = Batch::new();
        for key in mortal {
            let mut expire = cmd("PEXPIRE");
            expire.arg(key).arg(millis);
            batch.push(expire);
        }
        line.send(batch).await?.checked()?;
    }
    Ok(new)
}

/// Opens the bitmap after this one, or after those that others opened meanwhile; its number.
async fn open_next(
    line: &Line,
    chain: &Chain,
    current: u64,
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<u64, Error> {
    // First the cursor, since one that is missing beside a second bitmap is taken for lost; then the bitmap, so that a client
    // that dies here leaves none that is missing.
    let mut begin = cmd("SET");
    begin.arg(chain.cursor.as_slice()).arg("0").arg("NX");
    write(line, begin, acknowledged).await?;
    let mut create = cmd("SET");
    create.arg(chain.key(current + 1)).arg(&[0_u8][..]).arg("NX");
    write(line, create, acknowledged).await?;
    let mut advance = cmd("INCR");
    advance.arg(chain.cursor.as_slice());
    let opened = count(&write(line, advance, acknowledged).await?)?;
    write(line, allocate(chain, opened, options.commands), acknowledged).await?;
    Ok(opened)
}

/// Sends a command that writes, and waits for replicas if the caller wants it; its reply.
async fn write(line: &Line, command: Cmd, acknowledged: &mut Acknowledged) -> Result<Value, Error> {
    let batch = Batch::of(command).and_wait(acknowledged.wait());
    let mut replies = line.send(batch).await?;
    let value = replies.value()?;
    acknowledged.read(&mut replies)?;
    Ok(value)
}
