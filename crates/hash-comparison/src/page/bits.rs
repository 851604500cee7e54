//! The tests on bits: windows, avalanche and independence.

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::questions::CollisionRow;
use crate::questions::on_dataset::{DatasetRows, distinct};
use crate::record::{BitFact, BitTest, Run};

/// Returns each function's number of windows, of those with too many collisions, and its least likely one.
pub(super) fn windows(data: &DatasetRows<'_>, run: &Run) -> Value {
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
            why => reasons(run, function, BitTest::Windows, Some(&data.summary.name)),
        }
    });
    rows.collect()
}

/// Returns the reasons why a function failed a test.
fn reasons(run: &Run, function: &str, test: BitTest, dataset: Option<&str>) -> Value {
    let of = |fact: &&BitFact| {
        fact.function == function && fact.test == test && fact.dataset.as_deref() == dataset
    };
    run.bit_facts.iter().filter(of).map(|fact| &fact.reason).collect()
}
