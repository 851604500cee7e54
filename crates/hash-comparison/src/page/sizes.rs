//! Time, collisions and filter rate by number of keys, each with its basis: counted, expected or a lower bound.

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::advice::recommend::{at_sizes, form};
use crate::questions::Records;
use crate::questions::collisions::even_chance;
use crate::questions::on_dataset::{DatasetRows, distinct};
use crate::record::{AtSize, DatasetSummary, Purpose, Recommendation, Standing, of, on};
use records::number::{grouped, significant};

/// Returns the collisions in the common width: those expected, those of the pick and the runner-up, and the number of
/// keys with an even chance of one. The script adds the function in use.
pub(super) fn collisions(
    records: &Records,
    dataset: &DatasetSummary,
    recommendation: &Recommendation,
) -> Option<Value> {
    let rows = || on(&records.collisions, &dataset.name);
    let bits = rows().map(|row| row.bits).max()?;
    let expected = rows().find(|row| row.bits == bits)?.expected;
    let best = recommendation
        .functions
        .iter()
        .filter(|one| one.standing <= Standing::RunnerUp);
    let found = best.filter_map(|one| {
        let row = of(rows(), &one.function).max_by_key(|row| row.bits)?;
        let width = if row.bits < bits {
            format!(" in {} bits", row.bits)
        } else {
            String::new()
        };
        Some(format!("{} {}{width}", one.function, grouped(row.collisions)))
    });
    Some(context! {
        bits,
        wider => records.run.functions.iter().any(|one| one.output_bits > bits),
        keys => grouped(dataset.keys),
        expected => significant(expected, 3),
        found => found.collect::<Vec<_>>().join(", "),
        even => grouped(even_chance(bits)),
    })
}

/// Returns the costs of all functions by number of keys, in both call forms, for a reader who selects another one.
pub(super) fn all_sizes(data: &DatasetRows<'_>) -> Value {
    let purposes = [Purpose::Table, Purpose::Filter].into_iter();
    let of = |purpose| {
        let rows = at_sizes(data.records, data.summary, purpose);
        let sizes = sizes(&rows)?;
        Some(context! { form => form(purpose).to_string(), sizes })
    };
    purposes.filter_map(of).collect()
}

/// Returns the numbers of keys and, for each function, its costs at each of them; `None` without rows.
pub(super) fn sizes(rows: &[AtSize]) -> Option<Value> {
    let functions = distinct(rows.iter().map(|row| row.function.as_str()));
    functions.first()?;
    let mut keys: Vec<u64> = rows.iter().map(|row| row.keys).collect();
    keys.dedup();
    let row = |name: &str| {
        let at = |keys: &u64| rows.iter().find(|row| row.keys == *keys && row.function == name);
        context! { name, cells => keys.iter().map(|keys| at(keys).map(Serde)).collect::<Value>() }
    };
    let rows: Value = functions.into_iter().map(row).collect();
    Some(context! { keys, rows })
}
