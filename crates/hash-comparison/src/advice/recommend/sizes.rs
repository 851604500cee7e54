//! Costs of functions at other numbers of similar keys.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::advice::recommend::Judged;
use crate::questions::{CollisionRow, Records};
use crate::record::{AtSize, Basis, DatasetSummary, End, IDEAL, Purpose, Verdict, about, significant};
use filter_formats::Format;
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy as _};
use records::number::{grouped, percent};
use statistics::collisions::CollisionLaw;

/// Numbers of keys in addition to the dataset's own.
const SIZES: [u64; 3] = [10_000, 1_000_000, 100_000_000];

/// Returns the rows of `functions`, in their order, size by size.
pub(super) fn of(records: &Records, dataset: &DatasetSummary, functions: &[&Judged<'_>]) -> Vec<AtSize> {
    let mut sizes = vec![dataset.keys];
    sizes.extend(SIZES);
    sizes.retain(|&keys| keys > 0);
    sizes.sort_unstable();
    sizes.dedup();
    if functions.is_empty() {
        return Vec::new();
    }
    let rows = sizes.into_iter().flat_map(|keys| {
        let ideal = ideal_rate(records, dataset, keys);
        functions.iter().map(move |one| {
            let (collisions, collisions_basis) = collisions(records, dataset, one, keys);
            let (rate, rate_basis) = rate(records, dataset, one, keys, ideal);
            AtSize {
                function: one.function.name.clone(),
                keys,
                total_ms: one
                    .speed
                    .map(|speed| significant::round(speed.ns * keys as f64 / 1e6)),
                collisions: collisions.map(significant::round),
                collisions_basis,
                rate: rate.map(|rate| significant::round(rate.mean)),
                lowest_rate: rate.map(|rate| significant::round(rate.low)),
                highest_rate: rate.map(|rate| significant::round(rate.high)),
                rate_basis,
            }
        })
    });
    rows.collect()
}

/// Returns the rates of filters with an ideal hash: counted near this number of keys, else from [`IDEAL_RATES`], else
/// by the calculator, for the exact number only.
pub(super) fn ideal_rate(records: &Records, dataset: &DatasetSummary, keys: u64) -> Rate {
    if let Some((_, rate)) = measured_rates(records, dataset, IDEAL).find(|(at, _)| *at == keys) {
        return rate;
    }
    if let Some((_, rate)) = IDEAL_RATES.iter().find(|(at, _)| *at == keys) {
        return *rate;
    }
    let bits_per_key = BitsPerKey::whole(AtSize::BITS_PER_KEY);
    Rate::exact(Format::LEVEL_DB.rate(keys, bits_per_key).unwrap_or(1.0))
}

/// Describes the size of LevelDB's filter of exactly this many keys, if an ideal hash there has a rate more than a tenth
/// above that of the next good size.
pub(super) fn unlucky(keys: u64) -> Option<String> {
    /// The rates known so far, at both sizes: each takes up to 50 ms to compute, and every use asks for them.
    static KNOWN: Mutex<BTreeMap<u64, Option<[f64; 2]>>> = Mutex::new(BTreeMap::new());
    let bits_per_key = BitsPerKey::whole(AtSize::BITS_PER_KEY);
    let rates = || {
        let policy = BloomFilterPolicy::new(bits_per_key).with_coprime_sizes();
        let good_bytes = policy.max_filter_len(usize::try_from(keys).ok()?).ok()? as u64 - 1;
        // Half a byte less than the bits, which are rounded up to bytes.
        let good_bits = BitsPerKey::fractional((8 * good_bytes - 4) as f64 / keys as f64).ok()?;
        let rate = |bits_per_key| Format::LEVEL_DB.rate(keys, bits_per_key).ok();
        Some([rate(bits_per_key)?, rate(good_bits)?])
    };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let [rate, good] =
        (*known.entry(keys).or_insert_with(rates)).filter(|[rate, good]| *rate > 1.1 * good)?;
    Some(format!(
        "LevelDB's filter of exactly {} keys at {bits_per_key} bits per key has an unlucky size: even with an ideal hash {} of absent \
         keys match, and {} at the size that with_coprime_sizes of filter-policy takes instead.",
        grouped(keys),
        percent(rate),
        percent(good)
    ))
}

/// The mean of filters of some number of keys and of the next smaller numbers, and the lowest and highest of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rate {
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Rate {
    /// Returns the rate of one filter.
    const fn exact(rate: f64) -> Self {
        Self {
            mean: rate,
            low: rate,
            high: rate,
        }
    }

    /// Returns the rate of a function that gives this share of absent keys the value of a stored key, in addition.
    fn with_equal(self, equal: f64) -> Self {
        let with = |rate: f64| rate + (1.0 - rate) * equal;
        Self {
            mean: with(self.mean),
            low: with(self.low),
            high: with(self.high),
        }
    }
}

/// Rates of an ideal hash near the fixed numbers of keys: 16 neighbouring numbers each (nine of the last), counted on
/// random hash values with 4,000,000 absent keys or more a number, at the real length of the filter.
#[rustfmt::skip]
pub(super) const IDEAL_RATES: [(u64, Rate); 3] = [
    (10_000, Rate { mean: 0.008_89, low: 0.008_47, high: 0.009_48 }),
    (1_000_000, Rate { mean: 0.013_02, low: 0.012_54, high: 0.013_97 }),
    (100_000_000, Rate { mean: 0.031_72, low: 0.031_19, high: 0.032_19 }),
];

/// Returns the counted collisions, else those by chance. If the function departs from chance, no law gives the
/// collisions of other sizes; more keys have at least as many.
fn collisions(
    records: &Records,
    dataset: &DatasetSummary,
    one: &Judged<'_>,
    keys: u64,
) -> (Option<f64>, Basis) {
    let counted = all_bits(records, dataset, one).map(|row| (row.keys, row.collisions as f64));
    if let Some((_, count)) = counted.filter(|(at, _)| *at == keys) {
        return (Some(count), Basis::Measured);
    }
    if departs(records, dataset, one) {
        let fewer = counted.filter(|(at, count)| *at < keys && *count > 0.0);
        return (fewer.map(|(_, count)| count), Basis::AtLeast);
    }
    let law = CollisionLaw::new(keys, one.function.output_bits.clamp(1, 64));
    (Some(law.expected()), Basis::Expected)
}

fn all_bits<'a>(
    records: &'a Records,
    dataset: &'a DatasetSummary,
    one: &'a Judged<'_>,
) -> Option<&'a CollisionRow> {
    let mut windows = about(&records.windows, &dataset.name, &one.function.name);
    windows.find(|row| row.end == End::Full)
}

/// Returns true if collisions differ from chance, in all bits or the low ones, so that no law gives other sizes.
fn departs(records: &Records, dataset: &DatasetSummary, one: &Judged<'_>) -> bool {
    tested(records, dataset, one).any(|row| row.verdict != Verdict::WithinChance)
}

/// Returns true if a test found fewer collisions than chance.
fn has_fewer(records: &Records, dataset: &DatasetSummary, one: &Judged<'_>) -> bool {
    tested(records, dataset, one).any(|row| row.verdict == Verdict::FewerThanChance)
}

/// Returns the collisions in all bits and in the low ones.
fn tested<'a>(
    records: &'a Records,
    dataset: &'a DatasetSummary,
    one: &'a Judged<'_>,
) -> impl Iterator<Item = &'a CollisionRow> {
    about(&records.collisions, &dataset.name, &one.function.name).chain(all_bits(records, dataset, one))
}

/// Returns the rate counted near that number of keys, else that of an ideal hash. If the function departs from chance
/// the filters with fewer keys give a lower bound: the share of absent keys that share their value with a stored key
/// does not fall when keys are added. Nothing bounds the rate of a function that had fewer false positives than chance.
fn rate(
    records: &Records,
    dataset: &DatasetSummary,
    one: &Judged<'_>,
    keys: u64,
    ideal: Rate,
) -> (Option<Rate>, Basis) {
    let measured = || measured_rates(records, dataset, &one.function.name);
    if let Some((_, rate)) = measured().find(|(at, _)| *at == keys) {
        return (Some(rate), Basis::Measured);
    }
    let mut costs = about(&records.costs, &dataset.name, &one.function.name);
    let is_worse = costs.any(|row| row.purpose == Purpose::Filter && row.measurable);
    if is_worse || departs(records, dataset, one) {
        let equal = |(at, rate): (u64, Rate)| {
            let chance = ideal_rate(records, dataset, at).mean;
            ((rate.mean - chance) / (1.0 - chance)).max(0.0)
        };
        let fewer = measured().filter(|(at, _)| *at < keys).map(equal);
        let least = fewer
            .reduce(f64::max)
            .filter(|_| is_worse || !has_fewer(records, dataset, one));
        return (least.map(|equal| ideal.with_equal(equal)), Basis::AtLeast);
    }
    let equal = match one.function.output_bits {
        32.. => 0.0,
        bits => -libm::expm1(keys as f64 * libm::log1p(-libm::ldexp(1.0, -(bits as i32)))),
    };
    (Some(ideal.with_equal(equal)), Basis::Expected)
}

/// Returns the numbers of keys and the rates of their filters, at the bits per key of [`AtSize`].
pub(super) fn measured_rates<'a>(
    records: &'a Records,
    dataset: &'a DatasetSummary,
    function: &'a str,
) -> impl Iterator<Item = (u64, Rate)> + 'a {
    let rows = about(&records.near_sizes, &dataset.name, function);
    let rows = rows.filter(|row| row.bits_per_key == AtSize::BITS_PER_KEY);
    rows.map(|row| {
        let rate = Rate {
            mean: row.rate,
            low: row.lowest_rate,
            high: row.highest_rate,
        };
        (row.keys, rate)
    })
}
