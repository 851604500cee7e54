//! The values of all keys, computed once for all measurements.

use crate::functions::Function;
use crate::keys::{KEYS_UNWATCHED, KeySet};
use terminal::progress::{Cancelled, Progress, go_on};

/// The values of all keys of a set under a function, in the order of the keys, with all their bits.
#[derive(Debug, Clone)]
pub struct Hashed<'a> {
    /// The function.
    pub function: &'a Function,
    values: Vec<u64>,
}

impl<'a> Hashed<'a> {
    /// Hashes every key, unless `progress` requests a stop.
    pub fn new(keys: &KeySet, function: &'a Function, progress: &dyn Progress) -> Result<Self, Cancelled> {
        let mut values = Vec::with_capacity(keys.len());
        for (index, key) in keys.iter().enumerate() {
            if index % KEYS_UNWATCHED == 0 {
                go_on(progress)?;
            }
            values.push((function.hash)(key));
        }
        Ok(Self::of_values(function, values))
    }

    /// Wraps values of `function`, one per key. Bits above the output must be zero.
    pub fn of_values(function: &'a Function, values: Vec<u64>) -> Self {
        Self { function, values }
    }

    /// Returns the whole values, one per key.
    pub fn values64(&self) -> &[u64] {
        &self.values
    }
}
