//! The places of a key in a stored filter that is not at hand as a whole: on a server, or in an object store, which
//! reads a few bytes at a time.
//!
//! ```
//! use filter_formats::EngineFormat;
//! use filter_formats::view::places::{LayoutOutline, Places};
//! use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy as _};
//!
//! let policy = BloomFilterPolicy::new(BitsPerKey::whole(10));
//! let filter = policy.build(["hello", "world"])?;
//!
//! // Known of the filter: its length and its last bytes, which are all of so short a one.
//! let outline = LayoutOutline::new(EngineFormat::LEVEL_DB, 9, &filter).expect("not a Ribbon filter");
//! let hash = policy.key_hash(b"hello").expect("a policy that hashes whole keys");
//! let Places::Bits(bits) = outline.places(hash) else { panic!("a Bloom filter") };
//! assert!(bits.iter().all(|bit| filter[(bit / 8) as usize] >> (bit % 8) & 1 == 1));
//! # Ok::<(), filter_policy::Error>(())
//! ```

use alloc::vec::Vec;
use core::ops::Range;

use filter_policy::{HashFunctionId, KeyHash};

use super::EngineFormat;

/// The number of a filter's last bytes that suffice to know the rest of its form, for every layout.
pub const TAIL_LEN: usize = 16;

/// The part of a stored filter that answers for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Places {
    /// Nothing: every key has this answer.
    Same(bool),
    /// These bits of the filter, the least significant of a byte first. The key may match if all are set.
    Bits(Vec<u64>),
    /// These bytes of the filter, from which the outline answers: one range after the other, without gaps.
    Bytes(Vec<Range<u64>>),
}

impl Places {
    /// Returns the places of a hash value in a filter that was read, or the answer of bytes that are none. A hash value
    /// of another function, `None`, may match.
    pub(crate) fn of<F, H>(
        read: Option<F>,
        is_reserved: bool,
        hash: Option<H>,
        of_filter: impl FnOnce(F, H) -> Self,
    ) -> Self {
        match (read, hash) {
            (Some(filter), Some(hash)) => of_filter(filter, hash),
            (read, _) => Self::Same(read.is_some() || is_reserved),
        }
    }

    /// The unit of this length that holds all probes of a key.
    pub(crate) fn unit(index: usize, len: usize) -> Self {
        let (start, len) = (index as u64 * len as u64, len as u64);
        Self::Bytes(core::iter::once(start..start + len).collect())
    }
}

/// The form of a stored filter, without its bits.
#[derive(Debug, Clone, Copy)]
pub struct LayoutOutline {
    format: EngineFormat,
    /// The length; `None` if no slice is so long, or the end is not known.
    len: Option<usize>,
    tail: [u8; TAIL_LEN],
    tail_len: usize,
}

impl LayoutOutline {
    /// Reads the form of a filter from its length and its last bytes: [`TAIL_LEN`], or all if it is shorter. Any bytes
    /// are accepted, with the answers that readers of the whole filter give. Bytes before the last ones do not matter;
    /// with fewer, every key may match.
    ///
    /// Most layouts do not repeat the length in these bytes: with another length than the stored filter's, other places
    /// are read, and stored keys are denied. Take it from where the bytes are, not from a plan.
    ///
    /// Returns `None` for a Ribbon filter: an answer takes a hundred of its bits, which are far apart.
    pub fn new(format: EngineFormat, len: u64, tail: &[u8]) -> Option<Self> {
        // Of a filter that no slice holds, and of one whose end is missing, nothing is known.
        let len = usize::try_from(len).ok();
        let tail_len = len.map_or(TAIL_LEN, |len| len.min(TAIL_LEN));
        let given = tail
            .len()
            .checked_sub(tail_len)
            .and_then(|start| tail.get(start..));
        let mut tail = [0; TAIL_LEN];
        tail.iter_mut()
            .zip(given.unwrap_or_default())
            .for_each(|(byte, given)| *byte = *given);
        let outline = Self {
            format,
            len: len.filter(|_| given.is_some()),
            tail,
            tail_len,
        };
        // The kind of places does not depend on the hash value.
        outline
            .find(KeyHash::new(HashFunctionId::XXPH3, 0_u64))
            .map(|_| outline)
    }

    fn tail(&self) -> &[u8] {
        self.tail.get(..self.tail_len).unwrap_or_default()
    }

    fn find(&self, hash: KeyHash) -> Option<Places> {
        let find = |len| self.format.0.places(len, self.tail(), hash);
        self.len.map_or(Some(Places::Same(true)), find)
    }

    /// Returns the places of a hash value. One of another function may match, as in a reserved filter; LevelDB's layout
    /// is that of all functions with 32 bits, and split blocks that of XXH64 and XXPH3, and Basho's that of two pairs
    /// of hashes: there, the function must be that of the filter's policy.
    pub fn places(&self, hash: KeyHash) -> Places {
        self.find(hash).unwrap_or(Places::Same(true))
    }

    /// Answers for a hash value from the bytes of its [`places`](Self::places), one range after the other; `true` for
    /// more or fewer bytes than those, such as the whole filter, and if the places are bits.
    pub fn may_match(&self, hash: KeyHash, bytes: &[u8]) -> bool {
        match self.places(hash) {
            Places::Same(answer) => answer,
            Places::Bits(_) => true,
            Places::Bytes(ranges) => {
                let len: u64 = ranges.iter().map(|range| range.end - range.start).sum();
                len != bytes.len() as u64 || self.format.0.may_match(self.tail(), hash, bytes)
            }
        }
    }
}
