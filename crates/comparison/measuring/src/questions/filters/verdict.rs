//! False positives of a function compared with the ideal hash.

use filter_policy::{BitsPerKey, leveldb};

use super::{INTERVAL_LEVEL, NearSizesRow, USUAL_BITS};
use crate::questions::judging::{FAR_WORSE_RATIO, IDEAL_BITS, percent};
use crate::questions::{Defect, Records};
use crate::record::{
    CostRow, DatasetKind, DatasetSummary, FailedTest, FunctionSummary, IDEAL, Purpose, Unit, Verdict, about,
};
use statistics::binomial;
use statistics::correction::{FAMILY_LEVEL, bonferroni};
use terminal::number::{counted, grouped};

/// The fewest keys for a recommendation. With fewer keys, even `FAR_WORSE_RATIO` times the false positives of an ideal
/// hash may be chance, in a filter of 10 bits per key and a run of all functions.
pub const FEWEST_KEYS: u64 = 52;

/// Filters of a function and of the ideal hash with the same numbers of keys and bits per key.
#[derive(Debug, Clone, Copy)]
pub struct AgainstIdeal<'a> {
    /// The function's row.
    pub row: &'a NearSizesRow,
    /// The row of the ideal hash.
    pub ideal: &'a NearSizesRow,
    /// p-value of this comparison alone.
    pub p_value: f64,
    /// The p-value corrected for the tests in the run.
    pub p_adjusted: f64,
    /// The p-value of as few false positives, so corrected.
    pub p_fewer_adjusted: f64,
}

/// Returns the false positives of a function at each number of bits per key: means over neighbouring sizes, since those of one
/// size are a single draw, which another seed may turn into its opposite.
pub(super) fn costs(records: &Records, dataset: &DatasetSummary, function: &FunctionSummary) -> Vec<CostRow> {
    let compared = against_ideal(&records.near_sizes, dataset, &function.name);
    let cost = |one: AgainstIdeal<'_>| CostRow {
        dataset: dataset.name.clone(),
        function: function.name.clone(),
        purpose: Some(Purpose::Filter),
        unit: Unit::FalsePositives,
        choice: None,
        size: one.row.bits_per_key.into(),
        keys: one.row.keys,
        sizes: one.row.sizes,
        measured: one.row.rate,
        chance: one.ideal.rate,
        cost: 0.0,
        p_adjusted: match one.row.rate < one.ideal.rate {
            true => one.p_fewer_adjusted,
            false => one.p_adjusted,
        },
        measurable: false,
        decides: true,
        shown: one.row.bits_per_key == USUAL_BITS,
        costliest: false,
    };
    compared.map(cost).collect()
}

/// Returns the largest filters of one function, by bits per key, with the ideal hash in the same
/// filters. `all` are the rows of the run.
pub fn against_ideal<'a>(
    all: &'a [NearSizesRow],
    dataset: &DatasetSummary,
    function: &str,
) -> impl Iterator<Item = AgainstIdeal<'a>> {
    let of_functions = all.chunk_by(|a, b| a.dataset == b.dataset && a.function == b.function);
    let of_functions = of_functions.filter(|rows| rows[0].function != IDEAL);
    let tests = of_functions
        .map(|rows| of_largest_filters(rows.iter()).count())
        .sum();
    let folds = folds(dataset.kind == DatasetKind::Generated);
    let ideals: Vec<&NearSizesRow> = about(all, &dataset.name, IDEAL).collect();
    let rows: Vec<&NearSizesRow> = about(all, &dataset.name, function).collect();
    of_largest_filters(rows.into_iter()).filter_map(move |row| {
        let same = |ideal: &&&NearSizesRow| (ideal.bits_per_key, ideal.keys) == (row.bits_per_key, row.keys);
        let ideal = *ideals.iter().find(same)?;
        let p_value = more_than(row, ideal, folds);
        Some(AgainstIdeal {
            row,
            ideal,
            p_value,
            p_adjusted: bonferroni(p_value, tests),
            p_fewer_adjusted: bonferroni(fewer_than(row, ideal, folds), tests),
        })
    })
}

/// Returns the rows of one function with the most keys.
fn of_largest_filters<'a>(
    rows: impl Iterator<Item = &'a NearSizesRow> + Clone,
) -> impl Iterator<Item = &'a NearSizesRow> {
    let most = rows.clone().map(|row| row.keys).max();
    rows.filter(move |row| Some(row.keys) == most)
}

/// Returns the filters in which a function of `bits` bits has more false positives than the ideal hash, worst first.
pub(super) fn defects<'a>(compared: impl Iterator<Item = AgainstIdeal<'a>>, bits: u32) -> Vec<Defect> {
    // The policy uses 32 bits. With many keys and many bits per key a missing bit shows, however good the others are:
    // an absent key has the value of some key with probability keys / 2^bits.
    let width = |AgainstIdeal { row, ideal, .. }: &AgainstIdeal<'_>| {
        let equal = row.keys as f64 / libm::ldexp(1.0, bits as i32);
        if bits < IDEAL_BITS && equal > ideal.rate / 10.0 {
            format!(" (it has {bits} of the {IDEAL_BITS} bits)")
        } else {
            String::new()
        }
    };
    let mut failed: Vec<AgainstIdeal<'_>> = compared.filter(|one| one.p_adjusted < FAMILY_LEVEL).collect();
    let ratio = |one: &AgainstIdeal<'_>| one.row.rate / one.ideal.rate;
    failed.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    let end =
        |row: &NearSizesRow| binomial::proportion_interval(row.false_positives, row.probes, INTERVAL_LEVEL);
    failed
        .into_iter()
        .map(|one| Defect {
            test: FailedTest::FalsePositives,
            verdict: if end(one.row).0 >= FAR_WORSE_RATIO * end(one.ideal).1 {
                Verdict::FarWorseThanChance
            } else {
                Verdict::WorseThanChance
            },
            reason: format!(
                "false positives {} in filters of {} bits per key, at {} below {}; ideal hash: {}{}",
                percent(one.row.rate),
                one.row.bits_per_key,
                counted(one.row.sizes, "size"),
                counted(one.row.keys + 1, "key"),
                if one.ideal.false_positives == 0 {
                    format!("none of {} probes", grouped(one.ideal.probes))
                } else {
                    percent(one.ideal.rate)
                },
                width(&one),
            ),
        })
        .collect()
}

/// Returns the number of filters built from a dataset: one for a generated set, else two of other keys.
pub(crate) fn folds(is_generated: bool) -> f64 {
    if is_generated { 1.0 } else { 2.0 }
}

/// Returns the probability that a function as good as the ideal hash has at least this share of both counts.
///
/// For equally good functions, each false positive is the function's with the probability of its share of all probes;
/// the ideal hash has more probes.
pub(crate) fn more_than(row: &NearSizesRow, ideal: &NearSizesRow, folds: f64) -> f64 {
    let (both, share, spread) = shared(row, ideal, folds);
    binomial::at_least(row.false_positives as f64 / spread, both / spread, share)
}

/// Returns the probability that a function as good as the ideal hash has at most this share of both counts: the ideal hash has the
/// others.
fn fewer_than(row: &NearSizesRow, ideal: &NearSizesRow, folds: f64) -> f64 {
    let (both, share, spread) = shared(row, ideal, folds);
    binomial::at_least(ideal.false_positives as f64 / spread, both / spread, 1.0 - share)
}

/// Returns the sum of both counts, the function's share of all probes, and the [`spread`] of its count.
fn shared(row: &NearSizesRow, ideal: &NearSizesRow, folds: f64) -> (f64, f64, f64) {
    let both = row.false_positives as f64 + ideal.false_positives as f64;
    let share = row.probes as f64 / (row.probes as f64 + ideal.probes as f64);
    (both, share, spread(row, both * share, folds))
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
/// A row sums filters of several sizes. Which hash values match in them is nearly independent, so variances add up, and V
/// acts on the count of one size. Only keys that share all their bits match at every size: their share `equal` of the
/// count, expected to be `keys / 2^32` of the probes, has the variance of events that come in groups of that many.
///
/// The ideal hash's count comes from F times the probes in F times the filters, so its variance is `F c + F c^2 V`.
/// Given the sum, the function's count lies `(F f - i) / (F + 1)` from its mean, where f and i are the two counts; that
/// has the variance `(F^2 (c + c^2 V) + F c + F c^2 V) / (F + 1)^2`, which is `1 + c V` times the binomial one, `c F /
/// (F + 1)`, for every F.
fn spread(row: &NearSizesRow, count: f64, folds: f64) -> f64 {
    let bits = (f64::from(row.bits_per_key) * row.keys as f64).max(64.0);
    let k = f64::from(leveldb::probe_count(BitsPerKey::whole(row.bits_per_key)));
    let load = k * row.keys as f64 / bits;
    let zero = libm::exp(-load);
    let variance = bits * zero * (1.0 - zero * (1.0 + load));
    let mean = bits * (1.0 - zero);
    let sizes = row.sizes.max(1) as f64;
    let rate = (count / row.probes as f64).max(f64::MIN_POSITIVE);
    let equal = (row.keys as f64 / libm::ldexp(1.0, IDEAL_BITS as i32) / rate).min(1.0);
    folds * (1.0 + (sizes - 1.0) * equal) + 2.0 * (count / sizes) * k * k * variance / (mean * mean)
}
