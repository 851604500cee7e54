//! What functions cost filters and tables of the dataset's own keys.

use super::table::{Cell, Table};
use crate::record::{Choice, FalsePositiveRow, IDEAL, OccupancyRow, Purpose, Verdict, about};
use crate::report::chart::rows::DatasetRows;
use plots::number;

const CHOICES: [(Choice, &str); 4] = [
    (Choice::LowBits, "#Comparisons per look-up, low bits"),
    (Choice::HighBits, "#high bits"),
    (Choice::Fibonacci, "#multiplied"),
    (Choice::Prime, "#remainder by a prime"),
];

/// A row for each function that charts draw, after the ideal hash; `None` without rows.
pub(super) fn table(data: &DatasetRows<'_>) -> Option<Table> {
    let mut sizes: Vec<u32> = data.false_positives.iter().map(|row| row.bits_per_key).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let any_table = data.tables().next();
    if sizes.is_empty() && any_table.is_none() {
        return None;
    }
    let (shown, _) = data.shown_and_folded();
    let functions = shown.iter().map(|finding| finding.function.as_str());
    let mut table = Table::of([IDEAL].into_iter().chain(functions)).column("Function", |name| *name);
    for bits in sizes {
        table = table.column(&format!("#False positives, {bits} bits per key"), |name| {
            let row = data.false_positives(name, bits)?;
            Some(rate(data, row))
        });
    }
    for (choice, head) in CHOICES.into_iter().filter(|_| any_table.is_some()) {
        table = table.column(head, |name| {
            let mut rows = data.tables().filter(|row| row.choice == choice);
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
    let is_worse = !is_ideal && row.verdict > Verdict::InBand && row.hit > row.hit_high;
    Cell::sorted(number::significant(value, 4), value).when(is_worse, "number bad")
}
