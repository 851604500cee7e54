//! The rows about a function on a dataset, from which the templates fill their tables.

use minijinja::context;
use minijinja::value::{Serde, Value};
use serde::Serialize;

use crate::questions::on_dataset::DatasetRows;
use crate::record::{About, CallForm, Finding};

/// Returns the rows about one function, by file, with the finding and the advice.
pub(super) fn of(data: &DatasetRows<'_>, function: &str) -> Value {
    fn rows<R: About + Serialize>(data: &DatasetRows<'_>, rows: &[R], function: &str) -> Value {
        data.about(rows, function).map(Serde).collect()
    }
    let records = data.records;
    let mut functions = records.run.functions.iter();
    let mut findings = data.findings.iter();
    let finding: Option<&&Finding> = findings.find(|finding| finding.function == function);
    context! {
        name => function,
        output_bits => functions.find(|one| one.name == function).map(|one| one.output_bits),
        is_shown => data.is_shown(function),
        rank => finding.map(|finding| finding.rank),
        verdict => finding.map(|finding| Serde(finding.verdict)),
        advice => data.advice(function).map(Serde),
        collided => data.full_width(function).map(Serde),
        time => data.time(function, CallForm::Independent).map(Serde),
        chained => data.time(function, CallForm::Chained).map(Serde),
        times => rows(data, &records.timing, function),
        rates => rows(data, &records.false_positives, function),
        sizes => data.about(&records.near_sizes, function).filter(|row| row.compared.is_some()).map(Serde).collect::<Value>(),
        tables => rows(data, &records.occupancy, function),
        shards => rows(data, &records.shards, function),
        costs => rows(data, &records.costs, function),
    }
}
