//! The published figures beside ours.

use serde::Serialize;

use super::table::{Cell, Table};
use crate::judge::published::{FILTER_RATES, FILTERS, KeySet, ROWS, Row, spread};
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
    let rows: Vec<_> = ROWS
        .iter()
        .filter_map(|row| {
            Some((
                row,
                data.full_width(row.function)?.collisions,
                row.collisions(set),
            ))
        })
        .collect();
    let (compared, equal) = (
        rows.len(),
        rows.iter().filter(|(_, ours, theirs)| ours == theirs).count(),
    );
    let mut table = Table::of(rows)
        .column("Function", |(row, ..)| Cell::text(row.function))
        .column("#Published collisions", |&(.., theirs)| Cell::count(theirs))
        .column("#Ours", |&(_, ours, _)| Cell::count(ours));
    if set.is_exact() {
        table = table.column("Equal", |(_, ours, theirs)| {
            Cell::text(if ours == theirs { "yes" } else { "NO" })
        });
    } else {
        let of = |row: &Row| spread(set, row.function);
        let fixed = |value| Cell::sorted(number::fixed(value, 2), value);
        let z = |row, count| {
            of(row)
                .map(|spread| spread.z(count))
                .map(|z| Cell::sorted(format!("{z:+.2}"), z))
        };
        table = table
            .column("#Mean over seeds", |(row, ..)| {
                of(row).map(|spread| fixed(spread.mean))
            })
            .column("#Standard deviation", |(row, ..)| {
                of(row).map(|spread| fixed(spread.sd))
            })
            .column("#Fewest", |(row, ..)| {
                of(row).map(|spread| Cell::count(spread.min))
            })
            .column("#Most", |(row, ..)| of(row).map(|spread| Cell::count(spread.max)))
            .column("#z of the published", |&(row, _, theirs)| z(row, theirs))
            .column("#z of ours", |&(row, ours, _)| z(row, ours));
    }
    let table = table
        .column("#Published ns per key", |(row, ..)| {
            Cell::number(row.total_ns(set) as f64 / set.keys() as f64)
        })
        .column("#Ours, ns per key", |(row, ..)| {
            let time = data.throughput(row.function);
            time.map(|row| Cell::number(row.median_ns_per_key))
        });
    Some(SetComparison {
        dataset: set.dataset(),
        exact: set.is_exact(),
        seeds: number::grouped(u64::from(set.seeds())),
        equal,
        compared,
        table: table.if_any()?,
    })
}

/// The published filters of the sets at hand; `None` where none is.
pub(crate) fn of_filters(all: &[DatasetRows<'_>]) -> Option<FilterComparison> {
    /// The policy's hash.
    const HASH: &str = "MurMurHash2";
    let rows = FILTERS.iter().filter_map(|filter| {
        let data = all.iter().find(|data| set_of(data) == Some(filter.set))?;
        // The separate measurement was of video ids.
        let known = (FILTER_RATES.iter())
            .find(|rate| rate.bits_per_key == filter.bits_per_key && filter.set == KeySet::VideoIds);
        Some((filter, known, data.false_positives(HASH, filter.bits_per_key)))
    });
    let table = Table::of(rows)
        .column("#Bits per key", |(filter, ..)| {
            Cell::count(filter.bits_per_key.into())
        })
        .column("Set", |(filter, ..)| Cell::text(filter.set.dataset()))
        .column("#Keys", |(filter, ..)| Cell::count(filter.keys))
        .column("#Raw bytes", |(filter, ..)| Cell::count(filter.raw_bytes))
        .column("#Filter bytes, published", |(filter, ..)| {
            Cell::count(filter.filter_bytes)
        })
        .column("#Filter bytes, formula", |(filter, ..)| {
            Cell::count(filter.formula_bytes())
        })
        .column("#Saved", |(filter, ..)| {
            Cell::sorted(format!("{:.4} %", filter.saved * 100.0), filter.saved)
        })
        .column("#Published “error rate (per 10,000)”", |(filter, ..)| {
            let share = filter.matches_per_10_000;
            share.map(|share| Cell::sorted(format!("{share:.4}"), share))
        })
        .column("#Textbook, 80,000 keys", |(_, known, _)| {
            known.map(|rate| Cell::percent(rate.textbook))
        })
        .column("#This policy, 80,000 keys", |(_, known, _)| {
            known.map(|rate| Cell::percent(rate.policy))
        })
        .column("#This run", |(.., ours)| ours.map(|row| Cell::percent(row.rate)))
        .column("#over keys", |(.., ours)| ours.map(|row| Cell::count(row.keys)));
    table.if_any().map(|table| FilterComparison { table })
}
