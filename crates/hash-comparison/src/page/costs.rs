//! Costs of functions in filters and tables of these keys, by the number of keys, and in shards, by their number.

use std::collections::BTreeSet;

use filter_formats::policies::ALL;
use filter_formats::sizing::Format;
use filter_policy::BitsPerKey;
use minijinja::context;
use minijinja::value::Value;

use crate::page::cells::{percent, td};
use crate::questions::filters::sizes;
use crate::questions::on_dataset::DatasetRows;
use crate::questions::{FalsePositiveRow, OccupancyRow};
use crate::record::{Choice, Finding, IDEAL, Purpose, Verdict, about, of};
use records::number::{self, grouped};

/// Bits per key of the filters over half of the keys, or over all keys of a generated set.
const BITS_PER_KEY: [u32; 3] = [sizes::BITS_PER_KEY, 15, 20];
const CHOICES: [(Choice, &str); 3] = [
    (Choice::LowBits, "low bits"),
    (Choice::HighBits, "high bits (not in the advice)"),
    (Choice::Remainder, "remainder"),
];

/// Returns the heads by number of keys, the rows of the ideal hash and of each function that charts draw, and those of
/// the functions that charts fold away, for a reader who selects one; `None` without rows.
pub(super) fn table(data: &DatasetRows<'_>) -> Option<Value> {
    type Column<'a> = (String, Box<dyn Fn(&str) -> Value + 'a>);
    let numbers: BTreeSet<u64> = data.rows(&data.records.sizes).map(|row| row.keys).collect();
    let at = |name: &str, keys: u64| {
        let mut rows = data.about(&data.records.sizes, name);
        rows.find(|row| row.keys == keys)
    };
    let mut columns: Vec<Column<'_>> = Vec::new();
    for &keys in &numbers {
        let head = format!("#Filter, {} bits: {} keys", sizes::BITS_PER_KEY, grouped(keys));
        let cell = move |name: &str| percent(at(name, keys).map(|row| row.rate), None);
        columns.push((head, Box::new(cell)));
    }
    if let Some(built) = data.rows(&data.records.false_positives).next() {
        columns.extend(BITS_PER_KEY.map(|bits| -> Column<'_> {
            let head = format!("#Filter, {bits} bits: {} keys", grouped(built.keys));
            (
                head,
                Box::new(move |name| rate(data, data.false_positives(name, bits))),
            )
        }));
    }
    for &keys in &numbers {
        let head = format!("#Table, low bits: {} keys", grouped(keys));
        let cell = move |name: &str| digits(at(name, keys).map(|row| row.compared), None);
        columns.push((head, Box::new(cell)));
    }
    if let Some(filled) = data.rows(&data.records.occupancy).next() {
        columns.extend(CHOICES.map(|(choice, by)| -> Column<'_> {
            let cell = move |name: &str| {
                let mut rows = data
                    .rows(&data.records.occupancy)
                    .filter(|row| row.choice == choice);
                compared(
                    rows.find(|row| name == IDEAL || row.function == name),
                    name == IDEAL,
                )
            };
            (
                format!("#Table, {by}: {} keys", grouped(filled.keys)),
                Box::new(cell),
            )
        }));
    }
    columns.first()?;
    let heads = columns.iter().map(|(head, _)| head.clone());
    let heads: Vec<String> = ["Function".to_owned()].into_iter().chain(heads).collect();
    let row = |name: &str| {
        let cells: Vec<Value> = columns.iter().map(|(_, cell)| cell(name)).collect();
        context! { name, cells }
    };
    let (shown, folded) = data.shown_and_folded();
    let of = |findings: Vec<&Finding>| {
        findings
            .into_iter()
            .map(|one| row(&one.function))
            .collect::<Vec<_>>()
    };
    let rows: Value = [row(IDEAL)].into_iter().chain(of(shown)).collect();
    Some(context! { heads, rows, folded => of(folded) })
}

/// Returns heads and rows of the policies that bring a hash function of their own, by the same numbers of keys.
/// Computed, not counted.
pub(super) fn policies(data: &DatasetRows<'_>) -> Value {
    let mut numbers: BTreeSet<u64> = data.rows(&data.records.sizes).map(|row| row.keys).collect();
    if numbers.is_empty() {
        numbers.insert(data.summary.keys);
    }
    let heads = numbers.iter().map(|&keys| format!("#{} keys", grouped(keys)));
    let heads: Value = ["Policy".to_owned()].into_iter().chain(heads).collect();
    let bits_per_key = BitsPerKey::whole(sizes::BITS_PER_KEY);
    let policies = ALL
        .iter()
        .filter_map(|policy| Some((policy.name(), policy.format()?)));
    let rows = policies
        .filter(|(_, format)| *format != Format::LEVEL_DB)
        .map(|(name, format)| {
            let cell = |&keys: &u64| {
                let rate = format.rate(keys, bits_per_key).ok()?;
                let bits = 8.0 * format.filter_bytes(keys, bits_per_key).ok()? as f64 / keys as f64;
                let (share, bits) = (number::percent(rate), number::significant(bits, 3));
                Some((format!("{share} in {bits} bits"), rate))
            };
            context! { name, cells => numbers.iter().map(|keys| td(cell(keys), None)).collect::<Value>() }
        });
    context! { heads, rows => rows.collect::<Value>() }
}

fn rate(data: &DatasetRows<'_>, row: Option<&FalsePositiveRow>) -> Value {
    let is_worse = row.is_some_and(|row| {
        let place = format!("{} bits per key", row.bits_per_key);
        let mut costs = about(&data.records.costs, &row.dataset, &row.function);
        costs.any(|cost| cost.purpose == Purpose::Filter && cost.measurable && cost.place == place)
    });
    percent(row.map(|row| row.rate), is_worse.then_some("number bad"))
}

fn compared(row: Option<&OccupancyRow>, is_ideal: bool) -> Value {
    let value = |row: &OccupancyRow| if is_ideal { row.hit_expected } else { row.hit };
    let is_worse = |row: &OccupancyRow| row.verdict > Verdict::WithinChance && row.hit > row.hit_high;
    let is_worse = !is_ideal && row.is_some_and(is_worse);
    digits(row.map(value), is_worse.then_some("number bad"))
}

fn digits(value: Option<f64>, class: Option<&str>) -> Value {
    td(value.map(|value| (number::significant(value, 4), value)), class)
}

/// Name of the first row, which a random function would have.
const CHANCE: &str = "by chance";

/// Returns heads and rows of how far the fullest shard is above its fair share.
pub(super) fn shards(data: &DatasetRows<'_>) -> Value {
    let rows: Vec<_> = data.rows(&data.records.shards).collect();
    let columns: BTreeSet<(u64, Choice)> = rows.iter().map(|row| (row.buckets, row.choice)).collect();
    let heads = columns.iter().map(|&(buckets, choice)| {
        let by = match choice {
            Choice::LowBits => "low bits",
            Choice::HighBits => "high bits",
            Choice::Fibonacci => "product",
            Choice::Remainder => "remainder",
        };
        format!("#{} shards by {by}", grouped(buckets))
    });
    let mut heads: Vec<String> = heads.collect();
    if !heads.is_empty() {
        heads.insert(0, "Function".to_owned());
    }
    let row = |name: &str| {
        let cells = columns.iter().map(|column| {
            let mut there = rows
                .iter()
                .copied()
                .filter(|row| (row.buckets, row.choice) == *column);
            let (row, fullest) = if name == CHANCE {
                there.next().map(|row| (row, row.fullest_expected))?
            } else {
                of(there, name).next().map(|row| (row, row.fullest as f64))?
            };
            let share = row.keys as f64 / row.buckets as f64;
            Some(number::percent(fullest / share - 1.0))
        });
        let cells = cells.map(|text| format!("<td>{}", text.unwrap_or_default()));
        context! { name, cells => cells.map(Value::from_safe_string).collect::<Value>() }
    };
    let best = data
        .best_first()
        .into_iter()
        .map(|finding| finding.function.as_str());
    context! { heads, rows => [CHANCE].into_iter().chain(best).map(row).collect::<Value>() }
}
