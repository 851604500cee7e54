//! How many slots and columns a Ribbon filter gets. Pure arithmetic; its doubles decide stored bytes.

use super::equation::WIDTH;

/// More keys than this get a Bloom filter.
///
/// Source of everything here: RocksDB, `util/ribbon_config.{h,cc}`, `util/ribbon_impl.h` and
/// `table/block_based/filter_policy.cc`.
pub(crate) const MAX_ENTRIES: usize = 950_000_000;

/// Below so many slots the smaller of the two kinds is written.
pub(crate) const SMALL_SLOTS: u32 = 1024;

/// The fewest slots: two blocks.
const MIN_SLOTS: u32 = 2 * WIDTH;

/// How many keys fit into 2^8, 2^9, ... 2^17 slots if one system in 20 may be without solution (`kOneIn20`, 128 bits).
const KEYS_BY_POWER: [f64; 10] = [
    248.851, 499.532, 1001.26, 2003.97, 4005.59, 8000.39, 15966.6, 31828.1, 63447.3, 126506.0,
];

/// The power of two that the table starts with.
const FIRST_POWER: u32 = 8;

/// What the slots per key grow by for each doubling beyond the table.
const GROWTH: f64 = 0.0038;

/// RocksDB's digits of 1 / ln 2.
#[expect(
    clippy::approx_constant,
    reason = "as RocksDB has it: more digits would be another number"
)]
const LOG2_E: f64 = 1.442_695_040_9;

/// How many keys fit into `2^power` slots; 0 where systems are too small to say.
fn keys_for_power(power: u32) -> f64 {
    let Some(at) = power.checked_sub(FIRST_POWER) else {
        return 0.0;
    };
    if let Some(&keys) = KEYS_BY_POWER.get(at as usize) {
        return keys;
    }
    // Continues where the table ends, at 2^17.
    let base = 131_072.0 / 126_506.0 - 17.0 * GROWTH;
    libm::exp2(f64::from(power)) / (base + f64::from(power) * GROWTH)
}

/// How many slots so many keys take, before rounding to blocks: `GetNumSlots` of RocksDB.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the logarithm is below 33, the slots below 2^32 for as many keys as filters have; the cast rounds down"
)]
#[expect(clippy::cast_sign_loss, reason = "neither is negative")]
pub(super) fn slots(keys: u32) -> u32 {
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

/// The size of a Ribbon filter, or of the system that makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Blocks of 128 slots, at least two.
    pub(crate) blocks: u32,
    /// Columns of the blocks from `narrow` on, 1 to 32.
    pub(crate) columns: u32,
    /// How many blocks, from the first on, have one column less.
    pub(crate) narrow: u32,
}

impl Shape {
    /// The shape for so many keys, at least one and at most [`MAX_ENTRIES`], at a rate of one in `one_in`.
    ///
    /// `entropy` is of the first key: where the rate asks for part of a block, it decides whether the block is a wide
    /// one.
    pub(crate) fn new(keys: u32, one_in: f64, entropy: u32) -> Self {
        let blocks = slots(keys).div_ceil(WIDTH).max(MIN_SLOTS / WIDTH);
        let (columns, narrow) = columns(blocks, one_in, entropy);
        Self {
            blocks,
            columns,
            narrow,
        }
    }

    /// The number of slots: below 2^31, as the blocks are below 2^23.
    pub(crate) const fn slots(self) -> u32 {
        self.blocks * WIDTH
    }

    /// The slots that an equation can start from.
    pub(crate) const fn starts(self) -> u32 {
        self.slots() - (WIDTH - 1)
    }

    /// Columns of a block.
    #[cfg(feature = "alloc")]
    pub(crate) const fn columns_of(self, block: u32) -> u32 {
        self.columns - (block < self.narrow) as u32
    }

    /// Words of 16 bytes that the solution takes.
    pub(crate) const fn words(self) -> u64 {
        self.blocks as u64 * self.columns as u64 - self.narrow as u64
    }
}

/// The columns of wide blocks, and how many blocks are narrow (`GetBytesForOneInFpRate`).
#[expect(
    clippy::cast_possible_truncation,
    reason = "both are in the range of 32 bits; the casts round down"
)]
#[expect(clippy::cast_sign_loss, reason = "neither is negative")]
fn columns(blocks: u32, one_in: f64, entropy: u32) -> (u32, u32) {
    if one_in > f64::from(u32::MAX) {
        return (u32::BITS, 0);
    }
    // A rate of one has no bits: RocksDB then stores a single word. No bits per key lead there.
    let fewer = (one_in as u32).max(1).ilog2();
    let rate_of_fewer = libm::exp2(-f64::from(fewer));
    let rate_of_more = rate_of_fewer / 2.0;
    let share_of_fewer = (1.0 / one_in - rate_of_more) / (rate_of_fewer - rate_of_more);
    let starts = f64::from(blocks * WIDTH - (WIDTH - 1));
    let rounding = (f64::from(entropy) + 0.5) / 4_294_967_296.0;
    let narrow = ((share_of_fewer * starts + rounding) / f64::from(WIDTH)) as u32;
    (fewer + 1, narrow)
}

/// What is known of a Ribbon filter before its keys are.
pub(crate) struct RibbonSize {
    /// Words of 16 bytes, or one more than there are, by the first key's hash.
    pub(crate) words: u64,
    /// The false-positive rate that its columns give (`InterleavedSolutionStorage::ExpectedFpRate`).
    pub(crate) rate: f64,
}

/// The size for so many keys at a rate of one in `one_in`; `None` where a Bloom filter with so many bytes of bits is
/// written.
pub(crate) fn size(keys: u64, one_in: f64, bloom_bytes: u64) -> Option<RibbonSize> {
    let entries = u32::try_from(keys)
        .ok()
        .filter(|&keys| keys as usize <= MAX_ENTRIES)?;
    let shape = Shape::new(entries, one_in, 0);
    let words = shape.words();
    let bloom_is_smaller = shape.slots() < SMALL_SLOTS && bloom_bytes < words * 16;
    (!bloom_is_smaller).then(|| {
        let rate_of_wide = libm::exp2(-f64::from(shape.columns));
        // Of the slots that equations start from.
        let narrow = f64::from(shape.narrow * WIDTH) / f64::from(shape.starts());
        RibbonSize {
            words,
            rate: rate_of_wide * (1.0 + narrow.min(1.0)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_rocksdbs() {
        // `BandingConfigHelper1<kOneIn20, 128, false>::GetNumSlots` of librocksdb 7.8.3.
        let golden = include_str!("../../../tests/data/rocksdb/ribbon_num_slots.jsonl");
        let mut rows = 0;
        for line in golden.lines() {
            let field = |name: &str| -> u32 {
                let (_, rest) = line.split_once(name).unwrap();
                let digits = rest.trim_start_matches(['"', ':']);
                digits
                    .split(|c: char| !c.is_ascii_digit())
                    .next()
                    .and_then(|digits| digits.parse().ok())
                    .unwrap()
            };
            let keys = field("num_to_add");
            assert_eq!(slots(keys), field("num_slots"), "{keys} keys");
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
