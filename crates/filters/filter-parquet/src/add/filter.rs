//! Counts the different values of a column chunk, and builds a filter of the size that they need.

use alloc::vec::Vec;

use filter_policy::parquet::{SplitBlockFilterMut, bitset_len_for_rate};
use filter_policy::view::FilterView;
use filter_policy::{Error, formats};

/// The number of hash values that are collected. Up to half as many different ones are counted.
const COLLECTED: usize = 1 << 21;

/// The wanted rate, and the most bytes of a bit set, a power of two.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) rate: f64,
    pub(super) max: u32,
}

impl Size {
    /// Returns the least power of two that keeps the rate for this many different values, or the most bytes.
    fn bitset_len(self, different: u64) -> usize {
        let len = bitset_len_for_rate(different, self.rate).unwrap_or(u32::MAX);
        len.min(self.max).next_power_of_two() as usize
    }

    /// Returns the memory for the hash values of this many values and for their filter, which is copied when it is folded
    /// and when it gets its header.
    pub(super) fn memory(self, values: u64) -> u64 {
        8 * values.min(COLLECTED as u64) + 2 * self.bitset_len(values) as u64
    }
}

/// The hash values of a column chunk.
pub(super) struct Hashes {
    size: Size,
    values: u64,
    /// A filter with room for all values.
    bitset: Vec<u8>,
    /// The hash values, until there are too many different ones.
    collected: Option<Vec<u64>>,
}

impl Hashes {
    /// Takes the hash values of at most this many values.
    pub(super) fn new(size: Size, values: u64) -> Result<Self, Error> {
        let mut bitset = with_capacity(size.bitset_len(values))?;
        bitset.resize(size.bitset_len(values), 0);
        let collected = usize::try_from(values).map_or(COLLECTED, |values| values.min(COLLECTED));
        let collected = Some(with_capacity(collected)?);
        Ok(Self {
            size,
            values,
            bitset,
            collected,
        })
    }

    pub(super) fn add(&mut self, hashes: &[u64]) {
        if let Some(collected) = &mut self.collected {
            let is_full = collected.len() + hashes.len() > COLLECTED;
            if is_full {
                make_different(collected);
            }
            match is_full && collected.len() > COLLECTED / 2 {
                true => self.collected = None,
                false => collected.extend_from_slice(hashes),
            }
        }
        // The bit set has a valid length.
        if let Ok(mut filter) = SplitBlockFilterMut::new(&mut self.bitset) {
            filter.insert_raw_hashes(hashes.iter().copied());
        }
    }

    /// Returns the filter, which also gets these hash values, the number of different values without those, and true if
    /// they were counted.
    pub(super) fn finish(mut self, also: &[u64]) -> Result<(Vec<u8>, u64, bool), Error> {
        let (different, is_exact) = match self.collected.take() {
            Some(mut collected) => {
                make_different(&mut collected);
                (collected.len() as u64, true)
            }
            None => {
                let view = FilterView::new(formats::SPLIT_BLOCK, &self.bitset);
                // Without an estimate all bits are ones.
                (
                    view.estimated_len().unwrap_or(self.values).min(self.values),
                    false,
                )
            }
        };
        let mut filter = SplitBlockFilterMut::new(&mut self.bitset)?;
        filter.insert_raw_hashes(also.iter().copied());
        Ok((
            filter.fold_to_len(self.size.bitset_len(different))?,
            different,
            is_exact,
        ))
    }
}

/// Sorts hash values, and drops all but one of those that are equal.
fn make_different(hashes: &mut Vec<u64>) {
    hashes.sort_unstable();
    hashes.dedup();
}

fn with_capacity<T>(len: usize) -> Result<Vec<T>, Error> {
    let (mut vector, bytes) = (Vec::new(), len.saturating_mul(size_of::<T>()));
    vector
        .try_reserve_exact(len)
        .map_err(|_| Error::AllocationFailed { bytes })?;
    Ok(vector)
}
