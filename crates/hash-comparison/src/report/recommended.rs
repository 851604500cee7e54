//! The section on what to take: the whole short list, and why the others are left out.

use serde::Serialize;

use super::table::{Cell, Table};
use crate::judge::recommend::words;
use crate::record::{Recommendation, Run};
use plots::scene::printable;

/// What the section shows.
#[derive(Serialize)]
pub(super) struct Section {
    criteria: String,
    datasets: Vec<OfDataset>,
}

/// One dataset.
#[derive(Serialize)]
struct OfDataset {
    name: String,
    asked: String,
    list: Option<Table>,
    mine: Option<String>,
    notes: Vec<String>,
    excluded: Option<Table>,
}

/// `None` in runs that recommend nothing.
pub(super) fn section(run: &Run) -> Option<Section> {
    let first = run.recommendations.first()?;
    Some(Section {
        criteria: words::criteria(first.purpose).to_owned(),
        datasets: run.recommendations.iter().map(of_dataset).collect(),
    })
}

/// What counts for each purpose, for the method.
pub(super) fn criteria() -> Vec<&'static str> {
    words::PURPOSES.map(words::criteria).to_vec()
}

fn of_dataset(told: &Recommendation) -> OfDataset {
    OfDataset {
        name: printable(&told.dataset),
        asked: words::asked(told),
        list: list(told),
        mine: told.mine.as_ref().map(|mine| printable(&mine.words)),
        notes: told.notes.iter().map(|note| printable(note)).collect(),
        excluded: excluded(told),
    }
}

fn list(told: &Recommendation) -> Option<Table> {
    let mut table = Table::new(["Function", "#Rank", "#ns per key", "#from", "#to", "Why"]);
    for one in &told.short_list {
        let time = |ns: Option<f64>| Cell::or_empty(ns.map(Cell::number));
        table.push(vec![
            Cell::text(&one.function),
            Cell::count(one.rank),
            time(one.time.map(|time| time.ns)),
            time(one.time.map(|time| time.low_ns)),
            time(one.time.map(|time| time.high_ns)),
            Cell::classed(&one.reasons.join("; "), "wide"),
        ]);
    }
    for one in &told.more {
        let mut cells = vec![Cell::text(&one.function), Cell::count(one.rank)];
        cells.extend((0..4).map(|_| Cell::text("")));
        table.push(cells);
    }
    (!told.short_list.is_empty()).then_some(table)
}

fn excluded(told: &Recommendation) -> Option<Table> {
    let mut table = Table::new(["Function", "Left out because", "What was seen, or is known"]);
    for group in &told.excluded {
        for one in &group.functions {
            table.push(vec![
                Cell::text(&one.function),
                Cell::text(words::ground(group.ground)),
                Cell::classed(&one.reason, "wide"),
            ]);
        }
    }
    (!told.excluded.is_empty()).then_some(table)
}
