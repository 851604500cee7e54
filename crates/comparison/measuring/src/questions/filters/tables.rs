//! The tables of filters: counted rates, and the filters that bring a hash function of their own.

use std::collections::BTreeSet;

use filter_policy::BitsPerKey;
use filter_policy::formats::{ALL, LEVEL_DB};
use terminal::number::{grouped, percent, significant};

use super::{FalsePositiveRow, NearSizesRow, USUAL_BITS};
use crate::questions::on_dataset::DatasetRows;
use crate::questions::tables::{Cell, Column, Table};

const EXACT: &[Column<FalsePositiveRow>] = &[
    ("Function", |row| Cell::Name(row.function.clone())),
    ("Bits per key", |row| Cell::Count(row.bits_per_key.into())),
    ("Keys", |row| Cell::Count(row.keys)),
    ("Absent keys probed", |row| Cell::Count(row.probes)),
    ("False positives", |row| Cell::Count(row.false_positives)),
    ("Rate", |row| Cell::Percent(row.rate)),
    ("95 % from", |row| Cell::Percent(row.ci_low)),
    ("to", |row| Cell::Percent(row.ci_high)),
    ("Raw bytes", |row| Cell::Count(row.raw_bytes)),
    ("Filter bytes", |row| Cell::Count(row.filter_bytes)),
    ("Saved", |row| Cell::Percent(row.saved)),
];

const MEANS: &[Column<NearSizesRow>] = &[
    ("Function", |row| Cell::Name(row.function.clone())),
    ("Bits per key", |row| Cell::Count(row.bits_per_key.into())),
    ("Just below so many keys", |row| Cell::Count(row.keys)),
    ("Numbers of keys", |row| Cell::Count(row.sizes)),
    ("False positives, mean", |row| Cell::Percent(row.rate)),
    ("Lowest", |row| Cell::Percent(row.lowest_rate)),
    ("Highest", |row| Cell::Percent(row.highest_rate)),
    ("Comparisons per lookup, low bits", |row| {
        row.compared.map(|compared| Cell::Digits(compared, 4)).into()
    }),
];

/// Returns the tables of a dataset.
pub(super) fn all(data: &DatasetRows<'_>) -> Vec<Table> {
    let exact = data.rows(&data.records.false_positives);
    let means = data.rows(&data.records.near_sizes);
    let mut tables = vec![
        Table::of("false positives with exactly these keys", EXACT, exact),
        Table::of("means over neighbouring numbers of keys", MEANS, means),
    ];
    tables.extend(own_hash(data));
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// Returns the policies that bring a hash function of their own, by the same numbers of keys and that of the dataset; `None` without
/// filters.
fn own_hash(data: &DatasetRows<'_>) -> Option<Table> {
    let rows = data.rows(&data.records.near_sizes);
    let mut numbers: BTreeSet<u64> = rows.map(|row| row.keys).collect();
    numbers.first()?;
    numbers.insert(data.summary.keys);
    let bits_per_key = BitsPerKey::whole(USUAL_BITS);
    let policies = ALL.iter().map(|&format| (format.name(), format));
    let rows = policies
        .filter(|(_, format)| format.kind() != LEVEL_DB.kind())
        .map(|(name, format)| {
            let cell = |&keys: &u64| {
                let rate = format.expected_rate(keys, bits_per_key).ok()?;
                let bits = 8.0 * format.filter_len(keys, bits_per_key).ok()? as f64 / keys as f64;
                let shown = format!("{} in {} bits", percent(rate), significant(bits, 3));
                Some(Cell::As(rate, shown))
            };
            (name, numbers.iter().map(|keys| cell(keys).into()).collect())
        });
    let heads = numbers.iter().map(|&keys| format!("{} keys", grouped(keys)));
    let caption = "filters with their own hash function";
    Some(Table::named(caption, "Policy", heads, rows))
}
