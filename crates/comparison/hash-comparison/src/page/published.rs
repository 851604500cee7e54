//! The published figures next to ours.

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::advice::published::{CountRow, FilterRow, PublishedSet};
use crate::functions::POLICY_HASH;
use crate::questions::on_dataset::DatasetRows;
use crate::record::{CallForm, DatasetKind};
use terminal::number;

/// Returns the published set that `data` stands for, by name and size; a user's own file stands for none.
fn set_of(data: &DatasetRows<'_>) -> Option<PublishedSet> {
    let set = PublishedSet::of_dataset(&data.summary.name)?;
    (data.summary.kind != DatasetKind::File && data.summary.keys == set.keys()).then_some(set)
}

/// Compares collisions and times of one dataset with the published ones; `None` if the articles have no such set.
pub(crate) fn of_set(data: &DatasetRows<'_>) -> Option<Value> {
    let set = set_of(data)?;
    let (mut equal, mut inside) = (0, 0);
    let rows = CountRow::of(set).filter_map(|row| {
        let (theirs, ours) = (row.collisions, data.full_width(&row.function)?.collisions);
        equal += usize::from(ours == theirs);
        inside += usize::from(row.spans(theirs));
        Some(context! {
            theirs => Value::from(Serde(row)),
            ours,
            z => [theirs, ours].map(|count| row.z(count)).into_iter().collect::<Value>(),
            their_ns => row.total_ns as f64 / set.keys() as f64,
            our_ns => data.time(&row.function, CallForm::Independent).map(|row| row.median_ns_per_key),
        })
    });
    let rows: Vec<Value> = rows.collect();
    rows.first()?;
    Some(context! {
        dataset => set.to_string(),
        exact => set.is_exact(),
        seeds => number::grouped(set.seeds()),
        equal,
        inside,
        compared => rows.len(),
        rows,
    })
}

/// Compares the published filters of the measured sets with ours.
pub(crate) fn of_filters(all: &[DatasetRows<'_>]) -> Value {
    let rows = FilterRow::all().iter().filter_map(|filter| {
        let data = all.iter().find(|data| set_of(data) == Some(filter.set))?;
        Some(context! {
            theirs => Value::from(Serde(filter)),
            formula_bytes => filter.formula_bytes(),
            ours => data.false_positives(POLICY_HASH, filter.bits_per_key).map(Serde),
        })
    });
    rows.collect()
}
