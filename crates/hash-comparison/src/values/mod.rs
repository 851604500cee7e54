//! The values of all keys, computed once for all measurements.

pub(crate) mod prefixes;

use std::sync::OnceLock;

use crate::functions::Function;
use crate::keys::KeySet;
use crate::values::prefixes::Prefixes;

/// The values of all keys of a set under a function, in the order of the keys, with all their bits.
#[derive(Debug, Clone)]
pub struct Hashed<'a> {
    /// The function.
    pub function: &'a Function,
    values: Vec<u64>,
    /// Cached, since two measurements use these prefixes and sorting takes longer than hashing.
    low: OnceLock<Prefixes>,
}

impl<'a> Hashed<'a> {
    /// Hashes every key.
    pub fn new(keys: &KeySet, function: &'a Function) -> Self {
        Self::of_values(function, keys.iter().map(function.hash).collect())
    }

    /// Wraps values of `function`, one per key. Bits above the output must be zero.
    pub fn of_values(function: &'a Function, values: Vec<u64>) -> Self {
        Self {
            function,
            values,
            low: OnceLock::new(),
        }
    }

    /// Returns the whole values, one per key.
    pub fn values64(&self) -> &[u64] {
        &self.values
    }

    /// Returns the low 32 bits of the values, one per key: the part that is compared unless stated otherwise.
    pub fn values(&self) -> impl ExactSizeIterator<Item = u32> + Clone {
        self.values.iter().map(|&value| value as u32)
    }

    /// Returns the prefixes of the low 32 bits, the lowest bit first.
    pub(crate) fn low(&self) -> &Prefixes {
        self.low.get_or_init(|| Prefixes::low(&self.values))
    }
}

/// Counts the values in each of `buckets` buckets, of which `bucket` names that of a value.
pub(crate) fn in_buckets(
    values: impl IntoIterator<Item = u64>,
    buckets: u64,
    bucket: impl Fn(u64) -> u64,
) -> Vec<u64> {
    let mut counts = vec![0; buckets as usize];
    for value in values {
        counts[bucket(value) as usize] += 1;
    }
    counts
}
