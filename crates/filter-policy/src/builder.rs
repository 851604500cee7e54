//! Writes a filter into a caller's slice, one hash value after the other.
//!
//! Knows nothing of keys or of where hash values come from.

use core::num::NonZeroU64;

use crate::arch::{self, Chosen};
use crate::batches::for_each_batch;
use crate::error::Error;
use crate::params::BitsPerKey;
use crate::probe::ProbeSequence;

/// A filter under construction in a caller's slice.
///
/// The policies build through it; it is public for callers whose keys come one at a time. The slice holds a
/// valid filter of the hash values inserted so far at every moment.
///
/// ```
/// use filter_policy::{BitsPerKey, FilterBuilder, FilterView};
///
/// let mut buffer = [0; 16];
/// let mut builder = FilterBuilder::new(BitsPerKey::whole(10), 2, &mut buffer)?;
/// builder.insert_hash(0x1234_5678);
/// builder.insert_hash(0x9abc_def0);
/// let filter = builder.finish();
/// assert_eq!(filter.len(), 9);
/// assert!(FilterView::new(filter).may_match_hash(0x1234_5678));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug)]
pub struct FilterBuilder<'out> {
    filter: &'out mut [u8],
    sequence: ProbeSequence,
    kernel: Chosen,
}

impl<'out> FilterBuilder<'out> {
    /// An empty filter, sized for `keys` keys, at the start of `out`; the rest of `out` stays as it is.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] when no slice could hold the filter, [`Error::BufferTooShort`] when `out`
    /// cannot; `out` is then unchanged.
    pub fn new(bits_per_key: BitsPerKey, keys: usize, out: &'out mut [u8]) -> Result<Self, Error> {
        let needed = bits_per_key.filter_len(keys)?;
        let given = out.len();
        let too_short = Error::BufferTooShort { needed, given };
        let filter = out.get_mut(..needed).ok_or(too_short)?;
        filter.fill(0);
        let (last, bit_array) = filter.split_last_mut().ok_or(too_short)?;
        let bits = NonZeroU64::new(bit_array.len() as u64 * 8).ok_or(too_short)?;
        *last = bits_per_key.probe_count();
        Ok(Self {
            filter,
            sequence: ProbeSequence::new(bits, bits_per_key.probe_count()),
            kernel: Chosen::best(),
        })
    }

    /// The same, with the instructions of the caller's choice for [`extend`](Extend::extend).
    pub(crate) const fn on_kernel(mut self, kernel: Chosen) -> Self {
        self.kernel = kernel;
        self
    }

    /// Adds a key by its hash value. More keys than the filter was sized for cost accuracy, never a key.
    #[inline]
    pub fn insert_hash(&mut self, hash: u32) {
        for position in self.sequence.positions(hash) {
            // Never absent: positions are below the number of bits.
            if let Some(byte) = self.filter.get_mut((position / 8) as usize) {
                *byte |= 1 << (position % 8);
            }
        }
    }

    /// The finished filter.
    pub fn finish(self) -> &'out mut [u8] {
        self.filter
    }
}

impl Extend<u32> for FilterBuilder<'_> {
    /// Adds keys by their hash values; several at a time, which is faster than one by one.
    fn extend<I: IntoIterator<Item = u32>>(&mut self, hashes: I) {
        let (kernel, probes) = (self.kernel, self.sequence.probes());
        let Some((_, bit_array)) = self.filter.split_last_mut() else {
            return;
        };
        for_each_batch(hashes.into_iter(), |hashes| {
            arch::insert(kernel, hashes, probes, bit_array);
        });
    }
}
