//! Testing and setting bits that lie in one string, or in several.

use std::collections::BTreeMap;

use guava_bloom::Hash128;
use redis::{Cmd, cmd};

use super::batch::{bit, unexpected};
use super::generation::{Token, Watch, follower_expiry, next};
use super::scripts::{CLOSE, MARK, OPEN, eval};
use super::{Batch, Replies};
use crate::answer::Answer;
use crate::call::Line;
use crate::error::{Error, Trouble};
use crate::options::{Commands, Expiry, Missing, OnFailure, Options};
use crate::schema::Schema;

/// Bits in one `BITFIELD`: the server does nothing else meanwhile, for some 0.3 ms.
const BITS_PER_COMMAND: usize = 4096;

/// A Bloom filter's bits, in one string or, part after part, in several.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bitmap {
    /// The parts' keys, at least one.
    pub(crate) keys: Vec<Vec<u8>>,
    /// Bits of each part; the last may have fewer.
    pub(crate) part_bits: u64,
    pub(crate) schema: Schema,
}

impl Bitmap {
    /// All bits in one string.
    pub(crate) fn whole(key: Vec<u8>, schema: Schema) -> Self {
        Self {
            keys: vec![key],
            part_bits: schema.bits(),
            schema,
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
}

/// The bits of some elements, by the part that they lie in.
struct Placed<'a> {
    parts: Vec<Part<'a>>,
    probes: usize,
    elements: usize,
}

struct Part<'a> {
    key: &'a [u8],
    offsets: Vec<u64>,
    /// For each offset, which of all bits it is: element times probes plus probe.
    order: Vec<usize>,
}

impl<'a> Placed<'a> {
    fn new(bitmap: &'a Bitmap, hashes: &[Hash128]) -> Self {
        let probes = usize::from(bitmap.schema.probes());
        let mut parts: BTreeMap<usize, Part<'a>> = BTreeMap::new();
        for (element, &hash) in hashes.iter().enumerate() {
            for (probe, position) in bitmap.schema.positions(hash).enumerate() {
                // A position is below the number of bits, so that its part exists and its number fits.
                let number = (position / bitmap.part_bits) as usize;
                let part = parts.entry(number).or_insert_with(|| Part {
                    key: &bitmap.keys[number],
                    offsets: Vec::new(),
                    order: Vec::new(),
                });
                part.offsets.push(position % bitmap.part_bits);
                part.order.push(element * probes + probe);
            }
        }
        Self {
            parts: parts.into_values().collect(),
            probes,
            elements: hashes.len(),
        }
    }
}

/// Elements that one round trip carries.
fn per_trip(bitmap: &Bitmap, options: &Options) -> usize {
    (options.bits_per_trip.get() / usize::from(bitmap.schema.probes())).max(1)
}

/// Commands that test bits of a string.
pub(crate) fn push_get(batch: &mut Batch, commands: Commands, key: &[u8], offsets: &[u64]) {
    if commands.bitfield {
        for offsets in offsets.chunks(BITS_PER_COMMAND) {
            let mut command = bitfield("BITFIELD_RO", key, offsets.len());
            for offset in offsets {
                command.arg("GET").arg("u1").arg(offset);
            }
            batch.push(command);
        }
    } else {
        for offset in offsets {
            let mut command = cmd("GETBIT");
            command.arg(key).arg(offset);
            batch.push(command);
        }
    }
}

/// Commands that set bits of a string.
pub(crate) fn push_set(batch: &mut Batch, commands: Commands, key: &[u8], offsets: &[u64]) {
    if commands.bitfield {
        for offsets in offsets.chunks(BITS_PER_COMMAND) {
            let mut command = bitfield("BITFIELD", key, offsets.len());
            for offset in offsets {
                command.arg("SET").arg("u1").arg(offset).arg("1");
            }
            batch.push(command);
        }
    } else {
        for offset in offsets {
            let mut command = cmd("SETBIT");
            command.arg(key).arg(offset).arg("1");
            batch.push(command);
        }
    }
}

/// The start of a command on so many bits, with room for them.
fn bitfield(name: &str, key: &[u8], bits: usize) -> Cmd {
    /// Arguments and bytes of a bit: `SET u1 4294967295 1`.
    const ARGUMENTS: usize = 4;
    const BYTES: usize = 16;
    let mut command = Cmd::with_capacity(2 + ARGUMENTS * bits, name.len() + key.len() + BYTES * bits);
    command.arg(name).arg(key);
    command
}

/// How many commands carry so many bits.
fn commands_for(commands: Commands, bits: usize) -> usize {
    if commands.bitfield {
        bits.div_ceil(BITS_PER_COMMAND)
    } else {
        bits
    }
}

/// The bits that the commands of [`push_get`] or [`push_set`] reply with.
pub(crate) fn read_bits(replies: &mut Replies, commands: Commands, count: usize) -> Result<Vec<bool>, Error> {
    let mut bits = Vec::with_capacity(count);
    for _ in 0..commands_for(commands, count) {
        if commands.bitfield {
            for value in replies.array()? {
                bits.push(bit(&value)?);
            }
        } else {
            bits.push(bit(&replies.value()?)?);
        }
    }
    if bits.len() == count {
        Ok(bits)
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
    for hashes in hashes.chunks(per_trip(bitmap, options)) {
        match contains_once(line, bitmap, hashes, options).await {
            Ok(some) => answers.extend(some),
            Err(error) => answers.extend(vec![in_place_of(error, options)?; hashes.len()]),
        }
    }
    Ok(answers)
}

/// What a query answers in place of an error, if the caller wants it so.
pub(crate) fn in_place_of(error: Error, options: &Options) -> Result<Answer, Error> {
    match options.on_failure {
        OnFailure::MayContain if is_unavailable(&error) => Ok(Answer::MayContain),
        OnFailure::Absent if is_unavailable(&error) => Ok(Answer::Absent),
        _ => Err(error),
    }
}

fn is_unavailable(error: &Error) -> bool {
    error.trouble().is_some_and(Trouble::is_unavailable)
}

async fn contains_once(
    line: &Line,
    bitmap: &Bitmap,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Vec<Answer>, Error> {
    let placed = Placed::new(bitmap, hashes);
    let reported = options.missing == Missing::Reported;
    let mut batch = Batch::new();
    for part in &placed.parts {
        push_get(&mut batch, options.commands, part.key, &part.offsets);
    }
    if reported {
        // After the bits: a filter that goes in between is reported, and one that comes in between is new.
        for part in &placed.parts {
            batch.push(exists(part.key));
        }
    }
    let mut replies = line.send(batch).await?;
    // What each bit says of its element.
    let mut said = vec![Answer::MayContain; placed.elements * placed.probes];
    for part in &placed.parts {
        let bits = read_bits(&mut replies, options.commands, part.offsets.len())?;
        for (&at, bit) in part.order.iter().zip(bits) {
            if !bit {
                said[at] = Answer::Absent;
            }
        }
    }
    if reported {
        for part in &placed.parts {
            if replies.count()? == 0 {
                for &at in &part.order {
                    said[at] = Answer::Missing;
                }
            }
        }
    }
    Ok(said.chunks(placed.probes).map(verdict).collect())
}

/// One zero that was read settles it, whatever else is missing.
fn verdict(said: &[Answer]) -> Answer {
    if said.contains(&Answer::Absent) {
        Answer::Absent
    } else if said.contains(&Answer::Missing) {
        Answer::Missing
    } else {
        Answer::MayContain
    }
}

pub(crate) fn exists(key: &[u8]) -> Cmd {
    let mut command = cmd("EXISTS");
    command.arg(key);
    command
}

/// Inserts elements; says of each whether it was new.
pub(crate) async fn insert(
    line: &Line,
    bitmap: &Bitmap,
    hashes: &[Hash128],
    expiry: Option<Expiry>,
    options: &Options,
) -> Result<Vec<bool>, Error> {
    let watch = (options.follow_rebuilds).then(|| Watch::new(bitmap.anchor()));
    let mut new = Vec::with_capacity(hashes.len());
    for hashes in hashes.chunks(per_trip(bitmap, options)) {
        let once = |bitmap, expiry, watch| insert_once(line, bitmap, hashes, expiry, watch, options);
        let (some, mut under_way) = once(bitmap, expiry, watch.as_ref()).await?;
        new.extend(some);
        // A rebuild goes on: its generation gets the elements too. If that generation is gone meanwhile, it may have
        // become the filter, which then lacks them.
        while let Some(token) = under_way {
            match insert_into_generation(line, bitmap, token, hashes, options).await {
                Err(Error::Missing { .. }) => {
                    let (_, again) = once(bitmap, expiry, watch.as_ref()).await?;
                    under_way = again.filter(|again| *again != token);
                }
                done => {
                    done?;
                    break;
                }
            }
        }
    }
    confirm(line, options).await?;
    Ok(new)
}

/// Inserts elements into a generation that must be there.
async fn insert_into_generation(
    line: &Line,
    live: &Bitmap,
    token: Token,
    hashes: &[Hash128],
    options: &Options,
) -> Result<(), Error> {
    let options = Options {
        missing: Missing::Reported,
        ..*options
    };
    let expiry = Some(follower_expiry());
    insert_once(line, &next(live, token), hashes, expiry, None, &options)
        .await
        .map(|_| ())
}

/// Inserts elements in one round trip; says of each whether it was new, and which rebuild is under way.
pub(crate) async fn insert_once(
    line: &Line,
    bitmap: &Bitmap,
    hashes: &[Hash128],
    expiry: Option<Expiry>,
    watch: Option<&Watch>,
    options: &Options,
) -> Result<(Vec<bool>, Option<Token>), Error> {
    let insert = Insert::new(bitmap, hashes, expiry, options)?;
    let mut batch = insert.batch();
    if let Some(watch) = watch {
        // After the bits, so that a rebuild that is not seen began after them.
        batch.push(watch.look());
    }
    match line.send(batch).await {
        Ok(mut replies) => {
            let new = insert.read(&mut replies, bitmap)?;
            let under_way = match watch {
                Some(watch) => watch.read(replies.bytes()?.as_deref())?,
                None => None,
            };
            Ok((new, under_way))
        }
        // The cluster client passes on the first error alone, which in a guarded transaction may be the refusal that is
        // meant to happen.
        Err(error) if insert.guarded && error.trouble() == Some(Trouble::WrongType) => {
            for part in &insert.placed.parts {
                if line.send(Batch::of(exists(part.key))).await?.count()? == 0 {
                    return Err(bitmap.missing());
                }
            }
            Err(error)
        }
        Err(error) => Err(error),
    }
}

/// Waits for replicas, if the caller wants it.
pub(crate) async fn confirm(line: &Line, options: &Options) -> Result<(), Error> {
    let Some(replicas) = options.replicas else {
        return Ok(());
    };
    let mut command = cmd("WAIT");
    // A time-out of 0 would mean "for ever".
    let millis = u64::try_from(replicas.timeout.as_millis()).unwrap_or(u64::MAX);
    command
        .arg(replicas.count)
        .arg(millis.clamp(1, i64::MAX as u64 / 2));
    let reached = line.send(Batch::of(command)).await?.count()?;
    let reached = u32::try_from(reached).unwrap_or(u32::MAX);
    if reached < replicas.count {
        return Err(Error::Replication {
            wanted: replicas.count,
            reached,
        });
    }
    Ok(())
}

/// The commands of an insert.
struct Insert<'a> {
    placed: Placed<'a>,
    /// Time to live in ms, and whether one that is there stays.
    expiry: Option<(u64, bool)>,
    commands: Commands,
    /// Whether a missing filter is refused on the server.
    guarded: bool,
    /// Whether it can only be told.
    checked: bool,
}

impl<'a> Insert<'a> {
    fn new(
        bitmap: &'a Bitmap,
        hashes: &[Hash128],
        expiry: Option<Expiry>,
        options: &Options,
    ) -> Result<Self, Error> {
        let commands = options.commands;
        let reported = options.missing == Missing::Reported;
        let guarded = reported && commands.scripts && commands.transactions;
        Ok(Self {
            placed: Placed::new(bitmap, hashes),
            expiry: match expiry {
                Some(expiry) => Some((expiry.millis()?, expiry.is_fixed())),
                None => None,
            },
            commands,
            guarded,
            checked: reported && !guarded,
        })
    }

    fn batch(&self) -> Batch {
        let several = self.guarded || self.checked || self.expiry.is_some();
        let mut batch = if several && self.commands.transactions {
            Batch::atomic()
        } else {
            Batch::new()
        };
        for part in &self.placed.parts {
            if self.guarded {
                let mut open = eval(OPEN, &[part.key]);
                open.arg(MARK);
                batch.push(open);
            } else if self.checked {
                batch.push(exists(part.key));
            }
            push_set(&mut batch, self.commands, part.key, &part.offsets);
            if self.closes() {
                batch.push(self.close(part.key));
            } else if let Some((millis, fixed)) = self.expiry {
                let mut expire = cmd("PEXPIRE");
                expire.arg(part.key).arg(millis);
                if fixed {
                    expire.arg("NX");
                }
                batch.push(expire);
            }
        }
        batch
    }

    fn closes(&self) -> bool {
        self.guarded || (self.expiry.is_some() && self.commands.scripts)
    }

    fn close(&self, key: &[u8]) -> Cmd {
        let mut close = eval(CLOSE, &[key]);
        close.arg(MARK);
        match self.expiry {
            Some((millis, fixed)) => close.arg(millis).arg(u8::from(fixed)),
            None => close.arg("").arg("0"),
        };
        close
    }

    fn read(&self, replies: &mut Replies, bitmap: &Bitmap) -> Result<Vec<bool>, Error> {
        let mut new = vec![false; self.placed.elements];
        let mut missing = false;
        for part in &self.placed.parts {
            let there = !(self.guarded || self.checked) || replies.count()? == 1;
            missing |= !there;
            if there || self.checked {
                let bits = read_bits(replies, self.commands, part.offsets.len())?;
                for (&at, bit) in part.order.iter().zip(bits) {
                    new[at / self.placed.probes] |= !bit;
                }
            } else {
                replies.skip(commands_for(self.commands, part.offsets.len()));
            }
            if self.closes() || self.expiry.is_some() {
                replies.count()?;
            }
        }
        if missing {
            return Err(bitmap.missing());
        }
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zero_that_was_read_settles_it() {
        use Answer::{Absent, MayContain, Missing};
        assert_eq!(verdict(&[MayContain, MayContain]), MayContain);
        assert_eq!(verdict(&[MayContain, Missing]), Missing);
        assert_eq!(verdict(&[Missing, Absent]), Absent);
    }

    #[test]
    fn parts_hold_the_bits_that_their_numbers_say() {
        let schema = Schema::words(1_000, 0.01).unwrap();
        let bitmap = Bitmap {
            keys: (0..10u8).map(|part| vec![part]).collect(),
            part_bits: 1_024,
            schema,
        };
        let hash = Hash128::of(b"element");
        let placed = Placed::new(&bitmap, &[hash, hash]);
        let mut positions = vec![0; 2 * usize::from(schema.probes())];
        for part in &placed.parts {
            for (&offset, &at) in part.offsets.iter().zip(&part.order) {
                positions[at] = u64::from(part.key[0]) * 1_024 + offset;
            }
        }
        let expected: Vec<u64> = schema.positions(hash).chain(schema.positions(hash)).collect();
        assert_eq!(positions, expected);
    }
}
