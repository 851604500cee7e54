//! The tables of buckets: chains of hash tables, and the fullest shards.

use terminal::number::{grouped, percent, significant};

use super::{BucketFigure, BucketRow};
use crate::questions::on_dataset::DatasetRows;
use crate::questions::tables::{Cell, Column, Table};
use crate::record::Choice;

/// The figures of one table: comparisons, fullest bucket and empty buckets.
type Chains = [BucketRow; 3];

const CHAINS: &[Column<Chains>] = &[
    ("Function", |[hit, ..]| Cell::Name(hit.function.clone())),
    ("Bucket by", |[hit, ..]| Cell::text(hit.choice.describe())),
    ("Buckets", |[hit, ..]| Cell::Count(hit.buckets)),
    ("Keys", |[hit, ..]| Cell::Count(hit.keys)),
    // The band is narrow: with three digits, both ends would look the same.
    ("Comparisons, present key", |[hit, ..]| Cell::Digits(hit.value, 5)),
    ("By chance, present key", |[hit, ..]| {
        range(hit, |value| significant(value, 5))
    }),
    ("p, present key", |[hit, ..]| Cell::P(hit.p_value)),
    ("Comparisons, absent key", |[hit, ..]| {
        Cell::digits(hit.keys as f64 / hit.buckets as f64)
    }),
    ("Fullest bucket", |[_, fullest, _]| {
        Cell::Count(fullest.value as u64)
    }),
    ("By chance, fullest bucket", |[_, fullest, _]| {
        let most = fullest.high.unwrap_or(fullest.expected);
        Cell::As(fullest.expected, format!("at most {}", most as u64))
    }),
    ("p, fullest bucket", |[_, fullest, _]| Cell::P(fullest.p_value)),
    ("Empty buckets", |[.., empty]| Cell::Percent(empty.value)),
    ("By chance, empty", |[.., empty]| range(empty, percent)),
    ("p, empty", |[.., empty]| Cell::P(empty.p_value)),
    ("Verdict", |[hit, ..]| Cell::Verdict(hit.verdict)),
];

/// Shows the range in which random functions lie.
fn range(row: &BucketRow, shown: fn(f64) -> String) -> Cell {
    let ends = row.low.zip(row.high);
    let ends = ends.map(|(low, high)| format!("{} to {}", shown(low), shown(high)));
    ends.map(|ends| Cell::As(row.expected, ends)).into()
}

/// Returns the chains of hash tables.
pub(super) fn chains(data: &DatasetRows<'_>) -> Vec<Table> {
    let rows: Vec<BucketRow> = data.rows(&data.records.occupancy).cloned().collect();
    let of_table = |rows: &[BucketRow]| {
        let figure = |figure| rows.iter().find(|row| row.figure == figure).cloned();
        let figures = [BucketFigure::Compared, BucketFigure::Fullest, BucketFigure::Empty].map(figure);
        let [Some(hit), Some(fullest), Some(empty)] = figures else {
            return None;
        };
        Some([hit, fullest, empty])
    };
    let is_same = |a: &BucketRow, b: &BucketRow| (&a.function, a.choice) == (&b.function, b.choice);
    let chains: Vec<Chains> = rows.chunk_by(is_same).filter_map(of_table).collect();
    vec![Table::of("hash tables", CHAINS, &chains)]
}

/// Returns the excess of the fullest shard over an equal share, shards by column.
pub(super) fn shards(data: &DatasetRows<'_>) -> Vec<Table> {
    let rows: Vec<&BucketRow> = data.rows(&data.records.shards).collect();
    let Some(first) = rows.first() else {
        return Vec::new();
    };
    let of_first = rows.iter().filter(|row| row.function == first.function);
    let mut places: Vec<(u64, Choice)> = of_first.map(|row| (row.buckets, row.choice)).collect();
    places.sort_unstable();
    let excess = |keys: f64, row: &BucketRow| keys / (row.keys as f64 / row.buckets as f64) - 1.0;
    let cells = |function: &str, value: fn(&BucketRow) -> f64| {
        let cell = |(buckets, choice)| {
            let mut of_function = rows.iter().filter(|row| row.function == function);
            let row = of_function.find(|row| (row.buckets, row.choice) == (buckets, choice));
            row.map(|row| Cell::Percent(excess(value(row), row))).into()
        };
        places.iter().copied().map(cell).collect()
    };
    let chance = ("by chance", cells(&first.function, |row| row.expected));
    let functions = data.best_first().into_iter();
    let functions = functions.map(|one| (one.function.as_str(), cells(&one.function, |row| row.value)));
    let heads = places
        .iter()
        .map(|(buckets, choice)| format!("{} shards by {}", grouped(*buckets), choice.describe()));
    let rows = [chance].into_iter().chain(functions);
    vec![Table::named("shards", "Function", heads, rows)]
}
