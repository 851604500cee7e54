//! The values of all keys, computed once for all measurements.

mod different;

use std::sync::OnceLock;

use crate::functions::Function;
use crate::keys::KeySet;
use crate::record::End;
use crate::values::different::Different;

/// The values of all keys of a set under a function, in the order of the keys, with all their bits.
#[derive(Debug, Clone)]
pub struct Hashed<'a> {
    /// The function.
    pub function: &'a Function,
    values: Vec<u64>,
    /// Counted once, since sorting takes longer than hashing.
    different: OnceLock<Different>,
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
            different: OnceLock::new(),
        }
    }

    /// Returns the whole values, one per key.
    pub fn values64(&self) -> &[u64] {
        &self.values
    }

    /// Returns the number of different values of `bits` bits at an end, at most 32, or of all bits.
    pub fn different(&self, end: End, bits: u32) -> u64 {
        let count = || Different::of(&self.values, self.function.output_bits);
        self.different.get_or_init(count).at(end, bits)
    }
}
