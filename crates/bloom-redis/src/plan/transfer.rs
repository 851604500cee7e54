//! Upload, download and merging of whole bitmaps.
//!
//! Redis numbers the bits of a byte from the most significant one. Guava numbers the bits of a word from the least
//! significant one. A Redis string is therefore the words as little-endian bytes, each with its bits reversed.

use core::time::Duration;
use std::sync::Arc;

use guava_bloom::{BloomFilter, Strategy};
use redis::cmd;

use super::bitmap::{Bitmap, Piece};
use super::generation::{self, Token, Watch, or_empty};
use super::scripts::{LOAD, MERGE, eval};
use crate::batch::{Batch, length, unexpected};
use crate::call::Line;
use crate::error::{Error, ErrorKind};
use crate::names::companion;
use crate::options::{Missing, Options, millis};

/// The number of bytes in one round trip.
const CHUNK: usize = 1 << 20;

/// The number of attempts of a download that rebuilds interrupt.
const ATTEMPTS: usize = 3;

pub(crate) fn to_redis(words: &[u64]) -> impl Iterator<Item = u8> + '_ {
    words
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .map(u8::reverse_bits)
}

/// Converts 8 bytes from Redis to a word. Bytes past the end of the string are zero.
fn word(bytes: &[u8]) -> u64 {
    (bytes.iter().zip([0, 8, 16, 24, 32, 40, 48, 56]))
        .map(|(byte, shift)| u64::from(byte.reverse_bits()) << shift)
        .sum()
}

/// Checks that a filter in memory and one on the server have the same parameters.
pub(crate) fn check_shape<F>(bitmap: &Bitmap, filter: &BloomFilter<F>) -> Result<(), Error> {
    check_words(bitmap)?;
    let schema = &bitmap.schema;
    equal("numbers of bits", &schema.bits(), &filter.bits())?;
    equal("probe counts", &schema.probe_count(), &filter.probe_count())?;
    equal("strategies", &Strategy::Murmur128Mitz64, &filter.strategy())
}

/// Checks that two filters on the server have the same parameters.
fn check_same(into: &Bitmap, from: &Bitmap) -> Result<(), Error> {
    let (ours, theirs) = (&into.schema, &from.schema);
    equal("numbers of bits", &ours.bits(), &theirs.bits())?;
    equal("probe counts", &ours.probe_count(), &theirs.probe_count())?;
    equal("bits of a part", &into.part_bits, &from.part_bits)
}

fn equal<T: PartialEq + core::fmt::Debug>(what: &str, ours: &T, theirs: &T) -> Result<(), Error> {
    Ok(guava_bloom::Error::check_equal(what, ours, theirs)?)
}

/// Checks that Guava could have a filter of this many bits.
pub(crate) fn check_words(bitmap: &Bitmap) -> Result<(), Error> {
    let bits = bitmap.schema.bits();
    if bits.is_multiple_of(64) {
        return Ok(());
    }
    let (thing, range) = ("the number of bits", "a multiple of 64");
    Err(Error::new(ErrorKind::Incompatible, thing, range, bits))
}

/// Adds the bits of a filter to a rebuild, and keeps bits that others insert meanwhile. Parts consist of whole words.
pub(crate) async fn write(
    line: &Line,
    live: &Bitmap,
    token: Token,
    words: &[u64],
    lease: Duration,
    options: &Options,
) -> Result<(), Error> {
    let next = generation::next(live, token);
    let words_per_part = usize::try_from(live.part_bits / 64).unwrap_or(usize::MAX);
    for (piece, part) in next.pieces().zip(words.chunks(words_per_part)) {
        let load = Load::new(piece, lease)?;
        let mut ones = 0;
        for (number, chunk) in part.chunks(CHUNK / 8).enumerate() {
            // Zeros change nothing.
            if chunk.iter().all(|&word| word == 0) {
                continue;
            }
            let bytes: Vec<u8> = to_redis(chunk).collect();
            ones += chunk.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            if options.commands.scripts {
                load.set_bits(line, number * CHUNK, &bytes).await?;
            } else {
                load.put_aside(line, number * CHUNK, &bytes).await?;
            }
            generation::renew(line, live.anchor(), &next.keys, token, lease).await?;
        }
        if !options.commands.scripts && ones > 0 {
            load.set_what_was_put_aside(line, ones).await?;
            generation::renew(line, live.anchor(), &next.keys, token, lease).await?;
        }
    }
    Ok(())
}

/// An upload of bits to a string of a rebuild. Overwriting the string would undo concurrent inserts.
struct Load<'a> {
    piece: Piece<'a>,
    /// Companions of its key for bits on their way.
    aside: [Vec<u8>; 2],
    millis: u64,
}

impl<'a> Load<'a> {
    fn new(piece: Piece<'a>, lease: Duration) -> Result<Self, Error> {
        Ok(Self {
            piece,
            aside: [companion("load", piece.key), companion("loaded", piece.key)],
            millis: millis(lease)?,
        })
    }

    fn missing(&self) -> Error {
        generation::lost(&[self.piece.key.to_vec()])
    }

    async fn set_bits(&self, line: &Line, start: usize, bytes: &[u8]) -> Result<(), Error> {
        let mut load = eval(&LOAD, &[self.piece.key, &self.aside[0], &self.aside[1]]);
        load.arg(start).arg(bytes).arg(self.piece.bytes);
        match line.ask(&load).await?.count()? {
            0 => Err(self.missing()),
            _ => Ok(()),
        }
    }

    /// Writes one chunk to a separate string, for servers without scripts.
    async fn put_aside(&self, line: &Line, start: usize, bytes: &[u8]) -> Result<(), Error> {
        let mut batch = Batch::new();
        batch.add("SETRANGE").arg(&self.aside[0]).arg(start).arg(bytes);
        batch.add("PEXPIRE").arg(&self.aside[0]).arg(self.millis);
        line.send(batch).await?.checked().map(drop)
    }

    /// Adds the bits that were put aside, which are so many.
    async fn set_what_was_put_aside(&self, line: &Line, ones: u64) -> Result<(), Error> {
        let (key, aside) = (self.piece.key, &self.aside[0]);
        let mut batch = Batch::new();
        batch.add("BITOP").arg("OR").arg(key).arg(key).arg(aside);
        // `BITOP` drops the time to live.
        batch.add("PEXPIRE").arg(key).arg(self.millis);
        // Checked afterwards, since either string may be evicted at any moment. What was put aside is shorter than the
        // generation's string; without that, the result would have another length.
        batch.push(&length(key));
        batch.add("BITCOUNT").arg(aside);
        batch.add("UNLINK").arg(aside);
        let mut replies = line.send(batch).await?.checked()?;
        replies.take(2);
        if (replies.count()?, replies.count()?) != (self.piece.bytes, ones) {
            // The string lacks bits: those put aside, or what others inserted.
            line.ask(cmd("UNLINK").arg(key)).await?.checked()?;
            return Err(self.missing());
        }
        Ok(())
    }
}

pub(crate) async fn download<F>(
    line: &Line,
    bitmap: &Bitmap,
    options: &Options,
    funnel: F,
) -> Result<BloomFilter<F>, Error> {
    let words = read(line, bitmap, options).await?;
    let (strategy, probe_count) = (Strategy::Murmur128Mitz64, bitmap.schema.probe_count());
    Ok(BloomFilter::from_parts(funnel, strategy, probe_count, words)?)
}

/// Reads all bits of a filter as words, in chunks. Starts over if a rebuild replaces the filter meanwhile.
async fn read(line: &Line, bitmap: &Bitmap, options: &Options) -> Result<Vec<u64>, Error> {
    check_words(bitmap)?;
    for _ in 0..ATTEMPTS {
        if let Some(words) = read_once(line, bitmap, options).await? {
            return Ok(words);
        }
    }
    Err(Error::replaced(bitmap.anchor()))
}

async fn read_once(line: &Line, bitmap: &Bitmap, options: &Options) -> Result<Option<Vec<u64>>, Error> {
    let mut words: Vec<u64> = Vec::new();
    let mut generation = None;
    for piece in bitmap.pieces() {
        let part_bytes = usize::try_from(piece.bytes).unwrap_or(usize::MAX) - usize::from(bitmap.marked);
        for start in (0..part_bytes).step_by(CHUNK) {
            let wanted = CHUNK.min(part_bytes - start);
            let mut batch = Batch::new();
            // Checked before and after: zeros prove nothing if the filter is lost or comes back meanwhile.
            batch.push(&length(piece.key));
            let get = batch.add("GETRANGE").arg(piece.key);
            get.arg(start).arg(start + wanted - 1);
            batch.push(&length(piece.key));
            // A spread filter is never replaced.
            if !bitmap.spread {
                batch.push(&generation::last(bitmap.anchor()));
            }
            let mut replies = line.send(batch).await?;
            let before = replies.count()?;
            let bytes = replies.bytes()?.unwrap_or_default();
            let after = replies.count()?;
            if options.missing == Missing::Reported && !(piece.is_there(before)? && piece.is_there(after)?) {
                return Err(Error::missing(piece.key));
            }
            let now = if bitmap.spread { None } else { replies.bytes()? };
            if *generation.get_or_insert_with(|| now.clone()) != now {
                return Ok(None);
            }
            let end = words.len() + wanted / 8;
            words.extend(bytes.chunks(8).map(word).take(wanted / 8));
            // A string ends at the last byte that was ever written.
            words.resize(end, 0);
        }
    }
    Ok(Some(words))
}

/// Sets the bits of `from` in `into` on the server, and in the generation of a rebuild under way.
pub(crate) async fn merge(
    line: &Line,
    into: &Bitmap,
    from: &[Arc<Bitmap>],
    options: &Options,
) -> Result<(), Error> {
    options.need_scripts("merging filters")?;
    for filter in from.iter().map(Arc::as_ref).chain([into]) {
        filter.in_one_slot("merging filters")?;
        check_same(into, filter)?;
    }
    let watch = options.follow_rebuilds.then(|| Watch::new(into.anchor()));
    let (mut gone, reported) = (None, options.reported());
    while let Some(token) = merge_once(line, into, from, watch.as_ref(), options)
        .await?
        .filter(|&token| gone != Some(token))
    {
        let next = generation::next(into, token);
        let wrote = merge_once(line, &next, from, None, &reported);
        gone = generation::gone(token, wrote.await)?;
        if gone.is_none() {
            break;
        }
    }
    Ok(())
}

async fn merge_once(
    line: &Line,
    into: &Bitmap,
    from: &[Arc<Bitmap>],
    watch: Option<&Watch>,
    options: &Options,
) -> Result<Option<Token>, Error> {
    let mut batch = Batch::new();
    let reported = options.missing == Missing::Reported;
    let pieces = |number: usize| {
        let filters = core::iter::once(into).chain(from.iter().map(Arc::as_ref));
        filters
            .map(move |filter| filter.piece(number))
            .collect::<Vec<Piece<'_>>>()
    };
    for (number, piece) in into.pieces().enumerate() {
        let keys: Vec<&[u8]> = pieces(number).iter().map(|piece| piece.key).collect();
        batch.push(eval(&MERGE, &keys).arg(or_empty(reported.then_some(piece.bytes))));
    }
    if let Some(watch) = watch {
        batch.push(&watch.look());
    }
    let mut replies = line.send(batch).await?;
    for number in 0..into.keys.len() {
        if let Some(mut other) = replies.parts()? {
            let (which, length) = (other.count()?, other.count()?);
            let which = usize::try_from(which).unwrap_or(0).saturating_sub(1);
            let piece = pieces(number).get(which).copied();
            let piece = piece.ok_or_else(|| unexpected("the number of a filter", None))?;
            piece.is_there(length)?;
            return Err(Error::missing(piece.key));
        }
    }
    match watch {
        Some(watch) => watch.read(replies.bytes()?.as_deref()),
        None => Ok(None),
    }
}
