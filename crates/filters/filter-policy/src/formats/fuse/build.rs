//! Building binary fuse filters: seeds are tried until all keys can be peeled.

use alloc::vec::Vec;

use super::bits::{self, Added, Shape, Slot};
use crate::building::{hashes, room};
use crate::simd::{KernelToken, Source};
use crate::splitmix::SplitMix64;
use crate::{Error, MATCHES_EVERYTHING};
use hashzoo::xxh3_64;

use super::definition::{TRAILER_LEN, trailer};
use super::sizes::{Width, filter_len, shape_at};

/// The number of seeds that are tried.
///
/// Source: xorfilter, `xorfilter.go` (`MaxIterations`).
const ATTEMPTS: u32 = 1024;

/// The number of attempts after which equal hash values are looked for at the latest.
const PATIENCE: u32 = 6;

/// Writes the filter of these keys to the start of `out` and returns its length.
#[inline(always)]
pub(super) fn build(
    width: Width,
    kernel: KernelToken,
    source: Source<'_, u64>,
    out: &mut [u8],
) -> Result<usize, Error> {
    peel(width, kernel, source)?.write(kernel, out)
}

/// Finds a seed under which all keys can be peeled.
fn peel(width: Width, kernel: KernelToken, given: Source<'_, u64>) -> Result<Made, Error> {
    if given.is_empty() {
        return Ok(Made::Bytes(&[]));
    }
    let (mut slots, mut order) = (Vec::new(), Vec::new());
    // Copied hash values without adjacent repeats. Empty until repeats are found or suspected.
    let mut values = Vec::new();
    let (mut attempt, mut seeds, mut are_distinct) = (0, SplitMix64::new(1), false);
    while attempt < ATTEMPTS {
        attempt += 1;
        let source = if values.is_empty() {
            given
        } else {
            Source::Hashes(&values)
        };
        let keys = source.len();
        let shape = Shape {
            seed: seeds.next(),
            ..shape_at(attempt, keys as u64)
        };
        // A platform that cannot address the slots cannot allocate them.
        resize(&mut slots, usize::try_from(shape.slots()).unwrap_or(usize::MAX))?;
        match bits::add(kernel, shape, &mut slots, source) {
            Added::All => {
                resize(&mut order, slots.len() + 2)?;
                let peeled = bits::peel(shape, &mut slots, &mut order);
                if peeled == keys {
                    order.truncate(peeled);
                    let width = width.of(keys as u64);
                    return Ok(Made::Fuse {
                        shape,
                        width,
                        slots,
                        order,
                    });
                }
            }
            // Equal keys are often adjacent.
            Added::Repeats => {
                values = hashes(source, |key| xxh3_64(key, 0))?;
                values.dedup();
                (attempt, seeds) = (0, SplitMix64::new(1));
                continue;
            }
            // So many keys in a slot that no hash function gives them by chance.
            Added::TooMany => {}
        }
        // Equal values stay in the slots whatever the seed. Sorting costs as much as an attempt, and a set without them
        // seldom needs more than two.
        if !are_distinct && (bits::have_repeats(&slots) || attempt == PATIENCE) {
            let mut sorted = if values.is_empty() {
                hashes(given, |key| xxh3_64(key, 0))?
            } else {
                values
            };
            sorted.sort_unstable();
            sorted.dedup();
            if sorted.len() != keys {
                (attempt, seeds) = (0, SplitMix64::new(1));
            }
            values = sorted;
            are_distinct = true;
        }
    }
    Ok(Made::Bytes(&MATCHES_EVERYTHING))
}

/// A filter before it is written.
enum Made {
    /// The filter of no keys, or the one for which no seed is of use.
    Bytes(&'static [u8]),
    Fuse {
        shape: Shape,
        width: u8,
        slots: Vec<Slot>,
        order: Vec<u32>,
    },
}

/// Gives the vector this many zeros.
fn resize<T: Copy + Default>(items: &mut Vec<T>, len: usize) -> Result<(), Error> {
    items.clear();
    if items.capacity() < len {
        // Freed before, not after.
        *items = Vec::new();
    }
    items
        .try_reserve_exact(len)
        .map_err(|_| Error::AllocationFailed {
            bytes: len.saturating_mul(size_of::<T>()),
        })?;
    items.resize(len, T::default());
    Ok(())
}

impl Made {
    fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Fuse { width, order, .. } => {
                usize::try_from(filter_len(order.len() as u64, *width)).unwrap_or(usize::MAX)
            }
        }
    }

    /// Writes the filter to the start of `out` and returns its length.
    fn write(&self, kernel: KernelToken, out: &mut [u8]) -> Result<usize, Error> {
        let filter = room(out, self.len())?;
        match self {
            Self::Bytes(bytes) => filter.copy_from_slice(bytes),
            Self::Fuse {
                shape,
                width,
                slots,
                order,
            } => {
                filter.fill(0);
                // Before the trailer: fingerprints are changed in pairs of bytes.
                bits::store(kernel, *shape, *width, slots, order, filter);
                if let Some(end) = filter.last_chunk_mut::<TRAILER_LEN>() {
                    *end = trailer(*shape, *width);
                }
            }
        }
        Ok(filter.len())
    }
}
