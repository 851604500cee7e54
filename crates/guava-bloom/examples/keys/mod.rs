//! Hashes the lines of standard input as UTF-8 keys, in blocks of as many as have arrived.

use clap::ValueEnum;
use guava_bloom::{BloomFilter, Funnel, Hash128, Strategy, Utf8};

use crate::input::{Failure, Lines, open};

/// The longest key in bytes.
const LONGEST: usize = 1 << 28;

/// The strategy that derives bit positions from the hash.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Mitz {
    /// MURMUR128_MITZ_32, the strategy of Guava before version 17.
    Mitz32,
    /// MURMUR128_MITZ_64, Guava's default.
    Mitz64,
}

impl From<Mitz> for Strategy {
    fn from(mitz: Mitz) -> Self {
        match mitz {
            Mitz::Mitz32 => Self::Murmur128Mitz32,
            Mitz::Mitz64 => Self::Murmur128Mitz64,
        }
    }
}

/// Inserts the lines of standard input into a filter.
pub(crate) fn insert_lines(filter: &mut BloomFilter<Utf8>) -> Result<(), Failure> {
    for_each_block(|hashes| {
        filter.insert_hashes(hashes);
        Ok(())
    })
}

/// Calls `each` with the hashes of all lines, in blocks of those that arrived together.
pub(crate) fn for_each_block(mut each: impl FnMut(&[Hash128]) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut lines = open(None)?;
    lines.longest = LONGEST;
    let mut hashes = Vec::new();
    loop {
        let next = next_hash(&mut lines);
        if let Ok(Some(hash)) = next {
            hashes.push(hash);
            if lines.reader.buffer().contains(&b'\n') {
                continue;
            }
        }
        // Lines before a wrong line are answered.
        each(&hashes)?;
        hashes.clear();
        if next?.is_none() {
            return Ok(());
        }
    }
}

fn next_hash(lines: &mut Lines) -> Result<Option<Hash128>, Failure> {
    let Some(line) = lines.read()? else {
        return Ok(None);
    };
    match str::from_utf8(line) {
        Ok(text) => Ok(Some(Utf8.hash(text))),
        Err(error) => {
            let what = format!("the line is not UTF-8: {error}");
            Err(Failure::input(lines.place(), what))
        }
    }
}
