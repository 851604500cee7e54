//! Tables of the tests on bits: windows, avalanche and independence.

use crate::page::table::{Cell, Table};
use crate::questions::mixing::KEY_BYTES;
use crate::questions::on_dataset::{DatasetRows, distinct};
use crate::questions::windows::{failed, place};
use crate::questions::{MixingTest, Records, WindowRow, mixing};
use crate::record::{BitFact, BitTest, Run, Verdict, of};
use crate::vocabulary;

/// Counts each function's windows with too many collisions and shows its least likely one; `None` without rows.
pub(super) fn windows(data: &DatasetRows<'_>, run: &Run) -> Option<Table> {
    let functions = distinct(data.rows(&data.records.windows).map(|row| row.function.as_str()));
    let rows = functions.into_iter().map(|function| {
        let rows: Vec<&WindowRow> = data.about(&data.records.windows, function).collect();
        // Windows with too many collisions come before all others.
        let least = rows.iter().copied().min_by(|a, b| {
            let few = |row| !failed(row);
            few(a).cmp(&few(b)).then(a.p_value.total_cmp(&b.p_value))
        });
        (function, rows, least)
    });
    Table::of(rows)
        .column("Function", |&(name, ..)| name)
        .column("#Windows", |(_, rows, _)| rows.len() as u64)
        .column("#With too many collisions", |(_, rows, _)| {
            rows.iter().filter(|row| failed(row)).count() as u64
        })
        .column("Least likely window", |(.., least)| least.map(place))
        .column("#Its collisions", |(.., least)| least.map(|row| row.collisions))
        .column("#Expected", |(.., least)| least.map(|row| row.expected))
        .column("#Its p, adjusted", |(.., least)| {
            least.map(|row| Cell::p(row.p_adjusted))
        })
        .column("Why", |(name, ..)| {
            let why = reasons(run, name, BitTest::Windows, Some(&data.summary.name));
            Cell::folded(&why, "why")
        })
        .if_any()
}

/// Builds the table of one test for every function; `None` if the run skipped the test.
pub(super) fn of_mixing(records: &Records, test: MixingTest) -> Option<Table> {
    let rows = || records.mixing.iter().filter(|row| row.test == test);
    rows().next()?;
    let kind = match test {
        MixingTest::Avalanche => BitTest::Avalanche,
        MixingTest::Independence => BitTest::Independence,
    };
    let functions = records.run.functions.iter().map(|function| {
        let name = function.name.as_str();
        let least = of(rows(), name).map(|row| row.p_adjusted).min_by(f64::total_cmp);
        (name, least)
    });
    let outcome = |p| {
        if mixing::failed(p) {
            vocabulary::result(Verdict::WorseThanChance)
        } else {
            vocabulary::result(Verdict::WithinChance)
        }
    };
    let mut table = Table::of(functions)
        .column("Function", |&(name, _)| name)
        .column("Outcome", |(_, least)| least.map(outcome));
    for bytes in KEY_BYTES {
        table = table.column(&format!("#Deviating cells, {bytes} bytes"), |(name, _)| {
            let row = of(rows(), name).find(|row| row.key_bytes == bytes);
            row.map(|row| Cell::percent(row.off_cells as f64 / row.cells as f64))
        });
    }
    let why = |name| Cell::folded(&reasons(&records.run, name, kind, None), "why");
    table
        .column("#Least p, adjusted", |(_, least)| least.map(Cell::p))
        .column("Why", |(name, _)| why(name))
        .if_any()
}

/// Returns the reasons why a function failed a test.
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
