//! Verdicts on hash tables with chains.

use super::OccupancyRow;
use super::measure::compared;
use crate::chance::FAR_WORSE_RATIO;
use crate::record::{FunctionSummary, Verdict};
use statistics::buckets::BucketLaw;
use statistics::correction::{FAMILY_LEVEL, bonferroni};

/// The tests of a row: compared keys, the fullest bucket, empty buckets.
pub(super) const TESTS_IN_ROW: usize = 3;

/// Judges the rows of a run about these functions.
pub fn judge(rows: &mut [OccupancyRow], functions: &[FunctionSummary]) {
    let tests = rows.len() * TESTS_IN_ROW;
    let surprises = |p: f64| bonferroni(p, tests) < FAMILY_LEVEL;
    for row in rows {
        let function = functions.iter().find(|one| one.name == row.function);
        let (keys, buckets) = (row.keys, row.buckets);
        let law = BucketLaw::remainders(keys, buckets, function.map_or(64, |one| one.output_bits));
        let all_pairs = (u128::from(keys) * u128::from(keys - 1) / 2) as u64;
        let (hit_low, hit_high) = band(law.pairs(), all_pairs, |count| surprises(law.pairs_p(count)));
        let (empty_low, empty_high) = band(law.empty(), buckets, |count| surprises(law.empty_p(count)));
        (_, row.longest_high) = band(law.longest(), keys, |count| surprises(law.longest_p(count)));
        [row.hit_low, row.hit_high] = [hit_low, hit_high].map(|pairs| compared(pairs as f64, keys));
        [row.empty_low, row.empty_high] = [empty_low, empty_high].map(|count| count as f64 / buckets as f64);
        let least = row.hit_p.min(row.longest_p).min(row.empty_p);
        row.p_adjusted = bonferroni(least, tests);
        let more_pairs = surprises(row.hit_p) && row.hit > row.hit_expected;
        let more_empty = surprises(row.empty_p) && row.empty > row.empty_expected;
        row.verdict = if more_pairs && row.hit - 1.0 >= FAR_WORSE_RATIO * (row.hit_expected - 1.0) {
            Verdict::FarWorseThanChance
        } else if more_pairs || more_empty || surprises(row.longest_p) {
            Verdict::WorseThanChance
        } else if surprises(least) {
            Verdict::FewerThanChance
        } else {
            Verdict::WithinChance
        };
    }
}

/// Returns the least and the largest count that is no surprise, from 0 to `most`, around `middle`.
fn band(middle: f64, most: u64, is_surprise: impl Fn(u64) -> bool) -> (u64, u64) {
    let middle = (middle as u64).min(most);
    let last = |mut inside: u64, end: u64, towards: fn(u64, u64) -> u64| {
        // Leaves the band in growing steps, then bisects back to its edge.
        let mut step = 1;
        let mut outside = loop {
            let next = towards(inside, step.min(inside.abs_diff(end)));
            if next == inside {
                return inside;
            }
            if is_surprise(next) {
                break next;
            }
            inside = next;
            step *= 2;
        };
        while inside.abs_diff(outside) > 1 {
            let between = inside.midpoint(outside);
            if is_surprise(between) {
                outside = between;
            } else {
                inside = between;
            }
        }
        inside
    };
    (
        last(middle, 0, |at, by| at - by),
        last(middle, most, |at, by| at + by),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::Function;
    use crate::questions::tables::measure;
    use crate::record::Choice;
    use crate::values::Hashed;

    fn judged(values: Vec<u64>, bits: u32) -> Vec<OccupancyRow> {
        let function = Function::custom("f", bits, |_| 0, &[]);
        let mut rows = measure("d", &Hashed::of_values(&function, values));
        judge(&mut rows, &[function.summary()]);
        rows
    }

    #[test]
    fn figures_by_hand() {
        // A hundred keys: 40 in bucket 0 of 64 and the others one to a bucket.
        let rows = judged(
            (0..100).map(|i| if i < 40 { 64 * i } else { i - 39 }).collect(),
            32,
        );
        let low = &rows[0];
        assert_eq!(
            (low.choice, low.buckets, low.keys, low.longest),
            (Choice::LowBits, 64, 100, 40)
        );
        for (found, expected) in [(low.hit, 8.8), (low.miss, 100.0 / 64.0), (low.empty, 3.0 / 64.0)] {
            assert!((found - expected).abs() < 1e-12, "{low:?}");
        }
        assert_eq!(low.verdict, Verdict::WorseThanChance);
        // The high bits are all zero.
        assert_eq!(
            (rows[1].longest, rows[1].verdict),
            (100, Verdict::FarWorseThanChance)
        );
        assert_eq!(rows.last().unwrap().buckets, 97);
        let even = judged((0..4096).collect(), 32);
        assert_eq!((even[0].hit, even[0].verdict), (1.0, Verdict::FewerThanChance));
    }

    #[test]
    fn bands_end_where_surprises_begin() {
        for (middle, most, low, high) in [
            (50.0, 100, 40, 61),
            (0.3, 100, 0, 7),
            (99.9, 100, 40, 100),
            (5.0, 5, 0, 5),
        ] {
            let found = band(middle, most, |count| !(low..=high).contains(&count));
            assert_eq!(found, (low, high), "{middle} of {most}");
        }
        let spread = (0..3000_u64)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        // Few keys and few values give no nonsense either.
        let few = [1, 2, 8, 64]
            .into_iter()
            .flat_map(|bits| judged(vec![1; 64], bits));
        for row in judged(spread, 64).into_iter().chain(few) {
            let hit = row.hit_low..=row.hit_high;
            let empty = row.empty_low..=row.empty_high;
            assert!(
                hit.contains(&row.hit_expected) && empty.contains(&row.empty_expected),
                "{row:?}"
            );
            let chance =
                hit.contains(&row.hit) && empty.contains(&row.empty) && row.longest <= row.longest_high;
            assert_eq!(chance, row.p_adjusted >= FAMILY_LEVEL, "{row:?}");
            let p_values = [row.hit_p, row.longest_p, row.empty_p];
            assert!(
                p_values.iter().all(|p| (0.0..=1.0).contains(p)) && row.longest_expected.is_finite(),
                "{row:?}"
            );
        }
        assert!(judged(vec![1; 63], 32).is_empty());
    }
}
