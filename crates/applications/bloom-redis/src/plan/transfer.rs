//! Upload and download of whole bitmaps.
//!
//! Redis numbers the bits of a byte from the most significant one. Guava numbers the bits of a word from the least
//! significant one. A Redis string is therefore the words as little-endian bytes, each with its bits reversed.

use core::time::Duration;

use membership_filters::guava::{BloomFilter, Parameters, StreamHeader};
use membership_filters::{Bytes, Hashing};

use super::bitmap::Bitmap;
use super::generation::{self, Token};
use super::scripts::{LOAD, eval};
use crate::batch::{Batch, Replies};
use crate::call::Line;
use crate::error::{Details, Error};
use crate::options::{Missing, Options};
use membership_filters::redisbloom::companion_key;

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

/// Checks that queries on the server hash keys as a funnel does.
fn check_hash(funnel: &impl Hashing) -> Result<(), Error> {
    let (ours, theirs) = (Bytes.hash_id(), funnel.hash_id());
    if ours == theirs {
        return Ok(());
    }
    let range = format_args!("{ours}, as queries on the server compute it");
    Err(Error::Mismatch(Details::new("the funnel's hash", range, theirs)))
}

/// Checks that a filter in memory and one on the server have the same hash and parameters.
pub(crate) fn check_shape<F: Hashing>(bitmap: &Bitmap, filter: &BloomFilter<F>) -> Result<(), Error> {
    check_hash(filter.funnel())?;
    let ours = Parameters::try_from(&bitmap.schema)?;
    membership_filters::Error::check_equal("numbers of bits", &ours.bits(), &filter.bits())?;
    membership_filters::Error::check_equal("probe counts", &ours.probe_count(), &filter.probe_count())?;
    Ok(membership_filters::Error::check_equal(
        "strategies",
        &ours.chosen_strategy(),
        &filter.strategy(),
    )?)
}

/// Adds the bits of a filter to a rebuild, and keeps bits that others insert meanwhile.
pub(crate) async fn write(
    line: &Line,
    live: &Bitmap,
    token: Token,
    words: &[u64],
    lease: Duration,
) -> Result<(), Error> {
    let next = generation::next(live, token);
    // Companions for bits on their way.
    let aside = [
        companion_key("load", &next.key),
        companion_key("loaded", &next.key),
    ];
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
        generation::renew(line, live, token, lease).await?;
    }
    Ok(())
}

pub(crate) async fn download<F: Hashing>(
    line: &Line,
    bitmap: &Bitmap,
    options: &Options,
    funnel: F,
) -> Result<BloomFilter<F>, Error> {
    check_hash(&funnel)?;
    let schema = Parameters::try_from(&bitmap.schema)?;
    let words = read(line, bitmap, options).await?;
    let header = StreamHeader::new(schema.chosen_strategy(), schema.probe_count(), &words);
    Ok(BloomFilter::from_parts(funnel, header, words)?)
}

/// Reads all bits of a filter as words, in chunks. The mark is read before and after each chunk: zeros prove nothing if
/// the filter is lost or comes back meanwhile. Starts over if a rebuild replaced the filter.
async fn read(line: &Line, bitmap: &Bitmap, options: &Options) -> Result<Vec<u64>, Error> {
    let check = |replies: &mut Replies| {
        let end = replies.bytes()?.unwrap_or_default();
        if !bitmap.is_there(&end, options.missing)? && options.missing == Missing::Reported {
            return Err(Error::missing(&bitmap.key));
        }
        // Without a mark, the end changes with inserts.
        Ok(if options.missing == Missing::Published {
            Vec::new()
        } else {
            end
        })
    };
    let all = usize::try_from(bitmap.bytes()).unwrap_or(usize::MAX);
    let mut words: Vec<u64> = Vec::new();
    let (mut generation, mut attempts) = (None, 0);
    while words.len() < all / 8 {
        let start = words.len() * 8;
        let wanted = CHUNK.min(all - start);
        let mut batch = Batch::of(&bitmap.end());
        let get = batch.add("GETRANGE").arg(&bitmap.key);
        get.arg(start).arg(start + wanted - 1);
        batch.push(&bitmap.end());
        let mut replies = line.send(batch).await?;
        let before = check(&mut replies)?;
        let bytes = replies.bytes()?.unwrap_or_default();
        let after = check(&mut replies)?;
        if before != after || *generation.get_or_insert_with(|| after.clone()) != before {
            attempts += 1;
            if attempts == ATTEMPTS {
                let what = "the filter was replaced again and again meanwhile";
                return Err(Error::Unavailable(Details::of_key(&bitmap.key, what)));
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
