//! Collisions in windows of the values: the low and the high bits, from 8 to 32, and all bits.
//!
//! Tables use some low or some high bits of a hash, never all of them.

use core::ops::RangeInclusive;

use crate::chance::INTERVAL_LEVEL;
use crate::questions::{WindowEnd, WindowRow};
use crate::values::Hashed;
use crate::values::prefixes::{self, Prefixes};
use statistics::collisions::CollisionLaw;

/// Widths of the windows at either end.
pub const WIDTHS: RangeInclusive<u32> = 8..=32;

/// A window is tested only if its worst outcome, all keys on one value, is less likely than this by chance: 1 % over
/// 100,000 tests. In other windows no count could tell anything.
const LEAST_TELLING: f64 = 1e-7;

/// Returns the windows that are tested for a function of `output_bits` bits over `keys` keys, in the order of the rows:
/// low ones, high ones, then all bits. The window of all bits occurs once, as [`WindowEnd::Full`].
pub fn asked(keys: u64, output_bits: u32) -> Vec<(WindowEnd, u32)> {
    let telling = |bits: u32| keys > 1 && CollisionLaw::new(keys, bits).two_sided_p(keys - 1) < LEAST_TELLING;
    let narrow = |end| {
        WIDTHS
            .filter(move |&bits| bits < output_bits)
            .map(move |bits| (end, bits))
    };
    narrow(WindowEnd::Low)
        .chain(narrow(WindowEnd::High))
        .chain([(WindowEnd::Full, output_bits)])
        .filter(|&(_, bits)| telling(bits))
        .collect()
}

/// Returns the rows of one function, whose values of all keys of the dataset are `hashed`. `p_adjusted` is that of a
/// single test until all rows are judged.
pub fn measure(dataset: &str, hashed: &Hashed<'_>) -> Vec<WindowRow> {
    let (function, values) = (hashed.function, hashed.values64());
    let keys = values.len() as u64;
    let windows = asked(keys, function.output_bits);
    if windows.is_empty() {
        return Vec::new();
    }
    let (low, high) = (hashed.low(), Prefixes::high(values, function.output_bits));
    windows
        .into_iter()
        .map(|(end, bits)| {
            let different = match end {
                WindowEnd::Low => low.different(bits),
                WindowEnd::High => high.different(bits),
                WindowEnd::Full => prefixes::distinct(values, bits, &high),
            };
            let collisions = keys - different;
            let law = CollisionLaw::new(keys, bits);
            let p_value = law.two_sided_p(collisions);
            let (ci_low, ci_high) = law.mean_interval(collisions, INTERVAL_LEVEL);
            WindowRow {
                dataset: dataset.to_owned(),
                function: function.name.to_owned(),
                end,
                bits,
                keys,
                collisions,
                expected: law.expected(),
                p_value,
                ci_low,
                ci_high,
                p_adjusted: p_value,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::functions::Function;

    proptest! {
        #![proptest_config(crate::property::config())]

        #[test]
        fn counts_are_those_of_the_definition(
            values in prop::collection::vec(prop_oneof![0_u64..40, any::<u64>()], 20..60),
            bits in prop::sample::select(vec![28_u32, 31, 32, 33, 64]),
        ) {
            let values: Vec<u64> = values.iter().map(|value| value >> (64 - bits)).collect();
            let function = Function::custom("f", bits, |_| 0, &[]);
            let rows = measure("set", &Hashed::of_values(&function, values.clone()));
            prop_assert_eq!(rows.len(), asked(values.len() as u64, bits).len());
            for row in rows {
                let window = |value: u64| match row.end {
                    WindowEnd::High => value >> (bits - row.bits),
                    WindowEnd::Low | WindowEnd::Full => value & (u64::MAX >> (64 - row.bits)),
                };
                let different: HashSet<u64> = values.iter().map(|&value| window(value)).collect();
                prop_assert_eq!(row.collisions, (values.len() - different.len()) as u64);
            }
        }
    }

    #[test]
    fn every_width_is_asked_once_where_keys_can_tell() {
        use WindowEnd::{Full, High, Low};
        let of = |bits| asked(1_000_000, bits);
        assert_eq!(
            [64, 32, 28].map(|bits| of(bits).len()),
            [25 + 25 + 1, 24 + 24 + 1, 20 + 20 + 1]
        );
        assert_eq!(
            [0, 24, 48].map(|place| of(32)[place]),
            [(Low, 8), (High, 8), (Full, 32)]
        );
        assert_eq!([of(8), of(5)], [[(Full, 8)], [(Full, 5)]]);
        // Two keys of one value: once in 2^bits, and twice that for both sides.
        assert!(!asked(2, 64).is_empty() && asked(2, 64).iter().all(|&(_, bits)| bits >= 25));
        // One bit and three keys: all keys on one value are too likely.
        for (keys, bits) in [(0, 32), (1, 32), (3, 1)] {
            assert_eq!(asked(keys, bits), [], "{keys} {bits}");
        }
    }
}
