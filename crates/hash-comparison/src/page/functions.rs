//! A panel for each function: facts, and results on every dataset next to the median of all functions.

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::page::answer::Choices;
use crate::questions::Records;
use crate::questions::on_dataset::DatasetRows;
use crate::record::{Choice, FunctionSummary};
use crate::vocabulary;
use records::number;
use statistics::robust::median;

/// Returns the id of the panel of the function with this index.
pub(super) fn id(index: usize) -> String {
    format!("f{index}")
}

/// Builds the panels, in the order measured.
pub(super) fn panels(records: &Records, all: &[DatasetRows<'_>], choices: &Choices) -> Value {
    let medians: Vec<[Option<f64>; 4]> = all.iter().map(medians).collect();
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

/// Returns a function's time of calls that overlap and of chained calls, rate at 10 bits per key, and comparisons in a
/// table that takes the low bits.
fn measured(data: &DatasetRows<'_>, function: &str) -> [Option<f64>; 4] {
    let mut tables = data.about(&data.records.occupancy, function);
    [
        data.throughput(function).map(|row| row.median_ns_per_key),
        data.chained(function).map(|row| row.median_ns_per_key),
        data.false_positives(function, 10).map(|row| row.rate),
        tables
            .find(|row| row.choice == Choice::LowBits)
            .map(|row| row.hit),
    ]
}

/// Returns the medians over all functions of what was [`measured`].
fn medians(data: &DatasetRows<'_>) -> [Option<f64>; 4] {
    let functions = data.records.run.functions.iter();
    let of_functions: Vec<_> = functions.map(|function| measured(data, &function.name)).collect();
    std::array::from_fn(|index| {
        let values = of_functions.iter().filter_map(|values| values[index]);
        median(&mut values.collect::<Vec<f64>>())
    })
}

/// Returns the rows of results: a head, then a cell for each dataset; the median of all functions follows each value.
fn results(
    all: &[DatasetRows<'_>],
    medians: &[[Option<f64>; 4]],
    choices: &Choices,
    function: &FunctionSummary,
) -> Value {
    let number = |value: f64| number::significant(value, 3);
    let (output_bits, function) = (function.output_bits, function.name.as_str());
    // Head and cell of every row.
    let column = |(data, medians): (&DatasetRows<'_>, &[Option<f64>; 4])| {
        let measured = measured(data, function);
        let beside = |index: usize, form: &dyn Fn(f64) -> String| match (measured[index], medians[index]) {
            (Some(value), Some(median)) => format!("{} (median of all: {})", form(value), form(median)),
            (value, _) => value.map_or_else(String::new, form),
        };
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
        let measured = [
            ("ns per key, calls overlap", beside(0, &number)),
            ("ns per key, chained", beside(1, &number)),
            ("Collisions", collisions.unwrap_or_default()),
            ("False positives, 10 bits per key", beside(2, &number::percent)),
            ("Comparisons per look-up, low bits", beside(3, &number)),
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
