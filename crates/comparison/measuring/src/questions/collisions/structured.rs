//! Judges a function by its collisions on structured key sets, for keys that nobody knows yet.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{CollisionRow, furthest};
use crate::keys::Manifest;
use crate::keys::structured::{self, StructuredSet};
use crate::questions::Records;
use crate::questions::on_dataset::distinct;
use crate::questions::shades::Heat;
use crate::record::{self, DatasetSummary, End};
use plots::cells::{Cell, Column, Grid};
use plots::key::Sign;
use plots::scene::Scene;

/// The sets on which a function collides more than by chance.
#[derive(Debug, Clone, Serialize)]
pub struct SetsFailed {
    /// The failed sets.
    pub failed: usize,
    /// The failed sets that fail only in their high bits.
    pub high_only: usize,
    /// All sets.
    pub tried: usize,
}

/// Returns the results of `function` on structured keys.
pub fn sets_failed(records: &Records, function: &str) -> SetsFailed {
    let rows = || record::of(&records.structured, function);
    let sets = |counts: &dyn Fn(&CollisionRow) -> bool| {
        let names = rows().filter(|row| counts(row)).map(|row| row.dataset.as_str());
        names.collect::<BTreeSet<&str>>().len()
    };
    let (failed, tried) = (sets(&CollisionRow::is_worse), sets(&|_| true));
    let elsewhere = sets(&|row| row.is_worse() && row.end != End::High);
    SetsFailed {
        failed,
        high_only: failed - elsewhere,
        tried,
    }
}

/// Returns the structured set most like the keys of a dataset, if there is one.
pub fn nearest(dataset: &DatasetSummary) -> Option<&'static StructuredSet> {
    let name = Manifest::of(dataset)?.nearest_structured.as_deref()?;
    structured::ALL.iter().find(|set| set.name == name)
}

/// The shades of p-values: about one cell in a thousand has the first by chance, and hardly any the others.
const SHADES: [(f64, Heat, &str); 4] = [
    (1.0, Heat::Chance, "p ≥ 0.001: chance"),
    (1e-3, Heat::Above(1), "p < 0.001"),
    (1e-6, Heat::Above(2), "p < 1e-6"),
    (1e-30, Heat::Above(Heat::MAX_CLASS), "p < 1e-30"),
];

/// Draws the chart from `structured.csv` alone; `None` in runs without these rows.
pub(super) fn scene(records: &Records) -> Option<Scene> {
    let all = &records.structured;
    let sets = distinct(all.iter().map(|row| row.dataset.as_str()));
    let functions = distinct(all.iter().map(|row| row.function.as_str()));
    all.first()?;
    let column = |set: &&str| Column {
        group: "",
        head: set.replacen('-', "\n", 1),
        width: 44.0,
    };
    let cell = |at: (usize, usize)| {
        let (function, set) = (functions[at.0], sets[at.1]);
        let mut of_cell = record::about(all, set, function).peekable();
        of_cell.peek()?;
        let worst = furthest(of_cell);
        let p = worst.map_or(1.0, |row| row.p_value);
        let shade = SHADES
            .iter()
            .rfind(|(below, ..)| p < *below)
            .map_or(Heat::Chance, |shade| shade.1);
        Some(Cell {
            at,
            fill: shade.fill(),
            ink: shade.ink(),
            text: worst
                .and_then(CollisionRow::ratio)
                .map_or_else(String::new, short),
        })
    };
    let places = (0..functions.len()).flat_map(|row| (0..sets.len()).map(move |column| (row, column)));
    let table = Grid {
        description: "Structured keys: ratio of each function's collisions to chance, per key set".to_owned(),
        title: "Structured keys".to_owned(),
        key: &SHADES.map(|(_, shade, words)| (Sign::Shade(shade.fill()), words)),
        names: &functions,
        columns: sets.iter().map(column).collect(),
        notes: &[
            "Columns: key sets. Cells: ratio of collisions to chance at the worst width, where significant after \
                  correction for all tests; shaded by p at that width.",
        ],
        cells: places.filter_map(cell).collect(),
    };
    Some(table.scene())
}

/// Formats a ratio above 1 in at most four characters.
fn short(ratio: f64) -> String {
    match ratio {
        _ if ratio < 9.95 => format!("{ratio:.1}"),
        _ if ratio < 9_999.5 => format!("{ratio:.0}"),
        _ => format!("{ratio:.0e}"),
    }
}
