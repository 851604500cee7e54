//! The results of a dataset.

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::questions::filters::BITS_PER_KEY;
use crate::questions::on_dataset::DatasetRows;
use crate::questions::{Place, TimingRow};
use crate::record::{CallForm, Choice};

/// Returns the results of each function: the published layout (function, time, collisions, total) and further columns.
pub(super) fn results(data: &DatasetRows<'_>) -> Value {
    let rows = data.best_first().into_iter().map(|finding| {
        let name = finding.function.as_str();
        let time = data.throughput(name);
        let memory = |form| {
            let mut rows = data.about(&data.records.places, name);
            let row = rows.find(|row| (row.place, row.form) == (Place::Memory, form));
            row.map(|row| row.median_ns_per_key)
        };
        let compared = |choice| {
            let mut rows = data.about(&data.records.occupancy, name);
            rows.find(|row| row.choice == choice).map(|row| row.hit)
        };
        let rates = BITS_PER_KEY.map(|bits| data.false_positives(name, bits).map(Serde));
        let mut functions = data.records.run.functions.iter();
        context! {
            function => name,
            collided => data.full_width(name).map(Serde),
            output_bits => functions.find(|one| one.name == name).map(|one| one.output_bits),
            time => time.map(Serde),
            all_ns => time.map(|row| all_ns(row, data.summary.keys)),
            chained_ns => data.chained(name).map(|row| row.median_ns_per_key),
            memory_ns => [CallForm::Independent, CallForm::Chained].map(memory).into_iter().collect::<Value>(),
            rates => rates.into_iter().collect::<Value>(),
            compared => [Choice::LowBits, Choice::Remainder].map(compared).into_iter().collect::<Value>(),
            verdict => Value::from(Serde(finding.verdict)),
            advice => data.advice(name).map(Serde),
        }
    });
    rows.collect()
}

/// Returns the median per key times the number of keys: the published table has totals, but timing samples large sets.
fn all_ns(row: &TimingRow, keys: u64) -> u64 {
    libm::round(row.median_ns_per_key * keys as f64) as u64
}
