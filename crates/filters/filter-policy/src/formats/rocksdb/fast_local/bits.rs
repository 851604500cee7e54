//! RocksDB's cache-local filters: a multiplication selects the 64-byte line, and the top nine bits of each step of a
//! 32-bit walk select the bit in the line.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

pub(crate) use super::definition::{LINE_LEN, Line, line_of};

use core::mem::MaybeUninit;
use core::ops::RangeInclusive;

use hashzoo::xxph3_64;

use super::definition::{USUAL_PROBES, set_one};
use super::kernel::{self, AskTile, SetTile};
use crate::key_hash::HashFunctionId;
use crate::policy::{Prepared, Restore};
use crate::simd::bits::{Aligned, MAP_BITS, MAX_PROBES, cleared, usual};
use crate::simd::choose::KernelToken;
use crate::simd::compile::{Lookup, by_kernel, lookup};
use crate::simd::hash::tile;
use crate::simd::hash::xxph3::Xxph3;
use crate::simd::lanes::{Portable, Target};
use crate::simd::source::Source;
use crate::simd::stored_bits::StoredBits;
use crate::simd::tiles::each_tile;

/// The number of lines from which they are prefetched before use.
const PREFETCHED: usize = (1 << 20) / LINE_LEN;

/// The maximum number of lines that are built on the stack and copied.
const MAX_COPIED: usize = MAP_BITS / LINE_LEN;

/// Writes the bits of all keys over whatever the lines hold; otherwise like [`insert`].
pub(crate) fn create(kernel: KernelToken, lines: &mut [Line], probes: u8, source: Source<'_, u64>) -> usize {
    let probes = probes.clamp(1, MAX_PROBES);
    if kernel.lanes() * 4 != LINE_LEN || !(2..=MAX_COPIED).contains(&lines.len()) {
        lines.as_flattened_mut().fill(0);
        return insert(kernel, lines, probes, source);
    }
    // Where whole lines are stored, those across two cache lines cannot be loaded again until the store has reached the
    // cache, and a filter of few lines needs each again soon. A copy is aligned.
    let mut room = Aligned(MaybeUninit::uninit());
    let copied = cleared(&mut room, lines.len() * LINE_LEN).as_chunks_mut().0;
    let repeats = insert(kernel, copied, probes, source);
    lines.copy_from_slice(copied);
    repeats
}

/// Adds the bits of all keys to the lines, with 1 to 30 probes each; there are fewer than 2^26 lines. Returns the
/// number of hash values that equal the one before them.
pub(crate) fn insert(kernel: KernelToken, lines: &mut [Line], probes: u8, source: Source<'_, u64>) -> usize {
    let probes = probes.clamp(1, MAX_PROBES);
    by_kernel!(
        |lanes, lines: &mut [Line], probes: u8, source: Source<'_, u64>| -> usize {
            let (mut repeats, mut last) = (0, None);
            each_tile!(
                source.len(),
                lines.len() >= PREFETCHED,
                |start, hashes| tile::hash::<Xxph3<false>, _>(lanes, source, start, hashes),
                |hashes| for &hash in hashes {
                    lanes.prefetch_array::<true, _>(lines, line_of(hash, lines.len()));
                },
                |_, tile| {
                    repeats += repeats_in(tile.used(), &mut last);
                    lanes.here(SetTile(lines, probes, tile));
                }
            );
            repeats
        },
        kernel,
        scalar_insert(lines, probes, source)
    )
}

/// Returns how many hash values equal the one before them, given the last one before.
#[inline(always)]
fn repeats_in(hashes: &[u64], last: &mut Option<u64>) -> usize {
    let first = usize::from(*last == hashes.first().copied());
    *last = hashes.last().copied();
    first + hashes.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

fn scalar_insert(lines: &mut [Line], probes: u8, source: Source<'_, u64>) -> usize {
    let (mut repeats, mut last) = (0, None);
    usual!(probes == USUAL_PROBES, |_MOST| source.for_each(|hash| {
        repeats += usize::from(last.replace(hash) == Some(hash));
        set_one(lines, probes, hash);
    }));
    repeats
}

/// The lines of a stored filter, at least one, and the probe count, within the limits of [`insert`].
#[derive(Debug, Clone, Copy)]
pub struct CacheLines<'f>(pub &'f [Line], pub u8);

impl CacheLines<'_> {
    /// Prepares the lines for many queries.
    pub(crate) fn prepared(self, kernel: KernelToken) -> Prepared {
        let Self(lines, probes) = self;
        let (bits, lookup) = (lines.as_flattened(), Some(lookup(kernel)));
        Prepared::restoring::<Self>(kernel, HashFunctionId::XXPH3, lookup, bits, [probes.into(), 0, 0])
    }
}

impl Restore for CacheLines<'_> {
    type Hash = u64;
    type Filter<'f> = CacheLines<'f>;

    #[inline(always)]
    fn restored(_: KernelToken, bits: &[u8], [probes, ..]: [u64; 3]) -> CacheLines<'_> {
        CacheLines(bits.as_chunks().0, probes as u8)
    }
}

impl StoredBits for CacheLines<'_> {
    type Hash = u64;

    const HAS_KERNELS: bool = true;

    const HASHED_INLINE: RangeInclusive<usize> = 16..=16;

    #[inline(always)]
    fn may_match(self, kernel: KernelToken, hash: u64) -> bool {
        let Self(lines, probes) = self;
        by_kernel!(
            |lanes, lines: &[Line], probes: u8, hash: u64| -> bool {
                kernel::may_match(lanes, lines, probes, hash)
            },
            kernel
        )
    }

    fn may_match_many(self, kernel: KernelToken, source: Source<'_, u64>, answers: &mut [u64]) {
        let Self(lines, probes) = self;
        by_kernel!(
            |lanes, lines: &[Line], probes: u8, source: Source<'_, u64>, answers: &mut [u64]| -> () {
                each_tile!(
                    source.len(),
                    lines.len() >= PREFETCHED,
                    |start, hashes| tile::hash::<Xxph3<false>, _>(lanes, source, start, hashes),
                    |hashes| for &hash in hashes {
                        lanes.prefetch_array::<false, _>(lines, line_of(hash, lines.len()));
                    },
                    |number, tile| answers[number] = lanes.here(AskTile(lines, probes, tile))
                );
            },
            kernel,
            source.answer_each(answers, |hash| kernel::may_match(Portable, lines, probes, hash))
        );
    }

    #[inline(always)]
    fn matches<T: Target>(self, lanes: T, hash: u64) -> bool {
        kernel::may_match(lanes, self.0, self.1, hash)
    }
}

/// Hashes a key of 16 bytes inline.
#[inline(always)]
fn of_16(key: &[u8]) -> u64 {
    xxph3_64(key.first_chunk::<16>().expect("16 bytes"), 0)
}

/// Hashes a key of at most 16 bytes without a call, so that no register has to be saved.
#[inline(always)]
fn of_fewer(key: &[u8]) -> u64 {
    xxph3_64(&key[..key.len().min(16)], 0)
}

/// Returns the function that queries a prepared filter; the first number is the probe count.
pub(crate) fn lookup(kernel: KernelToken) -> Lookup {
    lookup!(
        kernel,
        |lanes, numbers, bits, key| { kernel::may_match(lanes, bits.as_chunks().0, numbers[0] as u8, of_16(key)) }
        apart (key.len() != 16) {
            key.len() < 16 => { kernel::may_match(lanes, bits.as_chunks().0, numbers[0] as u8, of_fewer(key)) }
            true => { kernel::may_match(lanes, bits.as_chunks().0, numbers[0] as u8, xxph3_64(key, 0)) }
        }
    )
}
