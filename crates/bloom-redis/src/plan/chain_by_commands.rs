//! A growing filter without scripts: as published, with the races that this has.

use guava_bloom::Hash128;
use redis::cmd;

use super::Batch;
use super::bits::{exists, push_get, push_set, read_bits};
use super::chain::{Chain, MOST_BITMAPS, allocate, parse_cursor, read_cursor};
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
    let mut get = cmd("GET");
    get.arg(chain.cursor.as_slice());
    // A bitmap beyond a cursor that is missing: the cursor was lost.
    let batches = divide([Batch::of(get), Batch::of(exists(&chain.key(1)))], chain);
    let mut replies = line.send_all(batches).await?;
    let text = replies.bytes()?;
    let reported = options.missing == Missing::Reported;
    let mut missing = reported && text.is_none() && replies.count()? == 1;
    let current = parse_cursor(chain, text.as_deref())?;

    let probes = usize::from(chain.schema.probes());
    let offsets: Vec<u64> = (hashes.iter())
        .flat_map(|&hash| chain.schema.positions(hash))
        .collect();
    let bitmaps = (0..=current).map(|number| {
        let (mut batch, key) = (Batch::new(), chain.key(number));
        push_get(&mut batch, options.commands, &key, &offsets);
        if reported {
            batch.push(exists(&key));
        }
        batch
    });
    let mut replies = line.send_all(divide(bitmaps, chain)).await?;
    let mut held = vec![false; hashes.len()];
    for _ in 0..=current {
        let bits = read_bits(&mut replies, options.commands, offsets.len())?;
        for (held, bits) in held.iter_mut().zip(bits.chunks(probes)) {
            *held |= bits.iter().all(|&bit| bit);
        }
        if reported {
            missing |= replies.count()? == 0;
        }
    }
    Ok((held.into_iter())
        .map(|held| match (held, missing) {
            (true, _) => Answer::MayContain,
            (false, true) => Answer::Missing,
            (false, false) => Answer::Absent,
        })
        .collect())
}

/// Whether a bitmap or the cursor is missing.
pub(super) async fn is_missing(line: &Line, chain: &Chain) -> Result<bool, Error> {
    let mut get = cmd("GET");
    get.arg(chain.cursor.as_slice());
    let text = line.send(Batch::of(get)).await?.bytes()?;
    let current = parse_cursor(chain, text.as_deref())?;
    let mut batch = Batch::new();
    for number in 0..=current {
        batch.push(exists(&chain.key(number)));
    }
    batch.push(exists(&chain.key(1)));
    let mut replies = line.send(batch).await?;
    let mut missing = false;
    for _ in 0..=current {
        missing |= replies.count()? == 0;
    }
    // A bitmap beyond a cursor that is missing: the cursor was lost.
    Ok(missing || (text.is_none() && replies.count()? == 1))
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
) -> Result<bool, Error> {
    let current = read_cursor(line, chain).await?;
    if current > 0 || options.missing == Missing::Reported {
        match contains(line, chain, &[hash], options).await?.first() {
            Some(Answer::Missing) => return Err(chain.missing()),
            Some(Answer::MayContain) => return Ok(false),
            _ => {}
        }
    }
    let (key, offsets) = (
        chain.key(current),
        chain.schema.positions(hash).collect::<Vec<u64>>(),
    );
    let mut batch = Batch::new();
    push_set(&mut batch, options.commands, &key, &offsets);
    let mut count = cmd("BITCOUNT");
    count.arg(key.as_slice());
    batch.push(count);
    let mut replies = line.send(batch).await?;
    let before = read_bits(&mut replies, options.commands, offsets.len())?;
    let ones = replies.count()?;
    if ones * 2 > chain.schema.bits() {
        if current + 1 >= MOST_BITMAPS {
            return Err(Error::Full {
                bitmaps: MOST_BITMAPS,
            });
        }
        let mut advance = cmd("INCR");
        advance.arg(chain.cursor.as_slice());
        let opened = line.send(Batch::of(advance)).await?.count()?;
        let grown = Batch::of(allocate(chain, opened));
        line.send(grown).await?.checked()?;
    }
    Ok(before.contains(&false))
}
