//! Commands that test bits, and the queries built from them.

use membership_filters::Hash128;

use super::bitmap::{Bitmap, offsets};
use crate::answer::Answer;
use crate::batch::{Batch, Replies, bit, unexpected};
use crate::bitfield::BitField;
use crate::call::Line;
use crate::error::Error;
use crate::options::Missing;

/// The number of bits in one `BITFIELD`. The server enlarges its arrays of operations and arguments one by one: per
/// bit, 64 took it 0.7 times as long as 4096. With 16, the client took longer to read the replies (Redis 7.0).
const BITS_PER_COMMAND: usize = 64;

/// The bytes to query one bit, request and reply (RESP): `GET u1 1234567` and an integer.
const BYTES_PER_BIT: u64 = 32;

/// The number of attempts at an operation that rebuilds interrupt.
pub(crate) const ATTEMPTS: usize = 4;

/// Adds commands that test bits of a string.
pub(in crate::plan) fn push_bits(batch: &mut Batch, key: &[u8], offsets: &[u64]) {
    for offsets in offsets.chunks(BITS_PER_COMMAND) {
        batch.push_bits(BitField {
            key: key.to_vec(),
            offsets: offsets.to_vec(),
        });
    }
}

pub(in crate::plan) fn commands_for(bits: usize) -> usize {
    bits.div_ceil(BITS_PER_COMMAND)
}

/// Reads the replies to the commands of [`push_bits`] and calls back with the number of each zero bit, whose key
/// is absent. Ones cost almost nothing.
pub(in crate::plan) fn read_zeros(
    replies: &mut Replies,
    count: usize,
    mut zero: impl FnMut(usize),
) -> Result<(), Error> {
    let mut number = 0;
    for _ in 0..commands_for(count) {
        for value in replies.array()? {
            if !bit(&value)? && number < count {
                zero(number);
            }
            number += 1;
        }
    }
    if number == count {
        Ok(())
    } else {
        Err(unexpected("as many bits as were queried", None))
    }
}

/// The bits to query. It reads the whole string where that takes no more bytes than querying each bit: the server
/// copies it once instead of looking up bit after bit, and the client reads one reply instead of hundreds.
struct Query {
    offsets: Vec<u64>,
    /// The bytes of all bits, if they are read as a whole.
    whole: Option<u64>,
}

impl Query {
    fn new(bitmap: &Bitmap, hashes: &[Hash128]) -> Self {
        let offsets = offsets(&bitmap.schema, hashes);
        let bytes = bitmap.bytes();
        let whole = (bytes <= BYTES_PER_BIT * offsets.len() as u64).then_some(bytes);
        Self { offsets, whole }
    }

    fn push(&self, batch: &mut Batch, key: &[u8]) {
        match self.whole {
            None => push_bits(batch, key, &self.offsets),
            Some(bytes) => _ = batch.add("GETRANGE").arg(key).arg(0).arg(bytes - 1),
        }
    }

    fn replies(&self) -> usize {
        self.whole.map_or(commands_for(self.offsets.len()), |_| 1)
    }

    /// Calls back with the number of each bit that is zero.
    fn read_zeros(&self, replies: &mut Replies, zero: impl FnMut(usize)) -> Result<(), Error> {
        if self.whole.is_none() {
            return read_zeros(replies, self.offsets.len(), zero);
        }
        let string = replies.bytes()?.unwrap_or_default();
        // Redis reads bits past the end of a string as zeros.
        let byte = |offset: u64| usize::try_from(offset / 8).ok().and_then(|at| string.get(at));
        let set = |offset: u64| byte(offset).is_some_and(|byte| byte << (offset % 8) & 0x80 != 0);
        let zeros = (self.offsets.iter().enumerate()).filter(|&(_, &offset)| !set(offset));
        zeros.map(|(at, _)| at).for_each(zero);
        Ok(())
    }
}

impl Bitmap {
    /// Queries keys. Returns one answer per hash.
    pub(crate) async fn contains(&self, line: &Line, hashes: &[Hash128]) -> Result<Vec<Answer>, Error> {
        let mut answers = Vec::with_capacity(hashes.len());
        for trip in hashes.chunks(self.options.keys_per_trip(self.schema.probe_count())) {
            answers.extend(self.contains_settled(line, trip).await?);
        }
        Ok(answers)
    }

    /// Repeats a query if a rebuild replaced the filter during it.
    async fn contains_settled(&self, line: &Line, hashes: &[Hash128]) -> Result<Vec<Answer>, Error> {
        for _ in 0..ATTEMPTS {
            if let Some(answers) = self.contains_once(line, hashes).await? {
                return Ok(answers);
            }
        }
        // The filter exists, but its contents could not be read.
        Ok(vec![Answer::Maybe; hashes.len()])
    }

    /// Queries in one round trip. Returns `None` if a rebuild replaced the filter meanwhile: the filter may have been
    /// lost between the first look at its mark and the swap, and zeros read in that time prove nothing.
    async fn contains_once(&self, line: &Line, hashes: &[Hash128]) -> Result<Option<Vec<Answer>>, Error> {
        let (query, missing) = (Query::new(self, hashes), self.options.missing);
        // Read before and after the bits: others write between the commands, and zeros prove nothing if the filter is
        // lost.
        let mut batch = Batch::of(&self.end());
        query.push(&mut batch, &self.key);
        batch.push(&self.end());
        let mut replies = line.send(batch).await?;
        let before = replies.bytes()?.unwrap_or_default();
        let mut bits = replies.take(query.replies());
        let after = replies.bytes()?.unwrap_or_default();
        let there = self.is_there(&before)? & self.is_there(&after)?;
        if !there && missing == Missing::Reported {
            return Ok(Some(vec![Answer::Missing; hashes.len()]));
        }
        // Without a mark, the end changes with inserts.
        if before != after && missing != Missing::Published {
            return Ok(None);
        }
        let mut answers = vec![Answer::Maybe; hashes.len()];
        let probes = self.schema.probe_count() as usize;
        query.read_zeros(&mut bits, |at| answers[at / probes] = Answer::Absent)?;
        Ok(Some(answers))
    }
}
