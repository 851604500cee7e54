//! Counts the different values of a column chunk, and builds a filter of the size that they need.

use alloc::vec;
use alloc::vec::Vec;

use filter_policy::parquet::{SplitBlockFilterMut, bitset_len_for_rate};
use filter_policy::view::FilterView;
use filter_policy::{Error, formats};

/// The most bytes of a bit set that all readers take: Arrow C++ and those that have its reader refuse longer ones, and
/// lengths that are no power of two.
pub(super) const MAX_BITSET: u32 = 1 << 27;
/// The least bytes of a bit set.
pub(super) const MIN_BITSET: u32 = 32;
/// The number of hash values that are collected. Up to half as many different ones are counted exactly.
const COLLECTED: u64 = 1 << 21;

/// The hash values of a column chunk.
pub(super) struct Hashes {
    size: Size,
    /// The number of values that the chunk may have.
    most: u64,
    collected: Collected,
}

enum Collected {
    Each(Vec<u64>),
    /// A filter that has room for all values of the chunk.
    InFilter(Vec<u8>),
}

/// The wanted rate, and the longest bit set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) rate: f64,
    /// A power of two.
    pub(super) max: u32,
}

impl Size {
    /// Returns the least power of two that keeps the rate for this many different values, or the most bytes.
    pub(super) fn bitset_len(self, different: u64) -> u32 {
        let len = bitset_len_for_rate(different, self.rate).unwrap_or(u32::MAX);
        len.min(self.max).next_power_of_two()
    }

    /// Returns the memory for the hash values of this many values.
    pub(super) fn memory(self, values: u64) -> u64 {
        match values <= COLLECTED {
            true => 8 * values + u64::from(self.bitset_len(values)),
            // While the first values go from a list into the filter, both exist, and twice a filter when it is folded.
            false => 8 * COLLECTED + 2 * u64::from(self.bitset_len(values)),
        }
    }
}

/// The filter of a column chunk.
pub(super) struct Finished {
    pub(super) bitset: Vec<u8>,
    pub(super) different: u64,
    pub(super) is_exact: bool,
}

impl Hashes {
    /// Collects the hash values of at most this many values.
    pub(super) const fn new(size: Size, most: u64) -> Self {
        let collected = Collected::Each(Vec::new());
        Self {
            size,
            most,
            collected,
        }
    }

    pub(super) fn add(&mut self, mut hashes: &[u64]) -> Result<(), Error> {
        while !hashes.is_empty() {
            match &mut self.collected {
                Collected::Each(each) => {
                    if each.capacity() == 0 {
                        let capacity = usize::try_from(self.most.min(COLLECTED)).unwrap_or(usize::MAX);
                        let bytes = capacity.saturating_mul(8);
                        each.try_reserve_exact(capacity)
                            .map_err(|_| Error::AllocationFailed { bytes })?;
                    }
                    let room = (each.capacity() - each.len()).min(hashes.len());
                    let (fitting, rest) = hashes.split_at_checked(room).unwrap_or_default();
                    each.extend_from_slice(fitting);
                    hashes = rest;
                    if !rest.is_empty() {
                        make_different(each);
                        if each.len() as u64 > COLLECTED / 2 || each.len() == each.capacity() {
                            let mut bitset = zeros(self.size.bitset_len(self.most))?;
                            SplitBlockFilterMut::new(&mut bitset)?.insert_raw_hashes(each.iter().copied());
                            self.collected = Collected::InFilter(bitset);
                        }
                    }
                }
                Collected::InFilter(bitset) => {
                    SplitBlockFilterMut::new(bitset)?.insert_raw_hashes(hashes.iter().copied());
                    hashes = &[];
                }
            }
        }
        Ok(())
    }

    /// Builds the filter, which also has these hash values.
    pub(super) fn finish(self, also: &[u64]) -> Result<Finished, Error> {
        let Self {
            size,
            most,
            collected,
        } = self;
        match collected {
            Collected::Each(mut each) => {
                make_different(&mut each);
                let different = each.len() as u64;
                let mut bitset = zeros(size.bitset_len(different))?;
                SplitBlockFilterMut::new(&mut bitset)?.insert_raw_hashes(each.iter().chain(also).copied());
                Ok(Finished {
                    bitset,
                    different,
                    is_exact: true,
                })
            }
            Collected::InFilter(mut bitset) => {
                let view = FilterView::new(formats::SPLIT_BLOCK, &bitset);
                // Without an estimate, all bits are ones.
                let different = view.estimated_len().unwrap_or(most).min(most);
                SplitBlockFilterMut::new(&mut bitset)?.insert_raw_hashes(also.iter().copied());
                let len = size.bitset_len(different);
                if (len as usize) < bitset.len() {
                    bitset = SplitBlockFilterMut::new(&mut bitset)?.fold_to_len(len as usize)?;
                }
                Ok(Finished {
                    bitset,
                    different,
                    is_exact: false,
                })
            }
        }
    }
}

/// Sorts hash values and drops all but one of those that are equal.
fn make_different(hashes: &mut Vec<u64>) {
    hashes.sort_unstable();
    hashes.dedup();
}

fn zeros(len: u32) -> Result<Vec<u8>, Error> {
    let (mut zeros, bytes) = (vec![], len as usize);
    zeros
        .try_reserve_exact(bytes)
        .map_err(|_| Error::AllocationFailed { bytes })?;
    zeros.resize(bytes, 0);
    Ok(zeros)
}
