//! The published figures next to ours.

use minijinja::context;
use minijinja::value::Value;

use crate::advice::published::{FILTERS, KeySet, ROWS, Row};
use crate::page::table::{Cell, Table};
use crate::questions::on_dataset::DatasetRows;
use crate::record::DatasetKind;
use records::number;

/// Returns the published set that `data` stands for, by name and size; a user's own file stands for none.
fn set_of(data: &DatasetRows<'_>) -> Option<KeySet> {
    let set = KeySet::of_dataset(&data.summary.name)?;
    (data.summary.kind != DatasetKind::File && data.summary.keys == set.keys()).then_some(set)
}

/// Compares collisions and times of one dataset with the published ones; `None` if the articles have no such set.
pub(crate) fn of_set(data: &DatasetRows<'_>) -> Option<Value> {
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
    let count = |holds: fn(&(&Row, u64, u64), KeySet) -> bool| {
        let rows = rows.iter().filter(|row| holds(row, set));
        rows.count()
    };
    let (compared, equal) = (rows.len(), count(|(_, ours, theirs), _| ours == theirs));
    let inside = count(|(row, _, theirs), set| {
        row.spread(set)
            .is_some_and(|spread| (spread.min..=spread.max).contains(theirs))
    });
    let mut table = Table::of(rows)
        .column("Function", |(row, ..)| row.function)
        .column("#Published collisions", |&(.., theirs)| theirs)
        .column("#Ours", |&(_, ours, _)| ours);
    if set.is_exact() {
        table = table.column(
            "Equal",
            |(_, ours, theirs)| {
                if ours == theirs { "yes" } else { "NO" }
            },
        );
    } else {
        let of = |row: &Row| row.spread(set);
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
            .column("#Fewest", |(row, ..)| of(row).map(|spread| spread.min))
            .column("#Most", |(row, ..)| of(row).map(|spread| spread.max))
            .column("#z, published", |&(row, _, theirs)| z(row, theirs))
            .column("#z, ours", |&(row, ours, _)| z(row, ours));
    }
    let table = table
        .column("#Published ns per key", |(row, ..)| {
            row.total_ns(set) as f64 / set.keys() as f64
        })
        .column("#Ours, ns per key", |(row, ..)| {
            let time = data.throughput(row.function);
            time.map(|row| row.median_ns_per_key)
        });
    Some(context! {
        dataset => set.dataset(),
        exact => set.is_exact(),
        seeds => number::grouped(u64::from(set.seeds())),
        equal,
        inside,
        compared,
        table => table.if_any()?,
    })
}

/// Compares the published filters of the measured sets with ours; `None` without any.
pub(crate) fn of_filters(all: &[DatasetRows<'_>]) -> Option<Table> {
    /// The hash of the filter policy.
    const HASH: &str = "MurMurHash2";
    let rows = FILTERS.iter().filter_map(|filter| {
        let data = all.iter().find(|data| set_of(data) == Some(filter.set))?;
        Some((
            filter,
            filter.known,
            data.false_positives(HASH, filter.bits_per_key),
        ))
    });
    let table = Table::of(rows)
        .column("#Bits per key", |(filter, ..)| filter.bits_per_key)
        .column("Set", |(filter, ..)| filter.set.dataset())
        .column("#Keys", |(filter, ..)| filter.keys)
        .column("#Raw bytes", |(filter, ..)| filter.raw_bytes)
        .column("#Filter bytes, published", |(filter, ..)| filter.filter_bytes)
        .column("#Filter bytes, formula", |(filter, ..)| filter.formula_bytes())
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
        .column("#Keys in this run", |(.., ours)| ours.map(|row| row.keys));
    table.if_any()
}
