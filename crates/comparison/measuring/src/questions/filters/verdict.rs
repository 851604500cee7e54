//! False positives of a function compared with the ideal hash.

use filter_policy::{BitsPerKey, leveldb};

use super::{INTERVAL_LEVEL, NearSizesRow, USUAL_BITS};
use crate::questions::judging::{FAR_WORSE_RATIO, IDEAL_BITS, percent};
use crate::questions::{Defect, Records};
use crate::record::{
    Choice, CostRow, DatasetKind, DatasetSummary, FailedTest, FunctionSummary, IDEAL, Purpose, Unit, Verdict,
    about,
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

/// Returns the false positives of a function at each number of bits per key: in LevelDB's filter means over neighbouring sizes, since
/// those of one size are a single draw, which another seed may turn into its opposite; of 64 bits in Parquet's filter, too.
pub(super) fn costs(records: &Records, dataset: &DatasetSummary, function: &FunctionSummary) -> Vec<CostRow> {
    let low = against_ideal(&records.near_sizes, dataset, &function.name, spread);
    let low = low.map(|one| (None, one));
    let whole = against_ideal(&records.split_blocks, dataset, &function.name, spread_of_blocks);
    let whole = whole.map(|one| (Some(Choice::Halves), one));
    let cost = |(choice, one): (_, AgainstIdeal<'_>)| CostRow {
        dataset: dataset.name.clone(),
        function: function.name.clone(),
        purpose: Some(Purpose::Filter),
        unit: Unit::FalsePositives,
        choice,
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
    low.chain(whole).map(cost).collect()
}

/// Returns the variance of a function's count of false positives in a row, given the count and the [`folds`], divided by that of a
/// binomial count.
pub(super) type Spread = fn(&NearSizesRow, f64, f64) -> f64;

/// Returns the largest filters of one function, by bits per key, with the ideal hash in the same
/// filters. `all` are the rows of the run for a layout, whose counts have this spread.
pub fn against_ideal<'a>(
    all: &'a [NearSizesRow],
    dataset: &DatasetSummary,
    function: &str,
    spread: Spread,
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
        let [more, fewer] = tails(row, ideal, folds, spread);
        Some(AgainstIdeal {
            row,
            ideal,
            p_value: more,
            p_adjusted: bonferroni(more, tests),
            p_fewer_adjusted: bonferroni(fewer, tests),
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
pub(super) fn defects<'a>(
    compared: impl Iterator<Item = AgainstIdeal<'a>>,
    bits: u32,
    filters: &str,
) -> Vec<Defect> {
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
                "false positives {} in {filters} of {} bits per key, at {} below {}; ideal hash: {}{}",
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

/// Returns the probabilities that a function as good as the ideal hash has at least, and at most, this share of both counts.
///
/// For equally good functions, each false positive is the function's with the probability of its share of all probes, and otherwise
/// the ideal hash's, which has more probes.
fn tails(row: &NearSizesRow, ideal: &NearSizesRow, folds: f64, spread: Spread) -> [f64; 2] {
    let [own, others] = [row, ideal].map(|row| row.false_positives as f64);
    let share = row.probes as f64 / (row.probes as f64 + ideal.probes as f64);
    let spread = spread(row, (own + others) * share, folds);
    [(own, share), (others, 1.0 - share)]
        .map(|(count, share)| binomial::at_least(count / spread, (own + others) / spread, share))
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
pub fn spread(row: &NearSizesRow, count: f64, folds: f64) -> f64 {
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

/// Returns the same for Parquet's layout.
///
/// The number of keys in a block is nearly Poisson-distributed with mean m, and its rate is r = (1 - exp(-l / 32))^8 for l keys. To
/// first order, the rate of a filter of n keys has the relative variance V = (m dr/dl / r)^2 / n, since n / m blocks are independent,
/// so a count c from one filter has the variance `c + c^2 V`. Since all l together are n, it is less: 0.26 times as much at 10 bits per
/// key, and 0.63 times at 20, by a sum over all l.
pub fn spread_of_blocks(row: &NearSizesRow, count: f64, folds: f64) -> f64 {
    let mean = 256.0 / f64::from(row.bits_per_key);
    let zero = libm::exp(-mean / 32.0);
    let change = mean * zero / (4.0 * (1.0 - zero));
    1.0 + count / folds * change * change / row.keys as f64
}
