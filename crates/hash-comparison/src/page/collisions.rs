//! Collisions in windows of the values and on structured keys, and the false-alarm rate of the tests.

use std::path::Path;

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::advice::calibration::{COMMITTED, CalibrationRow};
use crate::keys::structured;
use crate::questions::collisions::furthest;
use crate::questions::on_dataset::{DatasetRows, distinct};
use crate::questions::{CollisionRow, Records};
use crate::record::{about, on};
use records::table;

/// Returns each function's number of windows, of those with too many collisions, and its least likely one.
pub(super) fn windows(data: &DatasetRows<'_>) -> Value {
    let functions = distinct(data.rows(&data.records.windows).map(|row| row.function.as_str()));
    let rows = functions.into_iter().map(|function| {
        let rows: Vec<&CollisionRow> = data.about(&data.records.windows, function).collect();
        // Windows with too many collisions come before all others.
        let least = rows.iter().copied().min_by(|a, b| {
            b.is_worse()
                .cmp(&a.is_worse())
                .then(a.p_value.total_cmp(&b.p_value))
        });
        context! {
            function,
            windows => rows.len(),
            failed => rows.iter().filter(|row| row.is_worse()).count(),
            least => least.map(Serde),
            place => least.map(CollisionRow::place),
        }
    });
    rows.collect()
}

/// Returns what the section on structured keys shows, with its chart; `None` in runs without these rows.
pub(super) fn section(records: &Records, chart: Option<Value>) -> Option<Value> {
    let all = &records.structured;
    let first = all.first()?;
    let set_names = distinct(all.iter().map(|row| row.dataset.as_str()));
    // The worst row of each set on which a function failed, with the sets in recorded order.
    let failed = |function: &str| -> Vec<&CollisionRow> {
        let sets = set_names.iter();
        sets.filter_map(|set| furthest(about(all, set, function)))
            .collect()
    };
    let names = distinct(all.iter().map(|row| row.function.as_str()));
    let functions = names.iter().map(|&name| {
        let failed = failed(name);
        let worst = furthest(failed.iter().copied());
        context! {
            function => name,
            failed => Value::from(Serde(&failed)),
            worst => worst.map(Serde),
            ratio => worst.and_then(CollisionRow::ratio),
        }
    });
    let sets = set_names.iter().map(|set| {
        let known = structured::ALL.iter().find(|known| known.name == *set);
        let row = on(all, set).next().unwrap_or(first);
        context! { name => *set, keys => row.keys, recipe => known.map_or("", |known| known.recipe) }
    });
    Some(context! {
        chart,
        functions => functions.collect::<Value>(),
        failures => names.iter().flat_map(|name| failed(name)).map(Serde).collect::<Value>(),
        sets => sets.collect::<Value>(),
    })
}

/// Returns the calibration that is committed with the program.
pub(super) fn calibration() -> Result<Value, String> {
    let rows: Vec<CalibrationRow> = table::parse(Path::new("calibration.csv"), COMMITTED.as_bytes())
        .map_err(|error| error.to_string())?;
    Ok(Serde(rows).into())
}
