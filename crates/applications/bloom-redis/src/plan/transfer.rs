//! Upload and download of whole bitmaps.
//!
//! Redis numbers the bits of a byte from the most significant one. Guava numbers the bits of a word from the least
//! significant one. A Redis string is therefore the words as little-endian bytes, each with its bits reversed.

use core::time::Duration;

use membership_filters::guava::{BloomFilter, Parameters, StreamHeader};
use membership_filters::redisbloom::companion_key;
use membership_filters::{Bytes, Hashing};

use super::bitmap::Bitmap;
use super::scripts::{LOAD, eval};
use crate::batch::{Batch, Replies};
use crate::call::Line;
use crate::error::{Details, Error};
use crate::options::Missing;

/// The number of bytes in one round trip.
const CHUNK: usize = 1 << 20;

/// The number of attempts of a download that rebuilds interrupt.
const ATTEMPTS: usize = 3;

fn to_redis(words: &[u64]) -> impl Iterator<Item = u8> + '_ {
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

/// Checks that queries on the server hash keys as a funnel does.
fn check_hash(funnel: &impl Hashing) -> Result<(), Error> {
    let (ours, theirs) = (Bytes.hash_id(), funnel.hash_id());
    if ours == theirs {
        return Ok(());
    }
    let range = format_args!("{ours}, as queries on the server compute it");
    Err(Error::Mismatch(Details::new("the funnel's hash", range, theirs)))
}

impl Bitmap {
    /// Checks that a filter in memory has the hash and the parameters of this one.
    pub(crate) fn check_shape<F: Hashing>(&self, filter: &BloomFilter<F>) -> Result<(), Error> {
        use membership_filters::Error as Differ;
        check_hash(filter.funnel())?;
        let ours = Parameters::try_from(&self.schema)?;
        Differ::check_equal("numbers of bits", &ours.bits(), &filter.bits())?;
        Differ::check_equal("probe counts", &ours.probe_count(), &filter.probe_count())?;
        Differ::check_equal("strategies", &ours.chosen_strategy(), &filter.strategy())?;
        Ok(())
    }

    /// Adds the bits of a filter to the generation of a rebuild, and keeps bits that others insert meanwhile.
    pub(crate) async fn upload(
        &self,
        line: &Line,
        next: &Self,
        words: &[u64],
        lease: Duration,
    ) -> Result<(), Error> {
        // Companions for bits on their way.
        let aside = ["load", "loaded"].map(|purpose| companion_key(purpose, &next.key));
        for (number, chunk) in words.chunks(CHUNK / 8).enumerate() {
            // Zeros change nothing.
            if chunk.iter().all(|&word| word == 0) {
                continue;
            }
            let bytes: Vec<u8> = to_redis(chunk).collect();
            let mut load = eval(&LOAD, &[&next.key, &aside[0], &aside[1]]);
            load.arg(number * CHUNK).arg(bytes).arg(next.mark());
            if line.run(&load).await?.count()? == 0 {
                return Err(Error::missing(&next.key));
            }
            self.renew(line, next, lease).await?;
        }
        Ok(())
    }

    pub(crate) async fn download<F: Hashing>(&self, line: &Line, funnel: F) -> Result<BloomFilter<F>, Error> {
        check_hash(&funnel)?;
        let schema = Parameters::try_from(&self.schema)?;
        let words = self.words(line).await?;
        let header = StreamHeader::new(schema.chosen_strategy(), schema.probe_count(), &words);
        Ok(BloomFilter::from_parts(funnel, header, words)?)
    }

    /// Reads all bits of a filter as words, in chunks. The mark is read before and after each chunk: zeros prove
    /// nothing if the filter is lost or comes back meanwhile. Starts over if a rebuild replaced the filter.
    async fn words(&self, line: &Line) -> Result<Vec<u64>, Error> {
        let mark = |replies: &mut Replies| {
            let end = replies.bytes()?.unwrap_or_default();
            self.expect(&end)?;
            // Without a mark, the end changes with inserts.
            Ok::<_, Error>((self.options.missing != Missing::Published).then_some(end))
        };
        let all = usize::try_from(self.bytes()).unwrap_or(usize::MAX);
        let mut words: Vec<u64> = Vec::new();
        let (mut generation, mut attempts) = (None, 0);
        while words.len() < all / 8 {
            let start = words.len() * 8;
            let wanted = CHUNK.min(all - start);
            let mut batch = Batch::of(&self.end());
            let get = batch.add("GETRANGE").arg(&self.key);
            get.arg(start).arg(start + wanted - 1);
            batch.push(&self.end());
            let mut replies = line.send(batch).await?;
            let before = mark(&mut replies)?;
            let bytes = replies.bytes()?.unwrap_or_default();
            let after = mark(&mut replies)?;
            if before != after || *generation.get_or_insert_with(|| after.clone()) != before {
                attempts += 1;
                if attempts == ATTEMPTS {
                    let what = "the filter was replaced again and again meanwhile";
                    return Err(Error::Unavailable(Details::of_key(&self.key, what)));
                }
                words.clear();
                generation = None;
                continue;
            }
            words.extend(bytes.chunks(8).map(word).take(wanted / 8));
            // A string ends at the last byte that was ever written.
            words.resize((start + wanted) / 8, 0);
        }
        Ok(words)
    }
}
