//! Commands that test bits, and the queries built from them.

use guava_bloom::Hash128;
use redis::Value;

use super::bitmap::{Bitmap, Part, Placed, per_trip};
use super::generation;
use crate::answer::Answer;
use crate::batch::{Batch, Replies, bit, length, unexpected};
use crate::bitfield::{Access, BitField};
use crate::call::Line;
use crate::error::Error;
use crate::options::{Commands, Missing, OnFailure, Options};

/// The number of bits in one `BITFIELD`. The server enlarges its arrays of operations and arguments one by one: per
/// bit, 64 took it 0.7 times as long as 4096. With 16, the client took longer to read the replies (Redis 7.0).
const BITS_PER_COMMAND: usize = 64;

/// The bytes to query one bit, request and reply (RESP): `GET u1 1234567` and an integer.
const BYTES_PER_BIT: u64 = 32;

/// The number of attempts at an operation that rebuilds interrupt.
pub(in crate::plan) const ATTEMPTS: usize = 4;

/// Adds commands that test or set bits of a string.
pub(in crate::plan) fn push_bits(
    batch: &mut Batch,
    commands: Commands,
    access: Access,
    key: &[u8],
    offsets: &[u64],
) {
    if commands.bitfield {
        for offsets in offsets.chunks(BITS_PER_COMMAND) {
            batch.push_bits(BitField {
                access,
                key: key.to_vec(),
                offsets: offsets.to_vec(),
            });
        }
        return;
    }
    for offset in offsets {
        match access {
            Access::Get => batch.add("GETBIT").arg(key).arg(offset),
            Access::Set => batch.add("SETBIT").arg(key).arg(offset).arg("1"),
        };
    }
}

pub(in crate::plan) fn commands_for(commands: Commands, bits: usize) -> usize {
    if commands.bitfield {
        bits.div_ceil(BITS_PER_COMMAND)
    } else {
        bits
    }
}

/// Reads the replies to the commands of [`push_bits`] and calls back with the number of each zero bit: in a query the
/// element is absent, in an insert it is new. Ones cost almost nothing.
pub(in crate::plan) fn read_zeros(
    replies: &mut Replies,
    commands: Commands,
    count: usize,
    mut zero: impl FnMut(usize),
) -> Result<(), Error> {
    let mut number = 0;
    let mut read = |value: &Value| -> Result<(), Error> {
        if !bit(value)? && number < count {
            zero(number);
        }
        number += 1;
        Ok(())
    };
    for _ in 0..commands_for(commands, count) {
        if commands.bitfield {
            replies.array()?.iter().try_for_each(&mut read)?;
        } else {
            read(&replies.value()?)?;
        }
    }
    if number == count {
        Ok(())
    } else {
        Err(unexpected("as many bits as were asked for", None))
    }
}

/// A query for the bits of a part. It reads the whole string where that takes no more bytes than querying each bit: the
/// server copies it once instead of looking up bit after bit, and the client reads one reply instead of hundreds.
#[derive(Clone, Copy)]
enum Query {
    Bits(Commands),
    Whole { bytes: u64 },
}

impl Query {
    fn new(bitmap: &Bitmap, part: &Part<'_>, commands: Commands) -> Self {
        let bytes = bitmap.part_bits.div_ceil(8);
        if bytes <= BYTES_PER_BIT * part.offsets.len() as u64 {
            Self::Whole { bytes }
        } else {
            Self::Bits(commands)
        }
    }

    fn push(self, batch: &mut Batch, part: &Part<'_>) {
        match self {
            Self::Bits(commands) => push_bits(batch, commands, Access::Get, part.piece.key, &part.offsets),
            Self::Whole { bytes } => {
                let get = batch.add("GETRANGE").arg(part.piece.key);
                get.arg(0).arg(bytes - 1);
            }
        }
    }

    fn replies(self, part: &Part<'_>) -> usize {
        match self {
            Self::Bits(commands) => commands_for(commands, part.offsets.len()),
            Self::Whole { .. } => 1,
        }
    }

    /// Calls back with the number of each bit that is zero.
    fn read_zeros(
        self,
        replies: &mut Replies,
        part: &Part<'_>,
        zero: impl FnMut(usize),
    ) -> Result<(), Error> {
        match self {
            Self::Bits(commands) => read_zeros(replies, commands, part.offsets.len(), zero),
            Self::Whole { .. } => {
                let string = replies.bytes()?.unwrap_or_default();
                // Redis reads bits past the end of a string as zeros.
                let byte = |offset: u64| usize::try_from(offset / 8).ok().and_then(|at| string.get(at));
                let set = |offset: u64| byte(offset).is_some_and(|byte| byte << (offset % 8) & 0x80 != 0);
                let zeros = (part.offsets.iter().enumerate()).filter(|&(_, &offset)| !set(offset));
                zeros.map(|(at, _)| at).for_each(zero);
                Ok(())
            }
        }
    }
}

/// Queries elements. Returns one answer per hash.
pub(crate) async fn contains(
    line: &Line,
    bitmap: &Bitmap,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Vec<Answer>, Error> {
    let mut answers = Vec::with_capacity(hashes.len());
    for trip in hashes.chunks(per_trip(&bitmap.schema, options)) {
        let some = contains_settled(line, bitmap, trip, options).await;
        if !settle(&mut answers, some, hashes.len(), options)? {
            break;
        }
    }
    Ok(answers)
}

/// Adds the answers of a round trip. If it failed, answers all remaining elements as [`OnFailure`] says. Returns true
/// if the query goes on.
pub(in crate::plan) fn settle(
    answers: &mut Vec<Answer>,
    some: Result<Vec<Answer>, Error>,
    all: usize,
    options: &Options,
) -> Result<bool, Error> {
    let error = match some {
        Ok(some) => {
            answers.extend(some);
            return Ok(true);
        }
        Err(error) => error,
    };
    let answer = match options.on_failure {
        OnFailure::MightContain => Answer::MightContain,
        OnFailure::Absent => Answer::Absent,
        OnFailure::Error => return Err(error),
    };
    if !error.kind().is_unavailable() {
        return Err(error);
    }
    // One time-out is enough.
    answers.resize(all, answer);
    Ok(false)
}

/// Repeats a query if a rebuild replaced the filter during it.
async fn contains_settled(
    line: &Line,
    bitmap: &Bitmap,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Vec<Answer>, Error> {
    for _ in 0..ATTEMPTS {
        if let Some(answers) = contains_once(line, bitmap, hashes, options).await? {
            return Ok(answers);
        }
    }
    // The filter exists, but its contents could not be read.
    Ok(vec![Answer::MightContain; hashes.len()])
}

/// Queries in one round trip. Returns `None` if a rebuild replaced the filter meanwhile: the filter may have been lost
/// between the first check and the swap, and zeros read in that time prove nothing.
async fn contains_once(
    line: &Line,
    bitmap: &Bitmap,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Option<Vec<Answer>>, Error> {
    let placed = Placed::new(bitmap, hashes);
    let reported = options.missing == Missing::Reported;
    // The commands of one element arrive together, and a spread filter is never rebuilt.
    let watched = reported && options.follow_rebuilds && hashes.len() > 1 && !bitmap.spread;
    let batches = placed.slots.iter().map(|parts| {
        let mut batch = Batch::new();
        // Checked before and after the bits: others write between the commands, and zeros prove nothing if the filter
        // is lost, or if a rebuild replaces a lost one.
        let look = |batch: &mut Batch| {
            for part in parts.iter().filter(|_| reported) {
                batch.push(&length(part.piece.key));
            }
        };
        let generation = |batch: &mut Batch| {
            if watched {
                batch.push(&generation::last(bitmap.anchor()));
            }
        };
        generation(&mut batch);
        look(&mut batch);
        for part in parts {
            Query::new(bitmap, part, options.commands).push(&mut batch, part);
        }
        look(&mut batch);
        generation(&mut batch);
        batch
    });
    let mut replies = line.send_all(batches.collect()).await?;
    let mut answers = vec![Answer::MightContain; placed.elements];
    for parts in &placed.slots {
        // A string of another length is an error, even if another part decides.
        let look = |replies: &mut Replies| -> Result<Vec<bool>, Error> {
            let looked = parts.iter().filter(|_| reported);
            looked.map(|part| part.piece.is_there(replies.count()?)).collect()
        };
        let generation = |replies: &mut Replies| if watched { replies.bytes() } else { Ok(None) };
        let first = generation(&mut replies)?;
        let before = look(&mut replies)?;
        let query = |part| Query::new(bitmap, part, options.commands);
        let mut bits = replies.take(parts.iter().map(|part| query(part).replies(part)).sum());
        let after = look(&mut replies)?;
        if generation(&mut replies)? != first {
            return Ok(None);
        }
        for (number, part) in parts.iter().enumerate() {
            let there = !reported || (before[number] && after[number]);
            let mut tell = |at, say: fn(Answer) -> Answer| {
                let answer = &mut answers[part.element(at, placed.probes)];
                *answer = say(*answer);
            };
            if there {
                // One zero proves absence, whichever parts are missing.
                query(part).read_zeros(&mut bits, part, |at| tell(at, |_| Answer::Absent))?;
            } else {
                bits.take(query(part).replies(part));
                (0..part.offsets.len()).for_each(|at| tell(at, Answer::or_missing));
            }
        }
    }
    Ok(Some(answers))
}
