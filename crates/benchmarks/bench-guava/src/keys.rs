//! The keys, equal for every filter and in both languages, and random words for filters that are not built from keys.

use bench_kit::databases::hexadecimal;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Seed of the keys, as in `Membership.java`.
const KEY_SEED: u64 = 1;
/// Seed of random words.
pub(crate) const WORD_SEED: u64 = 2;
/// SplitMix64's increment of its state.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// Number of keys generated and then timed together: with their `String` headers about 0.9 MB, which fits in a
/// second-level cache. As in `Membership.java`.
pub(crate) const AT_ONCE: usize = 1 << 14;
/// Index of the first key that no filter has.
pub(crate) const ABSENT: u64 = 1 << 40;

/// Keys with consecutive indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keys {
    pub(crate) first: u64,
    pub(crate) count: u64,
}

impl Keys {
    /// Generates the keys part by part into `part`, and passes each part to `use_it`.
    pub(crate) fn for_each_part(self, part: &mut Vec<String>, mut use_it: impl FnMut(&[String])) {
        let mut random = SplitMix64::seed_from_u64(KEY_SEED.wrapping_add(self.first.wrapping_mul(STEP)));
        let mut left = self.count;
        while left > 0 {
            let length = left.min(AT_ONCE as u64);
            left -= length;
            part.clear();
            part.extend((0..length).map(|_| {
                hexadecimal(random.next_u64())
                    .map(char::from)
                    .iter()
                    .collect::<String>()
            }));
            use_it(part);
        }
    }
}
