//! A panel for each function: what it is, and how it does on every dataset beside the median of all.

use minijinja::context;
use minijinja::value::Value;

use super::answer::{Choices, standing};
use super::table::{Cell, Table};
use crate::judge::medians::Medians;
use crate::record::files::Records;
use crate::record::{Choice, FunctionSummary, on};
use crate::report::chart::rows::DatasetRows;
use plots::scene::printable;

/// The id of the panel of the function with this index.
pub(super) fn id(index: usize) -> String {
    format!("f{index}")
}

/// The panels, in the order measured.
pub(super) fn panels(records: &Records, all: &[DatasetRows<'_>], choices: &Choices) -> Value {
    let medians: Vec<Medians> = all
        .iter()
        .map(|data| Medians::of(records, &data.summary.name))
        .collect();
    let functions = records.run.functions.iter().enumerate();
    let panel = |(index, function): (usize, &FunctionSummary)| {
        context! {
            id => id(index),
            name => printable(&function.name),
            facts => facts(function).into_iter().collect::<Value>(),
            results => results(all, &medians, choices, &function.name),
        }
    };
    functions.map(panel).collect()
}

fn facts(function: &FunctionSummary) -> Vec<(&'static str, String)> {
    let year = if function.year > 0 {
        format!(", {}", function.year)
    } else {
        String::new()
    };
    let values = if function.stable {
        "the same for ever on every platform"
    } else {
        "may change with every release and platform: in memory only"
    };
    let mut facts = vec![
        ("Author", format!("{}{year}", function.author)),
        ("Definition", function.source.clone()),
        (
            "Measured as",
            format!("{}, licence {}", function.origin, function.licence),
        ),
        (
            "Output",
            format!(
                "{} bits, of which {} are compared",
                function.output_bits, function.bits
            ),
        ),
        (
            "Seed or key",
            function.seed.clone().unwrap_or_else(|| "none".to_owned()),
        ),
        ("Values", values.to_owned()),
        (
            "Chosen keys",
            format!("{}: {}", function.resistance.label(), function.resistance_reason),
        ),
        ("Weaknesses", function.weaknesses.join(" ")),
    ];
    facts.retain(|(_, text)| !text.is_empty());
    for (_, text) in &mut facts {
        *text = printable(text);
    }
    facts
}

fn results(all: &[DatasetRows<'_>], medians: &[Medians], choices: &Choices, function: &str) -> Table {
    let rows = all.iter().zip(medians).map(|(data, medians)| {
        let uses = choices.standings(&data.summary.name, function);
        (data, medians, uses)
    });
    let mut table = Table::of(rows)
        .column("Dataset", |(data, ..)| &data.summary.name)
        .column("#ns per key", |(data, ..)| {
            data.throughput(function).map(|row| row.median_ns_per_key)
        })
        .column("#median", |(_, medians, _)| medians.ns)
        .column("#Chained, ns per key", |(data, ..)| {
            data.chained(function).map(|row| row.median_ns_per_key)
        })
        .column("#median", |(_, medians, _)| medians.chained_ns)
        .column("#Collisions", |(data, ..)| {
            data.full_width(function).map(|row| row.collisions)
        })
        .column("#Expected", |(data, ..)| {
            data.full_width(function).map(|row| row.expected)
        })
        .column("#False positives, 10 bits", |(data, ..)| {
            data.false_positives(function, 10)
                .map(|row| Cell::percent(row.rate))
        })
        .column("#median", |(_, medians, _)| medians.rate.map(Cell::percent))
        .column("#Comparisons per look-up", |(data, ..)| {
            let mut rows = on(&data.records.occupancy, &data.summary.name);
            rows.find(|row| row.function == function && row.choice == Choice::LowBits)
                .map(|row| row.hit)
        })
        .column("#median", |(_, medians, _)| medians.compared);
    let uses = all
        .first()
        .map(|data| choices.standings(&data.summary.name, function));
    for (index, (use_, _)) in uses.unwrap_or_default().into_iter().enumerate() {
        table = table.column(
            &format!("For a {use_}").replace("a shards", "shards"),
            |(.., uses)| {
                uses.get(index)
                    .map(|(_, advice)| format!("{}: {}", standing(advice), advice.reason))
            },
        );
    }
    table.done()
}
