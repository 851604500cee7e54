//! The values of all keys, computed once for all measurements.

use std::sync::OnceLock;

use super::prefixes::Prefixes;
use crate::functions::Function;
use crate::keys::KeySet;

/// A function's values of all keys of a set, in the order of the keys, all their bits.
#[derive(Debug, Clone)]
pub struct Hashed<'a> {
    /// The function.
    pub function: &'a Function,
    values: Vec<u64>,
    /// Two measurements ask for them, and sorting takes longer than hashing.
    low: OnceLock<Prefixes>,
}

impl<'a> Hashed<'a> {
    /// Hashes every key.
    pub fn new(keys: &KeySet, function: &'a Function) -> Self {
        Self::of_values(function, keys.iter().map(function.hash).collect())
    }

    /// Values that `function` gave, one a key; bits above its output are zero.
    pub fn of_values(function: &'a Function, values: Vec<u64>) -> Self {
        Self {
            function,
            values,
            low: OnceLock::new(),
        }
    }

    /// The whole values, one a key.
    pub fn values64(&self) -> &[u64] {
        &self.values
    }

    /// The low 32 bits of the values, one a key: what is compared where nothing else is said.
    pub fn values(&self) -> impl ExactSizeIterator<Item = u32> + Clone {
        self.values.iter().map(|&value| value as u32)
    }

    /// The prefixes of the low 32 bits, the lowest bit first.
    pub(super) fn low(&self) -> &Prefixes {
        self.low.get_or_init(|| Prefixes::low(&self.values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions;

    #[test]
    fn all_bits_are_kept_and_the_low_half_is_compared() {
        let keys: KeySet = ["", "a", "foobar"].into_iter().collect();
        let hashed = Hashed::new(&keys, functions::find("FNV-1a 64").unwrap());
        let whole = [
            0xcbf2_9ce4_8422_2325,
            0xaf63_dc4c_8601_ec8c,
            0x8594_4171_f739_67e8,
        ];
        assert_eq!(hashed.values64(), whole);
        assert!(hashed.values().eq(whole.map(|value: u64| value as u32)));
    }
}
