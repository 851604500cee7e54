//! Collisions when only some bits of the values are looked at: the low and the high ones, from 8 to 32.
//!
//! Tables take some low or some high bits of a hash and never all of it. Of sorted values, one pass tells the number of
//! different prefixes of every length: two neighbours differ in their first b bits where they have fewer than b leading
//! bits in common. Of the values in reversed bit order the prefixes are the low bits.

use core::ops::{BitXor, RangeInclusive};

use super::collisions::INTERVAL_LEVEL;
use crate::functions::Function;
use crate::record::{WindowEnd, WindowRow};
use crate::stats::collisions::CollisionLaw;
use crate::stats::correction::bonferroni;

/// Widths of the windows at either end.
pub const WIDTHS: RangeInclusive<u32> = 8..=32;

/// A window is asked where the worst that could happen, all keys on one value, is less likely than this by chance: 1 %
/// over 100,000 tests. Otherwise no count could tell anything.
const LEAST_TELLING: f64 = 1e-7;

/// The windows that are asked of a function of `output_bits` bits over `keys` keys, in the order of the rows: low ones,
/// high ones, then all bits. A window of all bits is told once, as [`WindowEnd::Full`].
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

/// Rows of one function, whose values of all keys of the dataset are `values`; `p_adjusted` is that of a lone test until
/// [`judge`] has seen all rows.
pub fn measure(dataset: &str, function: &Function, values: &[u64]) -> Vec<WindowRow> {
    let keys = values.len() as u64;
    let windows = asked(keys, function.output_bits);
    if windows.is_empty() {
        return Vec::new();
    }
    let [low, high] = distinct(values, function.output_bits);
    windows
        .into_iter()
        .map(|(end, bits)| {
            let prefixes = if end == WindowEnd::Low { &low } else { &high };
            let collisions = keys - prefixes[bits as usize];
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

/// Corrects the rows of all functions and datasets for their number.
pub fn judge(rows: &mut [WindowRow]) {
    let tests = rows.len();
    for row in rows {
        row.p_adjusted = bonferroni(row.p_value, tests);
    }
}

/// How many different values the bits at one end take, by the number of bits.
type Distinct = [u64; 65];

/// The different values of the low and of the high bits of `values`, which have `bits` bits; there is at least one.
fn distinct(values: &[u64], bits: u32) -> [Distinct; 2] {
    // Half as wide sorts nearly twice as fast.
    if bits <= u32::BITS {
        let all = |of: &dyn Fn(u32) -> u32| {
            let mut sorted: Vec<u32> = values.iter().map(|&value| of(value as u32)).collect();
            prefixes(&mut sorted, u32::leading_zeros)
        };
        return [all(&u32::reverse_bits), all(&|value| value << (u32::BITS - bits))];
    }
    let all = |of: &dyn Fn(u64) -> u64| {
        let mut sorted: Vec<u64> = values.iter().map(|&value| of(value)).collect();
        prefixes(&mut sorted, u64::leading_zeros)
    };
    [all(&u64::reverse_bits), all(&|value| value << (u64::BITS - bits))]
}

/// The number of different prefixes of each length; beyond the width of the type it stays what it is.
fn prefixes<T>(values: &mut [T], leading_zeros: fn(T) -> u32) -> Distinct
where
    T: Copy + Ord + BitXor<Output = T>,
{
    values.sort_unstable();
    let mut in_common = [0_u64; 65];
    for pair in values.windows(2) {
        if pair[0] != pair[1] {
            in_common[leading_zeros(pair[0] ^ pair[1]) as usize] += 1;
        }
    }
    let mut different = 1;
    core::array::from_fn(|length| {
        if length > 0 {
            different += in_common[length - 1];
        }
        different
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::functions;

    fn function(output_bits: u32) -> Function {
        Function {
            output_bits,
            ..*functions::find("CRC-32").unwrap()
        }
    }

    proptest! {
        #![proptest_config(crate::property::config())]

        #[test]
        fn counts_are_those_of_the_definition(
            values in prop::collection::vec(prop_oneof![0_u64..40, any::<u64>()], 20..60),
            bits in prop_oneof![Just(28_u32), Just(31), Just(32), Just(33), Just(64)],
        ) {
            let values: Vec<u64> = values.iter().map(|value| value >> (64 - bits)).collect();
            let rows = measure("set", &function(bits), &values);
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
        assert_eq!(of(64).len(), 25 + 25 + 1);
        assert_eq!(of(32).len(), 24 + 24 + 1);
        assert_eq!(of(28).len(), 20 + 20 + 1);
        assert_eq!(
            (of(32)[0], of(32)[24], of(32)[48]),
            ((Low, 8), (High, 8), (Full, 32))
        );
        assert_eq!(of(8), [(Full, 8)]);
        assert_eq!(of(5), [(Full, 5)]);
        assert_eq!(asked(0, 32), []);
        assert_eq!(asked(1, 32), []);
        // Two keys of one value: once in 2^bits, and twice that for both sides.
        assert!(asked(2, 64).iter().all(|&(_, bits)| bits >= 25));
        assert!(!asked(2, 64).is_empty());
        // One bit and three keys: as good as certain.
        assert_eq!(asked(3, 1), []);
    }

    #[test]
    fn the_correction_counts_the_rows() {
        let mut rows = measure("set", &function(32), &(0..40_000).collect::<Vec<u64>>());
        judge(&mut rows);
        let high = |row: &&WindowRow| row.end == WindowEnd::High && row.bits == 8;
        // Numbers below 40,000 have nothing in their high bits.
        let row = rows.iter().find(high).unwrap();
        assert_eq!((row.collisions, row.p_adjusted), (39_999, 0.0));
        for row in &rows {
            assert_eq!(row.p_adjusted, (row.p_value * 49.0).min(1.0));
            assert!(row.ci_low <= row.ci_high);
        }
    }
}
