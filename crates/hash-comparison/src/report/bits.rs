//! Tables of what functions do to single bits.

use super::table::{Cell, Table};
use crate::judge::mixing;
use crate::judge::windows::{failed, place};
use crate::measure::mixing::KEY_BYTES;
use crate::record::files::Records;
use crate::record::{BitFact, BitTest, MixingRow, MixingTest, Run};
use crate::report::chart::rows::{DatasetRows, distinct};
use plots::number;

/// How many windows of each function have too many collisions, and its least likely one; `None` without rows.
pub(super) fn windows(data: &DatasetRows<'_>, run: &Run) -> Option<Table> {
    let mut table = Table::new([
        "Function",
        "#Windows",
        "#With too many collisions",
        "Least likely window",
        "#Its collisions",
        "#Expected",
        "#Its p, adjusted",
        "Why",
    ]);
    let functions = distinct(data.windows.iter().map(|row| row.function.as_str()));
    if functions.is_empty() {
        return None;
    }
    for function in functions {
        let rows = || data.windows.iter().filter(|row| row.function == function);
        let off = rows().filter(|row| failed(row)).count() as u64;
        // Those with too many collisions before those with too few.
        let least = rows().min_by(|a, b| {
            let few = |row| !failed(row);
            few(a).cmp(&few(b)).then(a.p_value.total_cmp(&b.p_value))
        });
        let why = reasons(run, function, BitTest::Windows, Some(&data.summary.name));
        let mut cells = vec![
            Cell::text(function),
            Cell::count(rows().count() as u64),
            Cell::count(off),
        ];
        cells.push(Cell::or_empty(least.map(|row| Cell::text(&place(row)))));
        cells.push(Cell::or_empty(least.map(|row| Cell::count(row.collisions))));
        cells.push(Cell::or_empty(least.map(|row| Cell::number(row.expected))));
        cells.push(Cell::or_empty(least.map(|row| p_cell(row.p_adjusted))));
        cells.push(Cell::folded(&why, "why"));
        table.push(cells);
    }
    Some(table)
}

/// What one test says of every function; `None` where the run did not ask.
pub(super) fn of_mixing(records: &Records, test: MixingTest) -> Option<Table> {
    let rows = || records.mixing.iter().filter(|row| row.test == test);
    rows().next()?;
    let kind = match test {
        MixingTest::Avalanche => BitTest::Avalanche,
        MixingTest::Independence => BitTest::Independence,
    };
    let heads = KEY_BYTES.map(|bytes| format!("#Cells off, {bytes} bytes"));
    let mut table = Table::new(
        ["Function", "Outcome"]
            .into_iter()
            .chain(heads.iter().map(String::as_str))
            .chain(["#Least p, adjusted", "Why"]),
    );
    for function in &records.run.functions {
        let name = function.name.as_str();
        let of_function = || rows().filter(|row| row.function == name);
        let least = of_function().map(|row| row.p_adjusted).min_by(f64::total_cmp);
        let outcome = |p| Cell::text(if mixing::failed(p) { "fails" } else { "as chance" });
        let mut cells = vec![Cell::text(name), Cell::or_empty(least.map(outcome))];
        for bytes in KEY_BYTES {
            let share = |row: &MixingRow| Cell::percent(row.off_cells as f64 / row.cells as f64);
            cells.push(Cell::or_empty(
                of_function().find(|row| row.key_bytes == bytes).map(share),
            ));
        }
        cells.push(Cell::or_empty(least.map(p_cell)));
        cells.push(Cell::folded(&reasons(&records.run, name, kind, None), "why"));
        table.push(cells);
    }
    Some(table)
}

/// What failed, in words.
fn reasons(run: &Run, function: &str, test: BitTest, dataset: Option<&str>) -> Vec<String> {
    let of = |fact: &&BitFact| {
        fact.function == function && fact.test == test && fact.dataset.as_deref() == dataset
    };
    run.bit_facts
        .iter()
        .filter(of)
        .map(|fact| fact.reason.clone())
        .collect()
}

fn p_cell(p: f64) -> Cell {
    Cell::sorted(number::p_value(p), p)
}
