//! The keys, equal for every filter and in both languages.

use bench_kit::databases::hexadecimal;
use bench_kit::random;

/// Seed of the keys, as in `Membership.java`.
const KEY_SEED: u64 = 1;
/// SplitMix64's increment of its state.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// Number of keys generated and then timed together: with their `String` headers about 0.9 MB, which fits in a
/// second-level cache. As in `Membership.java`.
pub(crate) const AT_ONCE: usize = 1 << 14;
/// Index of the first key that no filter has.
pub(crate) const ABSENT: u64 = 1 << 40;

/// Keys with consecutive indexes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keys {
    pub(crate) first: u64,
    pub(crate) count: u64,
}

impl Keys {
    /// Generates the keys part by part.
    pub(crate) fn parts(self) -> impl Iterator<Item = Vec<String>> {
        let numbers = random(KEY_SEED.wrapping_add(self.first.wrapping_mul(STEP)));
        let text = |number| String::from_utf8_lossy(&hexadecimal(number)).into_owned();
        let mut keys = numbers.take(self.count as usize).map(text);
        let parts = std::iter::repeat_with(move || keys.by_ref().take(AT_ONCE).collect());
        parts.take_while(|part: &Vec<String>| !part.is_empty())
    }
}
