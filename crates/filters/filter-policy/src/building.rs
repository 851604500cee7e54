//! Steps of building a filter, for policies of any crate.

// For `membership-filters`.
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod parts;

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::simd::{Keys, Source};

use crate::error::Error;
use crate::filter_bytes::FilterBytes;
use crate::key_hash::HashValue;

/// The announced number of values from which they are passed in larger batches: kernels fetch the bits of later values
/// of a batch ahead where filters are too long for the cache.
const MANY: usize = 1 << 16;

/// Passes the values to `take` in batches and returns their number: builders take values one at a time, the loops that
/// set bits take slices. All batches but the last have the same size, which depends on the number of values.
pub(crate) fn for_each_batch<H: Copy + Default>(
    hashes: impl Iterator<Item = H>,
    take: impl FnMut(&[H]),
) -> usize {
    if hashes.size_hint().0 < MANY {
        batches::<_, 64>(hashes, take)
    } else {
        batches::<_, 1024>(hashes, take)
    }
}

/// Passes the hash values of keys to `take` in batches, and given ones at once.
pub fn each_batch<H: HashValue>(
    source: Source<'_, H>,
    hash: impl Fn(&[u8]) -> H,
    mut take: impl FnMut(&[H]),
) {
    match source {
        Source::Hashes(hashes) => take(hashes),
        // The usual keys, without a look at their form for each.
        Source::Keys(Keys::Slices(keys)) => _ = for_each_batch(keys.iter().map(|key| hash(key)), take),
        Source::Keys(keys) => _ = for_each_batch(keys.iter().map(hash), take),
    }
}

/// Builds a filter whose length does not count values that equal the one before them. `fill` writes it for so many
/// keys, and returns the number of such values.
///
/// # Errors
///
/// [`Error::BufferTooShort`], and those of `len_of`.
#[inline(always)]
pub(crate) fn without_counting_repeats<H: HashValue>(
    source: Source<'_, H>,
    hash: impl Fn(&[u8]) -> H,
    out: &mut [u8],
    len_of: impl Fn(usize) -> Result<usize, Error>,
    fill: impl Fn(&mut [u8], usize) -> usize,
) -> Result<usize, Error> {
    let keys = source.len();
    let mut counted = keys;
    loop {
        let len = len_of(counted)?;
        let repeats = match out.get_mut(..len) {
            Some(filter) => fill(filter, counted),
            None => repeats(source, &hash),
        };
        // Without repeats, one pass over the values is enough.
        if keys - repeats == counted || len_of(keys - repeats)? == len {
            return room(out, len).map(|_| len);
        }
        counted = keys - repeats;
    }
}

/// Returns how many values equal the one before them.
#[inline(never)]
fn repeats<H: HashValue>(source: Source<'_, H>, hash: impl Fn(&[u8]) -> H) -> usize {
    let mut counter = Repeats::default();
    each_batch(source, hash, |hashes| counter.count(hashes));
    counter.repeats
}

/// Counts the values that equal the one before them.
#[derive(Debug, Default)]
pub(crate) struct Repeats<H> {
    last: Option<H>,
    /// The number so far.
    pub(crate) repeats: usize,
}

impl<H: HashValue> Repeats<H> {
    /// Counts further values.
    pub(crate) fn count(&mut self, hashes: &[H]) {
        for &hash in hashes {
            self.repeats += usize::from(self.last.replace(hash) == Some(hash));
        }
    }
}

/// [`for_each_batch`], with as many values in each but the last.
pub(crate) fn batches<H: Copy + Default, const BATCH: usize>(
    mut hashes: impl Iterator<Item = H>,
    mut take: impl FnMut(&[H]),
) -> usize {
    let mut batch = [H::default(); BATCH];
    let mut before = 0_usize;
    loop {
        let mut filled = 0;
        for (slot, hash) in batch.iter_mut().zip(&mut hashes) {
            *slot = hash;
            filled += 1;
        }
        take(batch.get(..filled).unwrap_or_default());
        before = before.saturating_add(filled);
        if filled < BATCH {
            return before;
        }
    }
}

/// Returns the part of `out` that a filter of this length needs.
///
/// # Errors
///
/// [`Error::BufferTooShort`].
#[inline]
pub fn room(out: &mut [u8], needed: usize) -> Result<&mut [u8], Error> {
    let given = out.len();
    out.get_mut(..needed)
        .ok_or(Error::BufferTooShort { needed, given })
}

/// Returns the filter of this length at the start of `out`, to which it was written.
///
/// # Errors
///
/// [`Error::BufferTooShort`].
#[inline]
pub(crate) fn written(out: &mut [u8], len: usize) -> Result<FilterBytes<'_>, Error> {
    room(out, len).map(FilterBytes::from)
}

/// Collects the values, in no more memory than they take if their number is announced.
///
/// # Errors
///
/// [`Error::AllocationFailed`].
#[cfg(feature = "alloc")]
pub(crate) fn collect<H: HashValue>(hashes: impl Iterator<Item = H>) -> Result<Vec<H>, Error> {
    let mut collected = Vec::new();
    let announced = hashes.size_hint().0;
    collected
        .try_reserve_exact(announced)
        .map_err(|_| Error::AllocationFailed {
            bytes: announced.saturating_mul(size_of::<H>()),
        })?;
    for hash in hashes {
        reserve(&mut collected, 1)?;
        collected.push(hash);
    }
    Ok(collected)
}

/// Collects the hash values of these keys.
///
/// # Errors
///
/// [`Error::AllocationFailed`].
#[cfg(feature = "alloc")]
pub(crate) fn hashes<H: HashValue>(
    source: Source<'_, H>,
    hash: impl Fn(&[u8]) -> H,
) -> Result<Vec<H>, Error> {
    match source {
        Source::Keys(keys) => collect(keys.iter().map(hash)),
        Source::Hashes(hashes) => collect(hashes.iter().copied()),
    }
}

/// Appends up to `max_len` bytes to `out`, written in place; `write` returns the number of bytes it wrote. An error
/// leaves `out` unchanged.
///
/// # Errors
///
/// The errors of `write`, and [`Error::AllocationFailed`].
#[cfg(feature = "alloc")]
pub(crate) fn append_with(
    out: &mut Vec<u8>,
    max_len: usize,
    write: impl FnOnce(&mut [u8]) -> Result<usize, Error>,
) -> Result<(), Error> {
    let start = out.len();
    out.try_reserve(max_len)
        .map_err(|_| Error::AllocationFailed { bytes: max_len })?;
    out.resize(start + max_len, 0);
    let written = write(out.get_mut(start..).unwrap_or_default());
    let len = written.as_ref().map_or(0, |&len| len);
    out.truncate(start + len);
    written.map(|_| ())
}

/// Keys one after the other.
#[cfg(feature = "alloc")]
#[derive(Debug, Default)]
pub(crate) struct FlatKeys {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

#[cfg(feature = "alloc")]
impl FlatKeys {
    pub(crate) const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            ends: Vec::new(),
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(crate) fn push(&mut self, key: &[u8]) -> Result<(), Error> {
        reserve(&mut self.bytes, key.len())?;
        reserve(&mut self.ends, 1)?;
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len());
        Ok(())
    }

    pub(crate) fn slices(&self) -> Result<Vec<&[u8]>, Error> {
        let mut slices = Vec::new();
        reserve(&mut slices, self.ends.len())?;
        let mut start = 0;
        for &end in &self.ends {
            // Always inside: the ends never decrease.
            slices.push(self.bytes.get(start..end).unwrap_or_default());
            start = end;
        }
        Ok(slices)
    }

    /// Forgets the keys, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

/// Makes room for more items.
#[cfg(feature = "alloc")]
pub(crate) fn reserve<T>(items: &mut Vec<T>, more: usize) -> Result<(), Error> {
    items.try_reserve(more).map_err(|_| Error::AllocationFailed {
        bytes: items.len().saturating_add(more).saturating_mul(size_of::<T>()),
    })
}

#[cfg(test)]
mod tests;
