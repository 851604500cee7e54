//! False positives of a function compared with the ideal hash.

use filter_policy::{BitsPerKey, leveldb};

use super::{Failure, IDEAL_BITS, words};
use crate::judge::collisions::UNUSABLE_RATIO;
use crate::record::{FailedTest, FalsePositiveRow, Verdict};
use plots::thousands::grouped;
use statistics::binomial;
use statistics::correction::{FAMILY_LEVEL, bonferroni};

/// The fewest keys for a recommendation. With fewer keys, even [`UNUSABLE_RATIO`] times the false positives of an ideal
/// hash may be chance, in a filter of 10 bits per key and a run of all functions.
pub const FEWEST_KEYS: u64 = 52;

/// Parameters of the comparison with the ideal hash.
pub(super) struct Comparison {
    /// Tests in the run.
    pub(super) tests: usize,
    /// Number of filters built from the keys, one after the other.
    pub(super) folds: f64,
    /// Width of the function.
    pub(super) bits: u32,
}

/// Returns the filter sizes at which a function has more false positives than the ideal hash, worst first.
pub(super) fn failures<'a, I: Iterator<Item = &'a FalsePositiveRow>>(
    rows: impl Iterator<Item = &'a FalsePositiveRow>,
    ideal: impl Fn() -> I,
    comparison: &Comparison,
) -> Vec<Failure> {
    let &Comparison { tests, folds, bits } = comparison;
    // The policy uses 32 bits. With many keys and many bits per key a missing bit shows, however good the others are:
    // an absent key has the value of some key with probability keys / 2^bits.
    let width = |row: &FalsePositiveRow, ideal: &FalsePositiveRow| {
        let equal = row.keys as f64 / libm::ldexp(1.0, bits as i32);
        if bits < IDEAL_BITS && equal > ideal.rate / 10.0 {
            format!(" (it has {bits} of the {IDEAL_BITS} bits)")
        } else {
            String::new()
        }
    };
    let mut failed: Vec<(&FalsePositiveRow, &FalsePositiveRow)> = rows
        .filter_map(|row| {
            let ideal = ideal().find(|ideal| ideal.bits_per_key == row.bits_per_key)?;
            let p_value = more_than(row, ideal, folds);
            (bonferroni(p_value, tests) < FAMILY_LEVEL).then_some((row, ideal))
        })
        .collect();
    let ratio = |&(row, ideal): &(&FalsePositiveRow, &FalsePositiveRow)| row.rate / ideal.rate;
    failed.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    failed
        .into_iter()
        .map(|(row, ideal)| Failure {
            test: FailedTest::FalsePositives,
            verdict: if row.ci_low >= UNUSABLE_RATIO * ideal.ci_high {
                Verdict::Unusable
            } else {
                Verdict::MeasurablyWorse
            },
            reason: format!(
                "false positives {} against {} of an ideal hash in the same filter of {} bits per key{}",
                words::percent(row.rate),
                if ideal.false_positives == 0 {
                    format!("none of {} probes", grouped(ideal.probes))
                } else {
                    words::percent(ideal.rate)
                },
                row.bits_per_key,
                width(row, ideal),
            ),
        })
        .collect()
}

/// Returns the number of filters built from a dataset: one for a generated set, else two of half the keys each.
pub(crate) fn folds(is_generated: bool) -> f64 {
    if is_generated { 1.0 } else { 2.0 }
}

/// Returns the probability that a function as good as the ideal hash has at least this share of both counts.
///
/// For equally good functions, each false positive is the function's with the probability of its share of all probes;
/// the ideal hash has more probes.
pub(crate) fn more_than(row: &FalsePositiveRow, ideal: &FalsePositiveRow, folds: f64) -> f64 {
    let both = (row.false_positives + ideal.false_positives) as f64;
    let share = row.probes as f64 / (row.probes + ideal.probes) as f64;
    let spread = spread(row, both * share, folds);
    binomial::at_least(row.false_positives as f64 / spread, both / spread, share)
}

/// Returns the variance of a function's count of false positives, given the sum with the ideal hash's count, divided by
/// the variance of a binomial count with mean `count`.
///
/// The ratio is above 1 for two reasons. First, two keys that share all their bits, one in either half, are each a
/// false positive of the other's filter. If the halves swap roles (`folds`), events may come in pairs, and nearly all
/// do if false positives are rare. Second, all probes go to one filter, and some filters are fuller than others. With S
/// bits set, a filter's rate is proportional to S^k, so a count c from one filter has the variance `c + c^2 V`, where V
/// is the square of `k sd(S) / mean(S)` for the S of the occupancy problem, doubled because the probes of a key are not
/// independent. With an ideal hash, 400 seeds and 1,000,000 absent keys at 10 bits per key, the variance was 1.48 c
/// with 40,000 keys (this formula: 1.58) and 3.54 c with 4,000 (6.17).
///
/// The ideal hash's count comes from F times the probes in F times the filters, so its variance is `F c + F c^2 V`.
/// Given the sum, the function's count lies `(F f - i) / (F + 1)` from its mean, where f and i are the two counts; that
/// has the variance `(F^2 (c + c^2 V) + F c + F c^2 V) / (F + 1)^2`, which is `1 + c V` times the binomial one, `c F /
/// (F + 1)`, for every F.
fn spread(row: &FalsePositiveRow, count: f64, folds: f64) -> f64 {
    let bits = 8.0 * (row.filter_bytes - 1) as f64;
    let k = f64::from(leveldb::probe_count(BitsPerKey::whole(row.bits_per_key)));
    let load = k * row.keys as f64 / bits;
    let zero = libm::exp(-load);
    let variance = bits * zero * (1.0 - zero * (1.0 + load));
    let mean = bits * (1.0 - zero);
    folds + 2.0 * count * k * k * variance / (mean * mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::IDEAL;

    fn filter_row(function: &str, keys: u64, probes: u64, false_positives: u64) -> FalsePositiveRow {
        let (ci_low, ci_high) = binomial::proportion_interval(false_positives, probes, 0.95);
        FalsePositiveRow {
            dataset: "ids".to_owned(),
            function: function.to_owned(),
            bits_per_key: 10,
            keys,
            probes,
            false_positives,
            rate: false_positives as f64 / probes as f64,
            ci_low,
            ci_high,
            theory: 0.0084,
            raw_bytes: 9 * keys,
            filter_bytes: (10 * keys).div_ceil(8) + 1,
            saved: 0.8,
        }
    }

    #[test]
    fn different_numbers_of_probes_are_compared_by_their_rates() {
        // Equal rates show no difference, whichever function has more probes.
        for (asked, of_ideal) in [
            (1_000_000, 1_000_000),
            (1_000_000, 4_000_000),
            (45_402, 1_044_246),
        ] {
            let ideal = filter_row(IDEAL, 22_701, of_ideal, of_ideal / 100);
            let p_of = |count| more_than(&filter_row("f", 22_701, asked, count), &ideal, 1.0);
            let count = asked / 100;
            assert!(
                (0.45..0.56).contains(&p_of(count)),
                "{asked} {of_ideal}: {}",
                p_of(count)
            );
            assert!(p_of(2 * count) < 1e-9 && p_of(count / 2) > 0.999);
        }
    }

    #[test]
    fn too_few_keys_cannot_show_sixteen_times_the_false_positives() {
        // 162 tests, as in a run of all functions on one set.
        let told = |keys: u64| {
            let ideal = filter_row(IDEAL, keys / 2, 1_000_000, 10_000);
            let row = filter_row("f", keys / 2, keys, (keys * 16).div_ceil(100));
            bonferroni(more_than(&row, &ideal, 2.0), 162) < FAMILY_LEVEL
        };
        assert!(told(FEWEST_KEYS));
        assert!(!told(FEWEST_KEYS - 8));
    }
}
