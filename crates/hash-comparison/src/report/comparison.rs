//! The published figures beside ours.

use serde::Serialize;

use super::table::{Cell, Table};
use crate::judge::published::{FILTER_RATES, FILTERS, KeySet, ROWS, spread};
use crate::record::DatasetKind;
use crate::report::chart::rows::DatasetRows;
use plots::number;

/// One published key set beside the dataset that stands for it.
#[derive(Debug, Serialize)]
pub(crate) struct SetComparison {
    dataset: &'static str,
    exact: bool,
    seeds: String,
    equal: usize,
    compared: usize,
    table: Table,
}

/// The published filters beside ours.
#[derive(Debug, Serialize)]
pub(crate) struct FilterComparison {
    table: Table,
}

/// The published set that `data` stands for: one of ours by name and size, not a file of the user's.
fn set_of(data: &DatasetRows<'_>) -> Option<KeySet> {
    let set = KeySet::of_dataset(&data.summary.name)?;
    (data.summary.kind != DatasetKind::File && data.summary.keys == set.keys()).then_some(set)
}

/// Collisions and times of one dataset beside the published ones; `None` where the articles have no such set.
pub(crate) fn of_set(data: &DatasetRows<'_>) -> Option<SetComparison> {
    let set = set_of(data)?;
    let counts: &[&str] = if set.is_exact() {
        &["Function", "#Published collisions", "#Ours", "Equal"]
    } else {
        &[
            "Function",
            "#Published collisions",
            "#Ours",
            "#Mean over seeds",
            "#Standard deviation",
            "#Fewest",
            "#Most",
            "#z of the published",
            "#z of ours",
        ]
    };
    let times = ["#Published ns per key", "#Ours, ns per key"];
    let mut table = Table::new(counts.iter().copied().chain(times));
    let (mut equal, mut compared) = (0, 0);
    for row in &ROWS {
        let Some(ours) = data.full_width(row.function).map(|row| row.collisions) else {
            continue;
        };
        let theirs = row.collisions(set);
        compared += 1;
        equal += usize::from(ours == theirs);
        let mut cells = vec![Cell::text(row.function), Cell::count(theirs), Cell::count(ours)];
        if let Some(spread) = spread(set, row.function) {
            let z = |count| Cell::sorted(format!("{:+.2}", spread.z(count)), spread.z(count));
            cells.extend([
                Cell::sorted(number::fixed(spread.mean, 2), spread.mean),
                Cell::sorted(number::fixed(spread.sd, 2), spread.sd),
                Cell::count(spread.min),
                Cell::count(spread.max),
                z(theirs),
                z(ours),
            ]);
        } else {
            cells.push(Cell::text(if ours == theirs { "yes" } else { "NO" }));
        }
        let per_key = row.total_ns(set) as f64 / set.keys() as f64;
        cells.push(Cell::number(per_key));
        cells.push(Cell::or_empty(
            data.throughput(row.function)
                .map(|row| Cell::number(row.median_ns_per_key)),
        ));
        table.push(cells);
    }
    (compared > 0).then(|| SetComparison {
        dataset: set.dataset(),
        exact: set.is_exact(),
        seeds: number::grouped(u64::from(set.seeds())),
        equal,
        compared,
        table,
    })
}

/// The published filters of the sets at hand; `None` where none is.
pub(crate) fn of_filters(all: &[DatasetRows<'_>]) -> Option<FilterComparison> {
    /// The policy's hash.
    const HASH: &str = "MurMurHash2";
    let mut table = Table::new([
        "#Bits per key",
        "Set",
        "#Keys",
        "#Raw bytes",
        "#Filter bytes, published",
        "#Filter bytes, formula",
        "#Saved",
        "#Published “error rate (per 10,000)”",
        "#Textbook, 80,000 keys",
        "#This policy, 80,000 keys",
        "#This run",
        "#over keys",
    ]);
    let mut any = false;
    for filter in FILTERS {
        let Some(data) = all.iter().find(|data| set_of(data) == Some(filter.set)) else {
            continue;
        };
        any = true;
        let known = FILTER_RATES
            .iter()
            .find(|rate| rate.bits_per_key == filter.bits_per_key);
        // The separate measurement was of video ids.
        let known = known.filter(|_| filter.set == KeySet::VideoIds);
        let ours = data.false_positives(HASH, filter.bits_per_key);
        table.push(vec![
            Cell::count(u64::from(filter.bits_per_key)),
            Cell::text(filter.set.dataset()),
            Cell::count(filter.keys),
            Cell::count(filter.raw_bytes),
            Cell::count(filter.filter_bytes),
            Cell::count(filter.formula_bytes()),
            Cell::sorted(format!("{:.4} %", filter.saved * 100.0), filter.saved),
            Cell::or_empty(
                filter
                    .matches_per_10_000
                    .map(|share| Cell::sorted(format!("{share:.4}"), share)),
            ),
            Cell::or_empty(known.map(|rate| Cell::percent(rate.textbook))),
            Cell::or_empty(known.map(|rate| Cell::percent(rate.policy))),
            Cell::or_empty(ours.map(|row| Cell::percent(row.rate))),
            Cell::or_empty(ours.map(|row| Cell::count(row.keys))),
        ]);
    }
    any.then_some(FilterComparison { table })
}
