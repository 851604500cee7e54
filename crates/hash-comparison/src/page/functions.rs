//! A panel for each function: facts, and results on every dataset next to the median of all functions.

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::advice::medians::Medians;
use crate::page::answer::Choices;
use crate::page::table::{Cell, Table};
use crate::questions::on_dataset::DatasetRows;
use crate::questions::{Records, TimingRow};
use crate::record::{Choice, FunctionSummary};
use crate::vocabulary;
use records::number;

/// Returns the id of the panel of the function with this index.
pub(super) fn id(index: usize) -> String {
    format!("f{index}")
}

/// Builds the panels, in the order measured.
pub(super) fn panels(records: &Records, all: &[DatasetRows<'_>], choices: &Choices) -> Value {
    let medians: Vec<Medians> = all
        .iter()
        .map(|data| Medians::of(records, &data.summary.name))
        .collect();
    let functions = records.run.functions.iter().enumerate();
    let panel = |(index, function): (usize, &FunctionSummary)| {
        context! {
            id => id(index),
            name => &function.name,
            facts => Value::from(Serde(function)),
            resistance => function.resistance.label(),
            results => results(all, &medians, choices, function),
        }
    };
    functions.map(panel).collect()
}

/// Builds the table of results with one column per dataset; the median of all functions follows each value.
fn results(
    all: &[DatasetRows<'_>],
    medians: &[Medians],
    choices: &Choices,
    function: &FunctionSummary,
) -> Table {
    let number = |value: f64| number::significant(value, 3);
    let (output_bits, function) = (function.output_bits, function.name.as_str());
    let beside = |value: Option<String>, median: Option<String>| match (value, median) {
        (Some(value), Some(median)) => format!("{value} (median of all: {median})"),
        (value, _) => value.unwrap_or_default(),
    };
    let column = |data: &DatasetRows<'_>, medians: &Medians| {
        let rate = data.false_positives(function, 10).map(|row| row.rate);
        let mut tables = data.about(&data.records.occupancy, function);
        let compared = tables
            .find(|row| row.choice == Choice::LowBits)
            .map(|row| row.hit);
        let time = |row: Option<&TimingRow>| row.map(|row| number(row.median_ns_per_key));
        let collisions = data.full_width(function).map(|row| {
            let expected = number(row.expected);
            format!(
                "{} in {} bits (chance: {expected})",
                number::grouped(row.collisions),
                if output_bits > row.bits {
                    format!("the low {} of {output_bits}", row.bits)
                } else {
                    row.bits.to_string()
                }
            )
        });
        let mut cells = vec![
            beside(time(data.throughput(function)), medians.ns.map(number)),
            beside(time(data.chained(function)), medians.chained_ns.map(number)),
            collisions.unwrap_or_default(),
            beside(rate.map(number::percent), medians.rate.map(number::percent)),
            beside(compared.map(number), medians.compared.map(number)),
        ];
        let uses = choices.standings(&data.summary.name, function).into_iter();
        cells.extend(uses.map(|(_, advice)| format!("{}: {}", vocabulary::advice(advice), advice.reason)));
        cells
    };
    let columns: Vec<Vec<String>> = all
        .iter()
        .zip(medians)
        .map(|(data, medians)| column(data, medians))
        .collect();
    let measured = [
        "ns per key, calls overlap",
        "ns per key, chained",
        "Collisions",
        "False positives, 10 bits per key",
        "Comparisons per look-up, low bits",
    ];
    let uses = all
        .first()
        .map(|data| choices.standings(&data.summary.name, function));
    let uses = uses.unwrap_or_default().into_iter();
    let heads = measured
        .map(str::to_owned)
        .into_iter()
        .chain(uses.map(|(use_, _)| format!("Advice: {use_}")));
    let mut table = Table::of(heads.enumerate()).column("Measured", |(_, head)| Cell::text(head));
    for (data, cells) in all.iter().zip(&columns) {
        table = table.column(&data.summary.name, |(row, _)| cells.get(*row));
    }
    table.done()
}
