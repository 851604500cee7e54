//! Costs of functions in filters and tables of these keys, by the number of keys, and in shards, by their number.

use std::collections::BTreeSet;

use filter_formats::policies::ALL;
use filter_formats::sizing::Format;
use filter_policy::BitsPerKey;

use crate::page::table::{Cell, Table};
use crate::questions::filters::sizes;
use crate::questions::on_dataset::DatasetRows;
use crate::questions::{FalsePositiveRow, OccupancyRow, SizeRow};
use crate::record::{Choice, IDEAL, Purpose, Verdict, about, of};
use records::number::{self, grouped};

/// Bits per key of the filters over half of the keys, or over all keys of a generated set.
const BITS_PER_KEY: [u32; 3] = [sizes::BITS_PER_KEY, 15, 20];
const CHOICES: [(Choice, &str); 3] = [
    (Choice::LowBits, "low bits"),
    (Choice::HighBits, "high bits (not in the advice)"),
    (Choice::Remainder, "remainder"),
];

/// Builds the table by number of keys: the ideal hash, then each function that charts draw; `None` without rows.
pub(super) fn table(data: &DatasetRows<'_>) -> Option<Table> {
    let (shown, _) = data.shown_and_folded();
    let functions = shown.iter().map(|finding| finding.function.as_str());
    columns(data, [IDEAL].into_iter().chain(functions))
}

/// Builds the table of the functions that charts fold away, for a reader who selects one.
pub(super) fn folded(data: &DatasetRows<'_>) -> Option<Table> {
    let (_, folded) = data.shown_and_folded();
    columns(data, folded.iter().map(|finding| finding.function.as_str()))
}

/// Builds the table of the policies that bring a hash function of their own, by the same numbers of keys.
/// Computed, not counted.
pub(super) fn policies(data: &DatasetRows<'_>) -> Table {
    let mut numbers: BTreeSet<u64> = data.rows(&data.records.sizes).map(|row| row.keys).collect();
    if numbers.is_empty() {
        numbers.insert(data.summary.keys);
    }
    let bits_per_key = BitsPerKey::whole(sizes::BITS_PER_KEY);
    let policies = ALL
        .iter()
        .filter_map(|policy| Some((policy.name(), policy.format()?)))
        .filter(|(_, format)| *format != Format::LevelDb);
    let mut table = Table::of(policies).column("Policy", |(name, _)| *name);
    for keys in numbers {
        table = table.column(&format!("#{} keys", grouped(keys)), |(_, format)| {
            let rate = format.rate(keys, bits_per_key).ok()?;
            let bits = 8.0 * format.filter_bytes(keys, bits_per_key).ok()? as f64 / keys as f64;
            let words = format!(
                "{} in {} bits",
                number::percent(rate),
                number::significant(bits, 3)
            );
            Some(Cell::sorted(words, rate))
        });
    }
    table.done()
}

fn columns<'a>(data: &DatasetRows<'_>, functions: impl Iterator<Item = &'a str>) -> Option<Table> {
    let some: Vec<&SizeRow> = data.rows(&data.records.sizes).collect();
    let mut numbers: Vec<u64> = some.iter().map(|row| row.keys).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let built = data
        .rows(&data.records.false_positives)
        .next()
        .map(|row| grouped(row.keys));
    let filled = data
        .rows(&data.records.occupancy)
        .next()
        .map(|row| grouped(row.keys));
    if built.is_none() && filled.is_none() {
        return None;
    }
    let mut table = Table::of(functions).column("Function", |name| *name);
    let at = |name: &str, keys| of(some.iter().copied(), name).find(|row| row.keys == keys);
    for &keys in &numbers {
        let head = format!("#Filter, {} bits: {} keys", sizes::BITS_PER_KEY, grouped(keys));
        table = table.column(&head, |name| at(name, keys).map(|row| Cell::percent(row.rate)));
    }
    for bits in BITS_PER_KEY.into_iter().filter(|_| built.is_some()) {
        let keys = built.clone().unwrap_or_default();
        table = table.column(&format!("#Filter, {bits} bits: {keys} keys"), |name| {
            let row = data.false_positives(name, bits)?;
            Some(rate(data, row))
        });
    }
    for &keys in &numbers {
        let head = format!("#Table, low bits: {} keys", grouped(keys));
        table = table.column(&head, |name| at(name, keys).map(|row| digits(row.compared)));
    }
    for (choice, by) in CHOICES.into_iter().filter(|_| filled.is_some()) {
        let keys = filled.clone().unwrap_or_default();
        table = table.column(&format!("#Table, {by}: {keys} keys"), |name| {
            let mut rows = data
                .rows(&data.records.occupancy)
                .filter(|row| row.choice == choice);
            let row = match *name {
                IDEAL => rows.next()?,
                name => rows.find(|row| row.function == name)?,
            };
            Some(compared(row, *name == IDEAL))
        });
    }
    table.if_any()
}

fn rate(data: &DatasetRows<'_>, row: &FalsePositiveRow) -> Cell {
    let place = format!("{} bits per key", row.bits_per_key);
    let mut costs = about(&data.records.costs, &row.dataset, &row.function);
    let is_worse =
        costs.any(|cost| cost.purpose == Purpose::Filter && cost.measurable && cost.place == place);
    Cell::percent(row.rate).when(is_worse, "number bad")
}

fn compared(row: &OccupancyRow, is_ideal: bool) -> Cell {
    let value = if is_ideal { row.hit_expected } else { row.hit };
    let is_worse = !is_ideal && row.verdict > Verdict::WithinChance && row.hit > row.hit_high;
    digits(value).when(is_worse, "number bad")
}

fn digits(value: f64) -> Cell {
    Cell::sorted(number::significant(value, 4), value)
}

/// Name of the first row, which a random function would have.
const CHANCE: &str = "by chance";

/// Builds the table of how far the fullest shard is above its fair share; `None` without rows.
pub(super) fn shards(data: &DatasetRows<'_>) -> Option<Table> {
    let rows: Vec<_> = data.rows(&data.records.shards).collect();
    let mut columns: Vec<(u64, Choice)> = rows.iter().map(|row| (row.buckets, row.choice)).collect();
    columns.sort_unstable();
    columns.dedup();
    columns.first()?;
    let functions = data
        .best_first()
        .into_iter()
        .map(|finding| finding.function.as_str());
    let mut table = Table::of([CHANCE].into_iter().chain(functions)).column("Function", |name| *name);
    for (buckets, choice) in columns {
        let by = match choice {
            Choice::LowBits => "low bits",
            Choice::HighBits => "high bits",
            Choice::Fibonacci => "product",
            Choice::Remainder => "remainder",
        };
        let there = || {
            rows.iter()
                .copied()
                .filter(|row| (row.buckets, row.choice) == (buckets, choice))
        };
        table = table.column(&format!("#{} shards by {by}", grouped(buckets)), |name| {
            let (row, fullest) = if *name == CHANCE {
                there().next().map(|row| (row, row.fullest_expected))?
            } else {
                of(there(), name).next().map(|row| (row, row.fullest as f64))?
            };
            let share = row.keys as f64 / buckets as f64;
            Some(Cell::text(&number::percent(fullest / share - 1.0)))
        });
    }
    Some(table.done())
}
