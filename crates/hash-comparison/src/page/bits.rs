//! The tests on bits: windows, avalanche and independence.

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::questions::mixing::KEY_BYTES;
use crate::questions::on_dataset::{DatasetRows, distinct};
use crate::questions::windows::{failed, place};
use crate::questions::{MixingTest, Records, WindowRow, mixing};
use crate::record::{BitFact, BitTest, Run, Verdict, of};
use crate::vocabulary;

/// Returns each function's number of windows, of those with too many collisions, and its least likely one.
pub(super) fn windows(data: &DatasetRows<'_>, run: &Run) -> Value {
    let functions = distinct(data.rows(&data.records.windows).map(|row| row.function.as_str()));
    let rows = functions.into_iter().map(|function| {
        let rows: Vec<&WindowRow> = data.about(&data.records.windows, function).collect();
        // Windows with too many collisions come before all others.
        let least = rows.iter().copied().min_by(|a, b| {
            let few = |row| !failed(row);
            few(a).cmp(&few(b)).then(a.p_value.total_cmp(&b.p_value))
        });
        context! {
            function,
            windows => rows.len(),
            failed => rows.iter().filter(|row| failed(row)).count(),
            least => least.map(Serde),
            place => least.map(place),
            why => reasons(run, function, BitTest::Windows, Some(&data.summary.name)),
        }
    });
    rows.collect()
}

/// Returns the results of one test for every function; none if the run skipped the test.
pub(super) fn of_mixing(records: &Records, test: MixingTest) -> Value {
    let rows = || records.mixing.iter().filter(|row| row.test == test);
    let kind = match test {
        MixingTest::Avalanche => BitTest::Avalanche,
        MixingTest::Independence => BitTest::Independence,
    };
    let outcome = |p| match mixing::failed(p) {
        true => vocabulary::result(Verdict::WorseThanChance),
        false => vocabulary::result(Verdict::WithinChance),
    };
    let functions = records.run.functions.iter().filter(|_| rows().next().is_some());
    let functions = functions.map(|function| {
        let name = function.name.as_str();
        let least = of(rows(), name).map(|row| row.p_adjusted).min_by(f64::total_cmp);
        let share = |bytes| {
            let row = of(rows(), name).find(|row| row.key_bytes == bytes);
            row.map(|row| row.off_cells as f64 / row.cells as f64)
        };
        context! {
            function => name,
            outcome => least.map(outcome),
            shares => KEY_BYTES.map(share).into_iter().collect::<Value>(),
            least,
            why => reasons(&records.run, name, kind, None),
        }
    });
    functions.collect()
}

/// Returns the reasons why a function failed a test.
fn reasons(run: &Run, function: &str, test: BitTest, dataset: Option<&str>) -> Value {
    let of = |fact: &&BitFact| {
        fact.function == function && fact.test == test && fact.dataset.as_deref() == dataset
    };
    run.bit_facts.iter().filter(of).map(|fact| &fact.reason).collect()
}
