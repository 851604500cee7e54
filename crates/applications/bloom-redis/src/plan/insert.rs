//! Inserts into a filter in one string.

use membership_filters::Hash128;
use redis::Value;

use super::bitmap::{Bitmap, offsets, per_trip};
use super::generation::{self, Token};
use super::scripts::{SET, eval};
use crate::batch::{Batch, Replies, news};
use crate::call::Line;
use crate::error::{Error, is_redirection};
use crate::options::{Expiry, Lifetime, Missing, Options};

/// Inserts keys. Returns true for each that was new.
pub(crate) async fn insert(
    line: &Line,
    bitmap: &Bitmap,
    hashes: &[Hash128],
    lifetime: Lifetime,
    options: &Options,
) -> Result<Vec<bool>, Error> {
    let mut new = Vec::with_capacity(hashes.len());
    for trip in hashes.chunks(per_trip(&bitmap.schema, options)) {
        let (mut first, mut gone) = (None, None);
        loop {
            let done = Insert::new(bitmap, trip, lifetime, options).send(line).await?;
            first.get_or_insert(done.new);
            if !done.is_settled {
                continue;
            }
            let Some(token) = done.under_way.filter(|&token| gone != Some(token)) else {
                break;
            };
            let wrote = insert_into_generation(line, bitmap, token, trip, options);
            gone = generation::gone(token, wrote.await)?;
            if gone.is_none() {
                break;
            }
        }
        new.extend(first.into_iter().flatten());
    }
    Ok(new)
}

/// Inserts keys into the generation of a rebuild, which must be there. Returns true for each that was new to it.
pub(crate) async fn insert_into_generation(
    line: &Line,
    live: &Bitmap,
    token: Token,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Vec<bool>, Error> {
    let (next, options) = (generation::next(live, token), options.missing(Missing::Reported));
    let mut new = Vec::with_capacity(hashes.len());
    for trip in hashes.chunks(per_trip(&live.schema, &options)) {
        let insert = Insert::new(&next, trip, Expiry::Keep.lifetime()?, &options);
        new.extend(insert.send(line).await?.new);
    }
    Ok(new)
}

/// The number of bits that one script sets: some hundred microseconds of the server.
const BITS_PER_SCRIPT: usize = 1 << 10;

/// The inserts of one round trip.
struct Insert<'a> {
    bitmap: &'a Bitmap,
    /// The keys of each script. They are never divided, so that only one of two concurrent inserts of a key
    /// finds it new.
    parts: Vec<&'a [Hash128]>,
    lifetime: Lifetime,
    missing: Missing,
}

/// The result of the inserts of one round trip.
struct Done {
    /// Set for each key that was new.
    new: Vec<bool>,
    /// The rebuild under way after the inserts.
    under_way: Option<Token>,
    /// Set if no rebuild replaced the filter meanwhile.
    is_settled: bool,
}

impl<'a> Insert<'a> {
    fn new(bitmap: &'a Bitmap, hashes: &'a [Hash128], lifetime: Lifetime, options: &Options) -> Self {
        let each = (BITS_PER_SCRIPT / bitmap.schema.probe_count() as usize).max(1);
        Self {
            bitmap,
            parts: hashes.chunks(each).collect(),
            lifetime,
            missing: options.missing,
        }
    }

    fn batch(&self) -> Batch {
        let mut batch = Batch::new();
        // Read before the bits too: a rebuild may begin and end before the reads after them. Moreover, a cluster client
        // that is redirected for one key repeats the whole pipeline on the other node, which accepts the first command
        // even for a key that it does not have yet: if that command wrote, it would begin a second bitmap.
        batch.push(&self.bitmap.end());
        for part in &self.parts {
            let mut set = eval(&SET, &[&self.bitmap.key]);
            set.arg(self.bitmap.parameters()).arg(self.missing.word());
            let set = self.lifetime.push_to(set.arg(self.bitmap.bytes()));
            let schema = &self.bitmap.schema;
            batch.push(set.arg(schema.probe_count()).arg(offsets(schema, part)));
        }
        // Read after the bits, so that a rebuild that is not seen began after them.
        batch.push(&generation::look(self.bitmap));
        batch.push(&self.bitmap.end());
        batch
    }

    /// Inserts in one round trip.
    async fn send(&self, line: &Line) -> Result<Done, Error> {
        let batch = self.batch();
        let mut replies = match line.send(batch.clone()).await {
            // While the slot is moving between two nodes, each command finds its own node.
            Err(error) if error.redis().is_some_and(is_redirection) => {
                let mut replies = Vec::new();
                for command in batch.commands() {
                    replies.push(line.run(&command).await?);
                }
                Replies::concat(replies)
            }
            replies => replies?,
        };
        self.read(&mut replies)
    }

    fn read(&self, replies: &mut Replies) -> Result<Done, Error> {
        let generation = |replies: &mut Replies| {
            let end = replies.bytes()?.unwrap_or_default();
            Ok::<_, Error>(self.bitmap.generation_of(&end))
        };
        let before = generation(replies)?;
        let mut new = Vec::new();
        for part in &self.parts {
            let value = replies.value()?;
            if let Value::Array(other) = value {
                let end = Replies::new(other).bytes()?.unwrap_or_default();
                self.bitmap.is_there(&end, self.missing)?;
                return Err(Error::missing(&self.bitmap.key));
            }
            new.extend(news(value, part.len())?);
        }
        Ok(Done {
            new,
            under_way: generation::read_token(self.bitmap, replies)?,
            is_settled: before == generation(replies)?,
        })
    }
}
