//! Costs of functions at other numbers of similar keys.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::Judged;
use crate::record::files::Records;
use crate::record::{
    AtSize, Basis, DatasetSummary, Purpose, Verdict, WindowEnd, WindowRow, about, significant,
};
use filter_formats::sizing::Format;
use filter_policy::BitsPerKey;
use statistics::binomial::proportion_interval;
use statistics::collisions::CollisionLaw;
use statistics::correction::FAMILY_LEVEL;

/// Numbers of keys in addition to the dataset's own.
const SIZES: [u64; 3] = [10_000, 1_000_000, 100_000_000];

/// Level of the intervals of rates, as in `false_positives.csv`.
const LEVEL: f64 = 0.95;

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
        let ideal = ideal_rate(keys);
        functions.iter().map(move |one| {
            let (collisions, collisions_basis) = collisions(records, dataset, one, keys);
            let (rate, rate_basis) = rate(records, dataset, one, keys, ideal);
            AtSize {
                function: one.function.name.clone(),
                keys,
                total_ms: one
                    .speed
                    .map(|speed| significant::round(speed.median() * keys as f64 / 1e6)),
                collisions: collisions.map(significant::round),
                collisions_basis,
                rate: rate.map(significant::round),
                rate_basis,
            }
        })
    });
    rows.collect()
}

/// Returns the rate of a filter with an ideal hash. Cached, since the rate is slow to compute and often used.
fn ideal_rate(keys: u64) -> f64 {
    static COUNTED: Mutex<BTreeMap<u64, f64>> = Mutex::new(BTreeMap::new());
    let mut counted = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let bits_per_key = BitsPerKey::whole(AtSize::BITS_PER_KEY);
    *(counted.entry(keys)).or_insert_with(|| Format::LevelDb.rate(keys, bits_per_key).unwrap_or(1.0))
}

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
) -> Option<&'a WindowRow> {
    let mut windows = about(&records.windows, &dataset.name, &one.function.name);
    windows.find(|row| row.end == WindowEnd::Full)
}

/// Returns true if collisions differ from chance, in all bits or the low ones, so that no law gives other sizes.
fn departs(records: &Records, dataset: &DatasetSummary, one: &Judged<'_>) -> bool {
    let mut some = about(&records.collisions, &dataset.name, &one.function.name);
    all_bits(records, dataset, one).is_some_and(|row| row.p_adjusted < FAMILY_LEVEL)
        || some.any(|row| row.verdict != Verdict::InBand)
}

/// Returns the rate counted in a filter of as many keys, else the rate of an ideal hash. If the function departs from
/// chance, the filters with fewer keys give a lower bound: among more keys an absent key shares its value at least as
/// often. The part of chance differs between sizes; the lower one counts.
fn rate(
    records: &Records,
    dataset: &DatasetSummary,
    one: &Judged<'_>,
    keys: u64,
    ideal: f64,
) -> (Option<f64>, Basis) {
    let measured: Vec<(u64, f64)> = measured_rates(records, dataset, &one.function.name).collect();
    if let Some((_, rate)) = measured.iter().find(|(at, _)| *at == keys) {
        return (Some(*rate), Basis::Measured);
    }
    let mut costs = about(&records.costs, &dataset.name, &one.function.name);
    let is_worse = costs.any(|row| row.purpose == Purpose::Filter && row.measurable);
    if is_worse || departs(records, dataset, one) {
        let least = |&(at, rate): &(u64, f64)| {
            let chance = ideal_rate(at);
            // The share of absent keys whose value a key of the filter has.
            let equal = ((rate - chance) / (1.0 - chance)).max(0.0);
            rate.min(equal + (1.0 - equal) * ideal)
        };
        let fewer = measured.iter().filter(|(at, _)| *at < keys).map(least);
        return (fewer.reduce(f64::max), Basis::AtLeast);
    }
    let equal = match one.function.output_bits {
        32.. => 0.0,
        bits => -libm::expm1(keys as f64 * libm::log1p(-libm::ldexp(1.0, -(bits as i32)))),
    };
    (Some(ideal.max(equal)), Basis::Expected)
}

/// Returns the numbers of keys and the rates of their filters, at the bits per key of [`AtSize`].
pub(super) fn measured_rates<'a>(
    records: &'a Records,
    dataset: &'a DatasetSummary,
    function: &'a str,
) -> impl Iterator<Item = (u64, f64)> + 'a {
    let whole = about(&records.false_positives, &dataset.name, function);
    let whole = whole.filter(|row| row.bits_per_key == AtSize::BITS_PER_KEY);
    let some = about(&records.sizes, &dataset.name, function);
    (whole.map(|row| (row.keys, row.rate))).chain(some.map(|row| (row.keys, row.rate)))
}

/// Returns the 95 % interval of a rate that was counted, from its matches and probes; `None` for calculated rates.
pub(crate) fn rate_interval(records: &Records, dataset: &str, row: &AtSize) -> Option<(f64, f64)> {
    if row.rate_basis != Basis::Measured {
        return None;
    }
    let mut whole = about(&records.false_positives, dataset, &row.function);
    if let Some(found) = whole.find(|one| (one.keys, one.bits_per_key) == (row.keys, AtSize::BITS_PER_KEY)) {
        return Some((found.ci_low, found.ci_high));
    }
    let found = about(&records.sizes, dataset, &row.function).find(|one| one.keys == row.keys)?;
    (found.probes > 0)
        .then(|| proportion_interval(found.false_positives.min(found.probes), found.probes, LEVEL))
}
