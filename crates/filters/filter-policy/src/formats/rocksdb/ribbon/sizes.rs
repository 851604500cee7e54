//! The number of slots and columns of a Ribbon filter. Pure arithmetic; its doubles decide stored bytes.

use super::bits::{Shape, WIDTH};

/// The maximum number of keys; larger key sets get a Bloom filter.
///
/// Source of everything here: RocksDB, `util/ribbon_config.{h,cc}`, `util/ribbon_impl.h` and
/// `table/block_based/filter_policy.cc`.
const MAX_ENTRIES: u32 = 950_000_000;

/// Below this many slots, the smaller of a Ribbon and a Bloom filter is written.
const SMALL_SLOTS: u32 = 1024;

/// The minimum number of slots: two blocks.
const MIN_SLOTS: u32 = 2 * WIDTH;

/// The number of keys that fit into 2^8, 2^9, ... 2^17 slots with coefficients of 128 bits if one system in 20 may have
/// no solution (`kOneIn20`).
const KEYS_BY_POWER: [f64; 10] = [
    248.851, 499.532, 1001.26, 2003.97, 4005.59, 8000.39, 15966.6, 31828.1, 63447.3, 126506.0,
];

/// The power of two at which the table starts.
const FIRST_POWER: u32 = 8;

/// The growth of the slots per key for each doubling beyond the table.
const GROWTH: f64 = 0.0038;

/// RocksDB's digits of 1 / ln 2.
#[expect(
    clippy::approx_constant,
    reason = "as RocksDB has it: more digits would be another number"
)]
const LOG2_E: f64 = 1.442_695_040_9;

/// Returns the number of keys that fit into `2^power` slots; 0 for powers below the table.
fn keys_for_power(power: u32) -> f64 {
    let Some(at) = power.checked_sub(FIRST_POWER) else {
        return 0.0;
    };
    if let Some(&keys) = KEYS_BY_POWER.get(at as usize) {
        return keys;
    }
    // Extrapolates from the end of the table, 2^17.
    let base = 131_072.0 / 126_506.0 - 17.0 * GROWTH;
    libm::exp2(f64::from(power)) / (base + f64::from(power) * GROWTH)
}

/// Returns the number of slots for this many keys, before rounding to blocks (`GetNumSlots` in RocksDB).
#[expect(
    clippy::cast_possible_truncation,
    reason = "the logarithm is below 33, the slots below 2^32 for as many keys as filters have; the cast rounds down"
)]
#[expect(clippy::cast_sign_loss, reason = "neither is negative")]
fn slots(keys: u32) -> u32 {
    let mut power = (libm::log(f64::from(keys)) * LOG2_E + 0.5) as u32;
    let keys = f64::from(keys);
    let mut fitting = keys_for_power(power);
    if fitting == 0.0 {
        return MIN_SLOTS;
    }
    let beyond = if keys < fitting {
        let upper = fitting;
        power -= 1;
        fitting = keys_for_power(power);
        upper
    } else {
        keys_for_power(power + 1)
    };
    let portion = (keys - fitting) / (beyond - fitting);
    let at_power = (1_u64 << power) as f64;
    (portion * at_power + at_power + 0.999_999_999) as u32
}

/// Returns the shape for this many keys at a rate of one in `one_in`, with fewer than 2^23 blocks; `None` if there are too
/// many keys, or so few that a Bloom filter with `bloom_bytes` bytes of bits is smaller.
///
/// `entropy` comes from the first key and decides how the number of narrow blocks is rounded: with 0 the filter has the
/// most words, one more than with others.
pub(super) fn shape(keys: u64, one_in: f64, entropy: u32, bloom_bytes: u64) -> Option<Shape> {
    let keys = u32::try_from(keys).ok().filter(|&keys| keys <= MAX_ENTRIES)?;
    let blocks = slots(keys).div_ceil(WIDTH).max(MIN_SLOTS / WIDTH);
    let (columns, narrow) = columns(blocks, one_in, entropy);
    let shape = Shape {
        blocks,
        columns,
        narrow,
    };
    let bloom_is_smaller = shape.slots() < SMALL_SLOTS && bloom_bytes < shape.words() * 16;
    (!bloom_is_smaller).then_some(shape)
}

/// Returns the columns of wide blocks and the number of narrow blocks (`GetBytesForOneInFpRate` in RocksDB).
#[expect(
    clippy::cast_possible_truncation,
    reason = "both are in the range of 32 bits; the casts round down"
)]
#[expect(clippy::cast_sign_loss, reason = "neither is negative")]
fn columns(blocks: u32, one_in: f64, entropy: u32) -> (u32, u32) {
    if one_in > f64::from(u32::MAX) {
        return (u32::BITS, 0);
    }
    // For a rate of one, RocksDB stores a single word without columns. No number of bits per key leads to that rate.
    let fewer = (one_in as u32).max(1).ilog2();
    let rate_of_fewer = libm::exp2(-f64::from(fewer));
    let rate_of_more = rate_of_fewer / 2.0;
    let share_of_fewer = (1.0 / one_in - rate_of_more) / (rate_of_fewer - rate_of_more);
    let starts = f64::from(blocks * WIDTH - (WIDTH - 1));
    let rounding = (f64::from(entropy) + 0.5) / 4_294_967_296.0;
    let narrow = ((share_of_fewer * starts + rounding) / f64::from(WIDTH)) as u32;
    (fewer + 1, narrow)
}

/// Returns the false-positive rate of a stored filter, averaged over the blocks: each column halves the rate.
pub(crate) fn rate_of(shape: Shape) -> f64 {
    let narrow = f64::from(shape.narrow) / f64::from(shape.blocks);
    let rate = libm::exp2(-f64::from(shape.columns));
    // Narrow blocks have one column less and twice the rate.
    rate + narrow * rate
}

/// Returns the false-positive rate that the columns give (`InterleavedSolutionStorage::ExpectedFpRate`).
pub(super) fn expected_rate(shape: Shape) -> f64 {
    // The share of the narrow slots among the starts.
    let narrow = f64::from(shape.narrow * WIDTH) / f64::from(shape.starts());
    libm::exp2(-f64::from(shape.columns)) * (1.0 + narrow.min(1.0))
}

#[cfg(not(emulated))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_rocksdbs() {
        // `BandingConfigHelper1<kOneIn20, 128, false>::GetNumSlots` of librocksdb 7.8.3.
        let golden = include_str!("../../../../tests/data/rocksdb/ribbon_num_slots.jsonl");
        let mut rows = 0;
        for line in golden.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let field = |name: &str| u32::try_from(row.get(name)?.as_u64()?).ok();
            let (keys, expected) = (field("num_to_add").unwrap(), field("num_slots").unwrap());
            assert_eq!(slots(keys), expected, "{keys} keys");
            rows += 1;
        }
        assert_eq!(rows, 27);
    }

    #[test]
    fn more_keys_never_take_less() {
        let mut last = 0;
        for keys in (1..200_000).chain((200_000..950_000_000).step_by(100_003)) {
            let now = slots(keys).max(MIN_SLOTS).next_multiple_of(WIDTH);
            assert!(now >= last && now > keys, "{keys} keys");
            last = now;
        }
    }
}
