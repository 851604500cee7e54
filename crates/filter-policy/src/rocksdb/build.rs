//! How filters are built whose size depends on how many hash values differ from the one before them.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::batches::for_each_batch;
use crate::error::Error;
#[cfg(feature = "alloc")]
use crate::policy::append_with;

/// A filter whose size follows from the number of its hash values.
pub(super) trait Layout {
    /// The hash value of a key.
    type Hash: Copy + Default + PartialEq;

    /// The length of the filter of so many values, its tail included.
    fn filter_len(&self, entries: usize) -> usize;

    /// An empty filter for so many values: `filter` has the length that they take.
    fn start(&self, entries: usize, filter: &mut [u8]);

    /// Adds values to a filter that was started, as often as there are any.
    fn insert(&self, filter: &mut [u8], hashes: &[Self::Hash]);
}

/// Writes the filter of these values to the start of `out` and returns the part written.
pub(super) fn build_in<'out, L, I>(
    layout: &L,
    hashes: I,
    out: &'out mut [u8],
) -> Result<&'out mut [u8], Error>
where
    L: Layout,
    I: Iterator<Item = L::Hash> + Clone,
{
    let mut entries = hashes.size_hint().0;
    // Values are taken once where none equals the one before it. Where the filter becomes smaller than the number of
    // values tells, or that does not fit, they are counted first.
    if layout.filter_len(entries) <= out.len() {
        let kept = write(layout, entries, hashes.clone(), out)?;
        if layout.filter_len(kept) == layout.filter_len(entries) {
            return Ok(out.get_mut(..layout.filter_len(kept)).unwrap_or_default());
        }
        entries = kept;
    } else {
        entries = for_each_batch(without_repeats(hashes.clone()), |_| ());
    }
    write(layout, entries, hashes, out)?;
    Ok(out.get_mut(..layout.filter_len(entries)).unwrap_or_default())
}

/// Appends the filter of these values to `out`.
#[cfg(feature = "alloc")]
pub(super) fn append<L: Layout>(
    layout: &L,
    hashes: impl Iterator<Item = L::Hash>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let hashes = collect(hashes)?;
    let len = layout.filter_len(hashes.len());
    append_with(out, len, |room| {
        layout.start(hashes.len(), room);
        layout.insert(room, &hashes);
        Ok(len)
    })
}

/// Writes a filter sized for so many values, and returns how many there were.
fn write<L: Layout>(
    layout: &L,
    entries: usize,
    hashes: impl Iterator<Item = L::Hash>,
    out: &mut [u8],
) -> Result<usize, Error> {
    let needed = layout.filter_len(entries);
    let given = out.len();
    let filter = out
        .get_mut(..needed)
        .ok_or(Error::BufferTooShort { needed, given })?;
    layout.start(entries, filter);
    Ok(for_each_batch(without_repeats(hashes), |batch| {
        layout.insert(filter, batch);
    }))
}

/// Values but for those that equal the one before them, which RocksDB drops as keys are added
/// (`XXPH3FilterBitsBuilder::AddKey`): equal keys follow each other where keys are sorted.
fn without_repeats<H: Copy + PartialEq>(hashes: impl Iterator<Item = H>) -> impl Iterator<Item = H> {
    let mut last = None;
    hashes.filter(move |&hash| last.replace(hash) != Some(hash))
}

/// The values without repeats.
#[cfg(feature = "alloc")]
pub(super) fn collect<H: Copy + PartialEq>(hashes: impl Iterator<Item = H>) -> Result<Vec<H>, Error> {
    let mut collected = Vec::new();
    for hash in without_repeats(hashes) {
        if collected.len() == collected.capacity() {
            // Grows by doubling; the iterator's hint is not believed, it may ask for all of the memory.
            collected.try_reserve(1).map_err(|_| Error::AllocationFailed {
                bytes: collected.len().saturating_add(1).saturating_mul(size_of::<H>()),
            })?;
        }
        collected.push(hash);
    }
    Ok(collected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_follows_at_once_is_a_repeat() {
        // Zero is a value as any other.
        assert!(without_repeats([0, 0, 1, 0, 0, 2].into_iter()).eq([0, 1, 0, 2]));
    }
}
