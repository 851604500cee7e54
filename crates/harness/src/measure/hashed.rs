//! The values of all keys, computed once for all measurements.

use crate::functions::Function;
use crate::keys::KeySet;

/// The low 32 bits of a function's values of all keys of a set, in the order of the keys.
#[derive(Debug, Clone)]
pub struct Hashed<'a> {
    /// The function.
    pub function: &'a Function,
    /// One value a key.
    pub values: Vec<u32>,
}

impl<'a> Hashed<'a> {
    /// Hashes every key.
    pub fn new(keys: &KeySet, function: &'a Function) -> Self {
        Self {
            function,
            values: keys.iter().map(|key| function.compared(key)).collect(),
        }
    }
}
