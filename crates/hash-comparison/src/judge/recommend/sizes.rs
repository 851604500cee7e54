//! What functions cost at other numbers of keys like these.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::Judged;
use crate::record::files::Records;
use crate::record::{AtSize, DatasetSummary, IDEAL, Purpose, WindowEnd, about, significant};
use filter_policy::BitsPerKey;
use filter_policy::sizing::Format;
use statistics::collisions::CollisionLaw;

/// Beside the dataset's own number of keys.
const SIZES: [u64; 3] = [10_000, 1_000_000, 100_000_000];

/// The rows of `functions`, in their order, size by size.
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
        functions.iter().map(move |one| AtSize {
            function: one.function.name.clone(),
            keys,
            total_ms: one
                .speed
                .map(|speed| significant::round(speed.median() * keys as f64 / 1e6)),
            collisions: collisions(records, dataset, one, keys),
            rate: rate(records, dataset, one, keys, ideal),
        })
    });
    rows.collect()
}

/// That of a filter with an ideal hash. It is counted, which takes a moment, and asked for each purpose anew.
fn ideal_rate(keys: u64) -> f64 {
    static COUNTED: Mutex<BTreeMap<u64, f64>> = Mutex::new(BTreeMap::new());
    let mut counted = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let bits_per_key = BitsPerKey::whole(AtSize::BITS_PER_KEY);
    *(counted.entry(keys)).or_insert_with(|| Format::LevelDb.rate(keys, bits_per_key).unwrap_or(1.0))
}

/// Chance, and what was measured beyond it, which grows with the pairs of keys.
fn collisions(records: &Records, dataset: &DatasetSummary, one: &Judged<'_>, keys: u64) -> f64 {
    let mut windows = about(&records.windows, &dataset.name, &one.function.name);
    let full = windows.find(|row| row.end == WindowEnd::Full);
    if let Some(row) = full.filter(|row| row.keys == keys) {
        return row.collisions as f64;
    }
    let expected = CollisionLaw::new(keys, one.function.output_bits.clamp(1, 64)).expected();
    let beyond = full
        .filter(|row| crate::judge::windows::failed(row))
        .map_or(0.0, |row| {
            let times = keys as f64 / row.keys as f64;
            (row.collisions as f64 - row.expected) * times * times
        });
    (expected + beyond).min(keys as f64 - 1.0)
}

/// That of an ideal hash, raised by what functions of fewer bits cannot tell apart, and by what was measured of this one.
fn rate(records: &Records, dataset: &DatasetSummary, one: &Judged<'_>, keys: u64, ideal: f64) -> f64 {
    let at = |function| {
        let mut rows = about(&records.false_positives, &dataset.name, function);
        rows.find(|row| row.bits_per_key == AtSize::BITS_PER_KEY)
    };
    let mut costs = about(&records.costs, &dataset.name, &one.function.name);
    let is_worse = costs.any(|row| row.purpose == Purpose::Filter && row.measurable);
    let measured = (at(&one.function.name).zip(at(IDEAL))).filter(|(_, ideal)| is_worse && ideal.rate > 0.0);
    let times = measured.map_or(1.0, |(row, ideal)| (row.rate / ideal.rate).max(1.0));
    let equal = match one.function.output_bits {
        32.. => 0.0,
        bits => -libm::expm1(keys as f64 * libm::log1p(-libm::ldexp(1.0, -(bits as i32)))),
    };
    (ideal * times).min(1.0).max(equal)
}
