//! The tables of collisions: windows of the values, and structured keys.

use super::{CollisionRow, furthest};
use crate::keys::structured;
use crate::questions::Records;
use crate::questions::on_dataset::{DatasetRows, distinct};
use crate::questions::tables::{Cell, Column, Table};
use crate::record::{BitFact, BitTest, about, on};

/// Returns each function's number of windows, of those with too many collisions, and its least likely one; windows with too many
/// collisions come before all others.
pub(super) fn windows(data: &DatasetRows<'_>) -> Vec<Table> {
    let heads = [
        "Windows",
        "With too many collisions",
        "Least likely window",
        "Its collisions",
        "Expected",
        "Its p, adjusted",
        "Why",
    ];
    let functions = distinct(data.rows(&data.records.windows).map(|row| row.function.as_str()));
    let rows = functions.into_iter().map(|function| {
        let rows = || data.about(&data.records.windows, function);
        let least = rows().min_by(|a, b| {
            let worse = b.is_worse().cmp(&a.is_worse());
            worse.then(a.p_value.total_cmp(&b.p_value))
        });
        let is_it = |fact: &&BitFact| {
            fact.is(function, BitTest::Windows) && fact.dataset.as_ref() == Some(&data.summary.name)
        };
        let facts = data.records.run.bit_facts.iter().filter(is_it);
        let cells = vec![
            Cell::Count(rows().count() as u64),
            Cell::Count(rows().filter(|row| row.is_worse()).count() as u64),
            least.map(|row| Cell::Text(row.place())).into(),
            least.map(|row| Cell::Count(row.collisions)).into(),
            least.map(|row| Cell::digits(row.expected)).into(),
            least.map(|row| Cell::P(row.p_adjusted)).into(),
            Cell::Lines(facts.map(|fact| fact.reason.clone()).collect()),
        ];
        (function, cells)
    });
    vec![Table::named("windows of the values", "Function", heads, rows)]
}

const FAILURES: &[Column<CollisionRow>] = &[
    ("Function", |row| Cell::Name(row.function.clone())),
    ("Set", |row| Cell::text(&row.dataset)),
    ("Compared", |row| Cell::Text(row.place())),
    ("Keys", |row| Cell::Count(row.keys)),
    ("Collisions", |row| Cell::Count(row.collisions)),
    ("Expected", |row| Cell::digits(row.expected)),
    ("99 % from", |row| Cell::digits(row.ci_low)),
    ("to", |row| Cell::digits(row.ci_high)),
    ("p, adjusted", |row| Cell::P(row.p_adjusted)),
    ("Verdict", |row| Cell::Verdict(row.verdict)),
    ("Two keys that collide", pair),
];

fn pair(row: &CollisionRow) -> Cell {
    Cell::Keys([row.first.clone(), row.second.clone()])
}

/// Returns the sets, the functions with the sets on which they failed, and the failures.
pub(super) fn structured(records: &Records) -> Vec<Table> {
    let all = &records.structured;
    let set_names = distinct(all.iter().map(|row| row.dataset.as_str()));
    let functions = distinct(all.iter().map(|row| row.function.as_str()));
    // The worst row of each set on which a function failed, with the sets in recorded order.
    let failed = |function: &str| -> Vec<CollisionRow> {
        let sets = set_names.iter();
        sets.filter_map(|set| furthest(about(all, set, function)).cloned())
            .collect()
    };
    let failed: Vec<(&str, Vec<CollisionRow>)> = functions
        .into_iter()
        .map(|function| (function, failed(function)))
        .collect();
    let sets = set_names.iter().map(|set| {
        let known = structured::ALL.iter().find(|known| known.name == *set);
        let keys = on(all, set).next().map(|row| Cell::Count(row.keys));
        let recipe = known.map(|known| Cell::text(known.recipe));
        (*set, vec![keys.into(), recipe.into()])
    });
    let functions = failed.iter().map(|(function, rows)| {
        let worst = furthest(rows);
        let cells = vec![
            Cell::Count(rows.len() as u64),
            Cell::Count(set_names.len() as u64),
            worst.map(|row| Cell::text(&row.dataset)).into(),
            worst.and_then(CollisionRow::ratio).map(Cell::digits).into(),
            worst.map(pair).into(),
            Cell::Lines(rows.iter().map(|row| row.dataset.clone()).collect()),
        ];
        (*function, cells)
    });
    let of_functions = [
        "Sets failed",
        "Of",
        "Worst set",
        "Ratio to chance there",
        "Two keys that collide there",
        "Which sets",
    ];
    let failures = failed.iter().flat_map(|(_, rows)| rows);
    vec![
        Table::named("Structured keys: sets", "Set", ["Keys", "Recipe"], sets),
        Table::named("Structured keys: functions", "Function", of_functions, functions),
        Table::of("Structured keys: failures", FAILURES, failures),
    ]
}
