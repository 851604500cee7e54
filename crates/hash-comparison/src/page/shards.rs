//! The fullest shard of each function, by number of shards.

use crate::page::table::{Cell, Table};
use crate::questions::on_dataset::DatasetRows;
use crate::record::{Choice, of};
use records::number;

/// Name of the first row, which a random function would have.
const CHANCE: &str = "by chance";

/// Builds the table of how far the fullest shard is above its fair share; `None` without rows.
pub(super) fn table(data: &DatasetRows<'_>) -> Option<Table> {
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
        table = table.column(&format!("#{} shards by {by}", number::grouped(buckets)), |name| {
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
