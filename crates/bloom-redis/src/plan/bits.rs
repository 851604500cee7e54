//! Testing and setting bits that lie in one string, or in several.

use std::collections::BTreeMap;

use guava_bloom::Hash128;
use redis::{Cmd, Value, cmd};

use super::batch::{bit, unexpected};
use super::bitfield::{Access, BitField};
use super::{Batch, Replies, generation};
use crate::answer::Answer;
use crate::call::Line;
use crate::error::Error;
use crate::names::placed_by;
use crate::options::{Commands, Missing, OnFailure, Options};
use crate::schema::Schema;
use crate::trouble::Trouble;

/// Bits in one `BITFIELD`. The server keeps operations and arguments in arrays that it enlarges one by one: with 64, a bit
/// took it 0.7 times as long as with 4096, with 16 the replies took the client longer (Redis 7.0).
const BITS_PER_COMMAND: usize = 64;

/// How often what a rebuild came in between of is done anew.
pub(super) const ATTEMPTS: usize = 4;

/// A Bloom filter's bits, in one string or, part after part, in several.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bitmap {
    /// The parts' keys, at least one.
    pub(crate) keys: Vec<Vec<u8>>,
    /// Bits of each part; the last may have fewer.
    pub(crate) part_bits: u64,
    pub(crate) schema: Schema,
    /// Whether the parts are meant to lie in several slots of a cluster.
    pub(crate) spread: bool,
}

impl Bitmap {
    /// All bits in one string.
    pub(crate) fn whole(key: Vec<u8>, schema: Schema) -> Self {
        Self {
            keys: vec![key],
            part_bits: schema.bits(),
            schema,
            spread: false,
        }
    }

    /// The key that companions are named after.
    pub(crate) fn anchor(&self) -> &[u8] {
        &self.keys[0]
    }

    /// The first key, as errors name the filter.
    pub(crate) fn missing(&self) -> Error {
        Error::Missing {
            key: self.anchor().to_vec(),
        }
    }

    /// Checks that all parts can take part in one command or transaction.
    pub(crate) fn in_one_slot(&self, what: &'static str) -> Result<(), Error> {
        if self.spread {
            return Err(Error::Spread { what });
        }
        Ok(())
    }
}

/// The bits of some elements, by the part that they lie in.
pub(super) struct Placed<'a> {
    /// In the order of their slots, if the filter is spread over several.
    pub(super) parts: Vec<Part<'a>>,
    pub(super) spread: bool,
    pub(super) probes: usize,
    pub(super) elements: usize,
}

pub(super) struct Part<'a> {
    pub(super) key: &'a [u8],
    pub(super) offsets: Vec<u64>,
    /// For each offset, which element it is of; `None` if the offsets are those of all elements in turn.
    elements: Option<Vec<usize>>,
}

impl Part<'_> {
    /// The element of an offset.
    pub(super) fn element(&self, offset: usize, probes: usize) -> usize {
        match &self.elements {
            Some(elements) => elements[offset],
            None => offset / probes,
        }
    }
}

impl<'a> Placed<'a> {
    pub(super) fn new(bitmap: &'a Bitmap, hashes: &[Hash128]) -> Self {
        let probes = usize::from(bitmap.schema.probes());
        if let [key] = &bitmap.keys[..] {
            let mut offsets = Vec::with_capacity(hashes.len() * probes);
            for &hash in hashes {
                offsets.extend(bitmap.schema.positions(hash));
            }
            let elements = None;
            return Self {
                parts: vec![Part {
                    key,
                    offsets,
                    elements,
                }],
                spread: bitmap.spread,
                probes,
                elements: hashes.len(),
            };
        }
        let mut parts: BTreeMap<usize, Part<'a>> = BTreeMap::new();
        for (element, &hash) in hashes.iter().enumerate() {
            for position in bitmap.schema.positions(hash) {
                // A position is below the number of bits, so that its part exists and its number fits.
                let number = (position / bitmap.part_bits) as usize;
                let part = parts.entry(number).or_insert_with(|| Part {
                    key: &bitmap.keys[number],
                    offsets: Vec::new(),
                    elements: Some(Vec::new()),
                });
                part.offsets.push(position % bitmap.part_bits);
                part.elements.get_or_insert_default().push(element);
            }
        }
        let mut parts: Vec<Part<'a>> = parts.into_values().collect();
        if bitmap.spread {
            parts.sort_by(|one, other| placed_by(one.key).cmp(placed_by(other.key)));
        }
        Self {
            parts,
            spread: bitmap.spread,
            probes,
            elements: hashes.len(),
        }
    }

    /// The parts that one batch carries: all, or, of a filter that is spread, those in one slot.
    pub(super) fn by_slot(&self) -> impl Iterator<Item = &[Part<'a>]> {
        (self.parts).chunk_by(|one, other| !self.spread || placed_by(one.key) == placed_by(other.key))
    }
}

/// Elements that one round trip carries.
pub(super) fn per_trip(bitmap: &Bitmap, options: &Options) -> usize {
    (options.bits_per_trip.get() / usize::from(bitmap.schema.probes())).max(1)
}

/// Commands that test bits of a string.
pub(super) fn push_get(batch: &mut Batch, commands: Commands, key: &[u8], offsets: &[u64]) {
    if commands.bitfield {
        push_bitfield(batch, Access::Get, key, offsets);
    } else {
        for offset in offsets {
            let mut command = cmd("GETBIT");
            command.arg(key).arg(offset);
            batch.push(command);
        }
    }
}

/// Commands that set bits of a string.
pub(super) fn push_set(batch: &mut Batch, commands: Commands, key: &[u8], offsets: &[u64]) {
    if commands.bitfield {
        push_bitfield(batch, Access::Set, key, offsets);
    } else {
        for offset in offsets {
            let mut command = cmd("SETBIT");
            command.arg(key).arg(offset).arg("1");
            batch.push(command);
        }
    }
}

fn push_bitfield(batch: &mut Batch, access: Access, key: &[u8], offsets: &[u64]) {
    for offsets in offsets.chunks(BITS_PER_COMMAND) {
        batch.push_bits(BitField {
            access,
            key: key.to_vec(),
            offsets: offsets.to_vec(),
        });
    }
}

/// How many commands carry so many bits.
pub(super) fn commands_for(commands: Commands, bits: usize) -> usize {
    if commands.bitfield {
        bits.div_ceil(BITS_PER_COMMAND)
    } else {
        bits
    }
}

/// Reads the bits that the commands of [`push_get`] or [`push_set`] reply with, and calls back with the number of each that
/// is zero: in a query the element is absent, in an insert it is new. Nearly nothing is done for the others.
pub(super) fn read_zeros(
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

/// Asks for elements. The number of answers is that of the hashes.
pub(crate) async fn contains(
    line: &Line,
    bitmap: &Bitmap,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Vec<Answer>, Error> {
    let mut answers = Vec::with_capacity(hashes.len());
    for trip in hashes.chunks(per_trip(bitmap, options)) {
        match contains_settled(line, bitmap, trip, options).await {
            Ok(some) => answers.extend(some),
            // One time-out is enough.
            Err(error) => {
                answers.resize(hashes.len(), in_place_of(error, options)?);
                break;
            }
        }
    }
    Ok(answers)
}

/// What a query answers in place of an error, if the caller wants it so.
pub(super) fn in_place_of(error: Error, options: &Options) -> Result<Answer, Error> {
    let unavailable = error.trouble().is_some_and(Trouble::is_unavailable);
    match options.on_failure {
        OnFailure::MayContain if unavailable => Ok(Answer::MayContain),
        OnFailure::Absent if unavailable => Ok(Answer::Absent),
        _ => Err(error),
    }
}

/// Asks again when a rebuild took the filter's place in between.
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
    // The filter is there, and what it holds could not be read.
    Ok(vec![Answer::MayContain; hashes.len()])
}

/// Asks in one round trip; `None` if a rebuild took the filter's place in between. The filter may have been gone before that,
/// after it was looked for, and zeroes that were read then say nothing.
async fn contains_once(
    line: &Line,
    bitmap: &Bitmap,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Option<Vec<Answer>>, Error> {
    let placed = Placed::new(bitmap, hashes);
    let reported = options.missing == Missing::Reported;
    // The commands of one element arrive together. A filter that is spread is never rebuilt.
    let watched = reported && options.follow_rebuilds && hashes.len() > 1 && !bitmap.spread;
    let batches = placed.by_slot().map(|parts| {
        let mut batch = Batch::new();
        // Before the bits and after them: others write between the commands, and zeroes of a filter that goes, or that a
        // rebuild puts in place of one that is gone, say nothing.
        let look = |batch: &mut Batch| {
            for part in parts.iter().filter(|_| reported) {
                batch.push(exists(part.key));
            }
        };
        let generation = |batch: &mut Batch| {
            if watched {
                batch.push(generation::last(bitmap.anchor()));
            }
        };
        generation(&mut batch);
        look(&mut batch);
        for part in parts {
            push_get(&mut batch, options.commands, part.key, &part.offsets);
        }
        look(&mut batch);
        generation(&mut batch);
        batch
    });
    let mut replies = line.send_all(batches.collect()).await?;
    let mut answers = vec![Answer::MayContain; placed.elements];
    for parts in placed.by_slot() {
        let look = |replies: &mut Replies| -> Result<Vec<bool>, Error> {
            let looked = parts.iter().filter(|_| reported);
            looked.map(|_| Ok(replies.count()? > 0)).collect()
        };
        let generation = |replies: &mut Replies| if watched { replies.bytes() } else { Ok(None) };
        let first = generation(&mut replies)?;
        let before = look(&mut replies)?;
        let commands = parts
            .iter()
            .map(|part| commands_for(options.commands, part.offsets.len()))
            .sum();
        let mut bits = replies.take(commands);
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
                let count = part.offsets.len();
                // One zero settles it, whatever else is missing.
                read_zeros(&mut bits, options.commands, count, |at| {
                    tell(at, |_| Answer::Absent)
                })?;
            } else {
                bits.skip(commands_for(options.commands, part.offsets.len()));
                (0..part.offsets.len()).for_each(|at| tell(at, Answer::or_missing));
            }
        }
    }
    Ok(Some(answers))
}

pub(super) fn exists(key: &[u8]) -> Cmd {
    let mut command = cmd("EXISTS");
    command.arg(key);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zero_that_was_read_settles_it() {
        use Answer::{Absent, MayContain, Missing};
        assert_eq!(
            [MayContain, Missing, Absent].map(Answer::or_missing),
            [Missing, Missing, Absent]
        );
    }

    #[test]
    fn parts_hold_the_bits_that_their_numbers_say() {
        let schema = Schema::words(1_000, 0.01).unwrap();
        let bitmap = Bitmap {
            keys: (0..10_u8)
                .map(|part| vec![b'{', b'a' + part % 3, b'}', part])
                .collect(),
            part_bits: 1_024,
            schema,
            spread: true,
        };
        let hash = Hash128::of(b"element");
        let placed = Placed::new(&bitmap, &[hash, hash]);
        let mut positions = [Vec::new(), Vec::new()];
        for part in &placed.parts {
            for (at, offset) in part.offsets.iter().enumerate() {
                let element = part.element(at, placed.probes);
                positions[element].push(u64::from(part.key[3]) * 1_024 + offset);
            }
        }
        let mut expected: Vec<u64> = schema.positions(hash).collect();
        expected.sort_unstable();
        for mut positions in positions {
            positions.sort_unstable();
            assert_eq!(positions, expected);
        }
        // A slot is one batch.
        let slots: Vec<&[u8]> = placed.by_slot().map(|parts| placed_by(parts[0].key)).collect();
        assert!(slots.len() > 1 && slots.is_sorted_by(|one, other| one < other));
    }
}
