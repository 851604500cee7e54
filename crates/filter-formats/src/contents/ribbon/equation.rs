//! The equation of a key.

/// Multiplier that spreads a seeded hash value.
///
/// Source of all constants here: RocksDB, `util/ribbon_impl.h`.
const SPREAD: u64 = 0x6193_d459_236a_3a0d;

/// Multiplier from the spread value to coefficients and result.
const EXPAND: u64 = 0xc28f_8282_2b65_0bed;

/// Makes the lower half of the coefficients differ from the upper half.
const LOWER_HALF: u64 = 0xc367_844a_6e52_731d;

/// Multiplier from the stored seed to the used seed.
const SEED: u64 = 0xc782_19a2_3eea_dd03;

/// The number of slots that an equation spans, and of bits in a word of the solution.
pub(super) const WIDTH: u32 = 128;

/// Derives the used seed from the stored one, which has 256 values.
pub(super) const fn used_seed(stored: u8) -> u64 {
    let mixed = (stored as u64).wrapping_mul(SEED);
    (mixed ^ (mixed & 0xf0f0_f0f0_f0f0_f0f0) >> 4) & 0xffff_ffff
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Equation {
    pub(super) start: u32,
    /// The selected slots from `start` on; the lowest bit, which is always set, is the first slot's.
    pub(super) coefficients: u128,
    /// The sum of the selected slots, one bit per column.
    pub(super) result: u32,
}

impl Equation {
    /// Makes the equation of a hash value in a system with this many starts.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the start is below the number of starts; of the result the low half counts"
    )]
    pub(super) const fn new(hash: u64, used_seed: u64, starts: u32) -> Self {
        let spread = (hash ^ used_seed).wrapping_mul(SPREAD);
        let expanded = spread.wrapping_mul(EXPAND);
        Self {
            start: ((spread as u128 * starts as u128) >> 64) as u32,
            coefficients: (expanded as u128) << 64 | (expanded ^ LOWER_HALF) as u128 | 1,
            result: expanded.swap_bytes() as u32,
        }
    }
}
