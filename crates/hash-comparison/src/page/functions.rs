//! A panel for each function: facts, and results on every dataset next to the median of all functions.

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::advice::medians::Medians;
use crate::page::answer::Choices;
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

/// Returns the rows of results: a head, then a cell for each dataset; the median of all functions follows each value.
fn results(
    all: &[DatasetRows<'_>],
    medians: &[Medians],
    choices: &Choices,
    function: &FunctionSummary,
) -> Value {
    let number = |value: f64| number::significant(value, 3);
    let (output_bits, function) = (function.output_bits, function.name.as_str());
    let beside = |value: Option<String>, median: Option<String>| match (value, median) {
        (Some(value), Some(median)) => format!("{value} (median of all: {median})"),
        (value, _) => value.unwrap_or_default(),
    };
    // Head and cell of every row.
    let column = |(data, medians): (&DatasetRows<'_>, &Medians)| {
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
        let [rate, median_rate] = [rate, medians.rate].map(|rate| rate.map(number::percent));
        let overlapped = beside(time(data.throughput(function)), medians.ns.map(number));
        let chained = beside(time(data.chained(function)), medians.chained_ns.map(number));
        let compared = beside(compared.map(number), medians.compared.map(number));
        let measured = [
            ("ns per key, calls overlap", overlapped),
            ("ns per key, chained", chained),
            ("Collisions", collisions.unwrap_or_default()),
            ("False positives, 10 bits per key", beside(rate, median_rate)),
            ("Comparisons per look-up, low bits", compared),
        ];
        let measured = measured.map(|(head, cell)| (head.to_owned(), cell)).into_iter();
        let uses = choices.standings(&data.summary.name, function).into_iter();
        let uses = uses.map(|(use_, advice)| {
            let words = format!("{}: {}", vocabulary::advice(advice), advice.reason);
            (format!("Advice: {use_}"), words)
        });
        measured.chain(uses).collect()
    };
    let columns: Vec<Vec<(String, String)>> = all.iter().zip(medians).map(column).collect();
    let heads = columns.iter().take(1).flatten().map(|(head, _)| head);
    let rows = heads.enumerate().map(|(row, head)| {
        let cells = columns
            .iter()
            .map(|cells| cells.get(row).map_or("", |(_, cell)| cell));
        [head.as_str()].into_iter().chain(cells).collect::<Value>()
    });
    rows.collect()
}
