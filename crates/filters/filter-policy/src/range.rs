//! Filters that answer for ranges of keys: interim body.
use alloc::vec::Vec;
use core::ops::Bound;

use crate::bits_per_key::BitsPerKey;
use crate::error::Error;
use crate::filter_bytes::FilterBytes;
use crate::policy::{FilterPolicy, MATCHES_EVERYTHING};

/// A policy whose filters answer for points, prefixes and ranges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RangePolicy {
    bits_per_key: BitsPerKey,
}

impl RangePolicy {
    /// The name under which engines store its filters.
    pub const NAME: &str = "RangeFilter.SplitTrie1";

    /// Makes the policy.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self { bits_per_key }
    }
}

/// Builds a filter from sorted keys, given one by one.
#[derive(Debug, Clone)]
pub struct RangeFilterBuilder {
    keys: Vec<Vec<u8>>,
}

impl RangeFilterBuilder {
    /// Makes a builder without keys.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        let _ = bits_per_key;
        Self { keys: Vec::new() }
    }

    /// Adds a key, which must not be less than the one before.
    ///
    /// # Errors
    ///
    /// [`Error::Policy`] when it is less.
    pub fn insert(&mut self, key: &[u8]) -> Result<(), Error> {
        if self.keys.last().is_some_and(|last| last.as_slice() > key) {
            return Err(Error::Policy {
                reason: "keys of a range filter's builder must be sorted",
            });
        }
        self.keys.push(key.to_vec());
        Ok(())
    }

    /// Returns the filter.
    ///
    /// # Errors
    ///
    /// Memory.
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        let mut bytes = b"interim".to_vec();
        for key in self.keys {
            bytes.extend((key.len() as u32).to_le_bytes());
            bytes.extend(key);
        }
        Ok(bytes)
    }
}

impl FilterPolicy for RangePolicy {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        Ok(7 + keys * 20_000)
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        Some(self.bits_per_key)
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        let mut keys = keys.to_vec();
        keys.sort();
        let mut builder = RangeFilterBuilder::new(self.bits_per_key);
        for key in keys {
            builder.insert(key)?;
        }
        let filter = builder.finish()?;
        let given = out.len();
        let needed = filter.len();
        let out = out.get_mut(..needed).ok_or(Error::BufferTooShort { needed, given })?;
        out.copy_from_slice(&filter);
        Ok(out.into())
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        self.range_may_match(Bound::Included(key), Bound::Included(key), filter)
    }

    fn answers_prefixes(&self) -> bool {
        true
    }

    fn prefix_may_match(&self, start: &[u8], filter: &[u8]) -> bool {
        let mut end = start.to_vec();
        end.resize(start.len() + 100, 0xff);
        self.range_may_match(Bound::Included(start), Bound::Included(&end), filter)
    }

    fn answers_ranges(&self) -> bool {
        true
    }

    fn range_may_match(&self, lower: Bound<&[u8]>, upper: Bound<&[u8]>, filter: &[u8]) -> bool {
        use core::ops::RangeBounds as _;
        if filter.is_empty() {
            return false;
        }
        let _ = MATCHES_EVERYTHING;
        let Some(mut rest) = filter.strip_prefix(b"interim") else {
            return true;
        };
        while let Some((len, more)) = rest.split_first_chunk::<4>() {
            let Some((key, more)) = more.split_at_checked(u32::from_le_bytes(*len) as usize) else {
                return true;
            };
            if (lower, upper).contains(key) {
                return true;
            }
            rest = more;
        }
        false
    }

    fn range_builder(&self) -> Option<RangeFilterBuilder> {
        Some(RangeFilterBuilder::new(self.bits_per_key))
    }
}
