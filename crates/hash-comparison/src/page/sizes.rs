//! Time, collisions and filter rate by number of keys, each with its basis: counted, expected or a lower bound.

use minijinja::context;
use minijinja::value::Value;

use crate::advice::recommend::{at_sizes, form};
use crate::questions::Records;
use crate::questions::collisions::even_chance;
use crate::questions::on_dataset::{DatasetRows, distinct};
use crate::record::{AtSize, Basis, DatasetSummary, Purpose, Recommendation, Standing, of, on};
use records::number::{grouped, percent, significant};

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

/// Returns time, collisions and filter rate at several numbers of keys, one row per function; `None` without rows.
pub(super) fn sizes(rows: &[AtSize]) -> Option<Value> {
    let functions = distinct(rows.iter().map(|row| row.function.as_str()));
    functions.first()?;
    let mut keys: Vec<u64> = rows.iter().map(|row| row.keys).collect();
    keys.dedup();
    let cell = |row: &AtSize| {
        let time = row
            .total_ms
            .map_or_else(String::new, |ms| format!("{}, ", duration(ms)));
        let count = |count: f64| match count {
            // Practically none.
            few if few < 1e-3 => "0".to_owned(),
            // Counted collisions are whole numbers.
            many if row.collisions_basis != Basis::Expected => grouped(many as u64),
            some => significant(some, 2),
        };
        let collisions = with_basis(row.collisions.map(count), row.collisions_basis, "collisions");
        let range = row
            .lowest_rate
            .zip(row.highest_rate)
            .filter(|(low, high)| low < high);
        let interval = range.map_or_else(String::new, |(low, high)| {
            let [low, high] = [low, high].map(percent);
            format!(" ({} to {high})", low.trim_end_matches(" %"))
        });
        let rate = with_basis(row.rate.map(percent), row.rate_basis, "") + &interval;
        context! { words => format!("{time}{collisions}"), rate }
    };
    let row = |name: &str| {
        let at = |keys: &u64| {
            rows.iter()
                .find(|row| row.keys == *keys && row.function == name)
                .map(cell)
        };
        context! { name, cells => keys.iter().map(at).collect::<Value>() }
    };
    Some(context! {
        heads => keys.iter().map(|&keys| format!("{} keys", grouped(keys))).collect::<Value>(),
        rows => functions.into_iter().map(row).collect::<Value>(),
    })
}

/// Formats a figure with its noun and its basis: counted, expected or a lower bound.
fn with_basis(figure: Option<String>, basis: Basis, noun: &str) -> String {
    let text = match (figure, basis) {
        (None, _) => format!("{noun} unknown"),
        (Some(figure), Basis::Measured) => format!("{figure} {noun}"),
        (Some(figure), Basis::Expected) => format!("{} expected", format!("{figure} {noun}").trim_end()),
        (Some(figure), Basis::AtLeast) => format!("≥ {figure} {noun}"),
    };
    text.trim().to_owned()
}

fn duration(milliseconds: f64) -> String {
    if milliseconds >= 1000.0 {
        format!("{} s", significant(milliseconds / 1000.0, 2))
    } else {
        format!("{} ms", significant(milliseconds, 2))
    }
}
