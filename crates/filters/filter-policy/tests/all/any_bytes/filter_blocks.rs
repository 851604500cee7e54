//! LevelDB's way to read a filter block, written a second time, and the reader's comparison with it. The fuzz target
//! `filter_blocks` and the replay of its inputs include this file.

use std::cell::Cell;

use filter_policy::filter_block::{FilterBlockDamage, FilterBlockReader};
use filter_policy::{Error, FilterBytes, FilterPolicy};

/// Reads a filter block; the first eight bytes are the offset of a data block.
pub(crate) fn read(data: &[u8]) {
    if let Some((offset, block)) = data.split_first_chunk() {
        check(block, u64::from_le_bytes(*offset));
    }
}

/// The result of LevelDB's reader for a block.
#[derive(Debug, PartialEq)]
pub(crate) enum Reading {
    /// An answer without the policy.
    Answer(bool),
    /// A query of the policy with this part of the block.
    Ask(usize, usize),
    /// The shift is wider than the number, which C++ leaves undefined.
    Undefined,
}

pub(crate) fn read_by_leveldb(block: &[u8], block_offset: u64) -> Reading {
    let word = |at: usize| u32::from_le_bytes(block[at..at + 4].try_into().unwrap()) as usize;
    let n = block.len();
    if n < 5 || word(n - 5) > n - 5 {
        return Reading::Answer(true);
    }
    let (array_offset, base_lg) = (word(n - 5), block[n - 1]);
    if base_lg >= 64 {
        return Reading::Undefined;
    }
    let count = (n - 5 - array_offset) as u64 / 4;
    let index = block_offset >> base_lg;
    if index >= count {
        return Reading::Answer(true);
    }
    let at = array_offset + usize::try_from(index).unwrap() * 4;
    let (start, limit) = (word(at), word(at + 4));
    if start <= limit && limit <= array_offset {
        Reading::Ask(start, limit)
    } else {
        // LevelDB takes this for an empty filter and denies every key.
        Reading::Answer(start != limit)
    }
}

/// A policy that records the bytes of its query.
struct Spy<'b>(&'b [u8], Cell<Option<(usize, usize)>>);

impl FilterPolicy for Spy<'_> {
    fn name(&self) -> &str {
        "spy"
    }

    fn max_filter_len(&self, _: usize) -> Result<usize, Error> {
        Ok(0)
    }

    fn create_filter<'out>(&self, _: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        Ok(out.into())
    }

    fn key_may_match(&self, _: &[u8], filter: &[u8]) -> bool {
        let start = filter.as_ptr() as usize - self.0.as_ptr() as usize;
        self.1.set(Some((start, start + filter.len())));
        false
    }
}

/// Returns the reader's answer in the terms of the oracle.
fn reading(block: &[u8], block_offset: u64) -> Reading {
    let spy = Spy(block, Cell::new(None));
    let answer = FilterBlockReader::new(&spy, block).may_match(block_offset, b"key");
    match spy.1.get() {
        Some((start, end)) => {
            assert!(!answer, "the policy's answer counts");
            Reading::Ask(start, end)
        }
        None => Reading::Answer(answer),
    }
}

/// Checks that the reader does what LevelDB does, or may match where LevelDB wrongly denies and where C++ is undefined.
pub(crate) fn check(block: &[u8], block_offset: u64) {
    let expected = match read_by_leveldb(block, block_offset) {
        Reading::Answer(false) | Reading::Undefined => Reading::Answer(true),
        other => other,
    };
    assert_eq!(
        reading(block, block_offset),
        expected,
        "{block:x?} at {block_offset}"
    );

    let reader = FilterBlockReader::new((), block);
    assert!(reader.damage().all(|damage| !damage.to_string().is_empty()));
    for filter in reader.filters() {
        if filter.block_offsets.contains(&block_offset) {
            assert_eq!(filter.bytes, reader.filter_of(block_offset));
        }
        if filter.bytes.is_none() {
            assert!(
                reader.damage().any(
                    |damage| matches!(damage, FilterBlockDamage::Filter { index, .. } if index == filter.index)
                ),
                "filter {} cannot be read, and is not reported",
                filter.index
            );
        }
    }
    if reader.damage().count() == 0 {
        // Every byte has a meaning then, and all of LevelDB's answers are defined.
        assert_ne!(read_by_leveldb(block, block_offset), Reading::Undefined);
        assert_ne!(read_by_leveldb(block, block_offset), Reading::Answer(false));
        let length: usize = reader.filters().map(|filter| filter.bytes.unwrap().len()).sum();
        assert_eq!(block.len(), length + 4 * reader.filters().len() + 5);
    }
}
