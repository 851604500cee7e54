//! How evenly each function fills buckets: chi-square over its degrees of freedom.

use super::rows::{DatasetRows, distinct};
use crate::record::{DistributionKind, DistributionRow};
use plots::cells::{Cell, Column, Surprise, Table};
use plots::number;
use plots::scene::Scene;

/// The chart, or `None` without bucket rows. It draws from `distribution.csv` alone.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let of_buckets = |row: &&&DistributionRow| row.kind != DistributionKind::BitShare;
    let members: Vec<&DistributionRow> = data.distribution.iter().filter(of_buckets).copied().collect();
    let functions = distinct(members.iter().map(|row| row.function.as_str()));
    members.first()?;
    let mut tables: Vec<_> = members
        .iter()
        .map(|row| (row.kind == DistributionKind::PrimeBuckets, row.parameter))
        .collect();
    tables.sort_unstable();
    tables.dedup();
    // Few columns are as wide as the sheet at its least width.
    let width = (658.0 / tables.len() as f64).clamp(66.0, 118.0);
    let column = |(prime, buckets): &(bool, u64)| Column {
        group: if *prime {
            "Remainder by a prime chooses"
        } else {
            "Low bits choose the bucket"
        },
        head: number::grouped(*buckets),
        width,
    };
    let cell = |row: &&DistributionRow| {
        let table = (row.kind == DistributionKind::PrimeBuckets, row.parameter);
        let at = (
            functions.iter().position(|name| *name == row.function)?,
            tables.binary_search(&table).ok()?,
        );
        let text = number::significant(row.statistic / row.dof as f64, 3);
        Some(Cell::new(at, Surprise::of(row.p_value), text))
    };
    let name = &data.summary.name;
    let table = Table {
        description: format!(
            "{name}: chi-square over degrees of freedom of each function for each number of buckets"
        ),
        title: format!("{name}: filling buckets"),
        key: &Surprise::KEY,
        names: &functions,
        columns: tables.iter().map(column).collect(),
        notes: &[
            "Columns: number of buckets. Cells: chi-square / degrees of freedom; a random function gives about 1.",
        ],
        cells: members.iter().filter_map(cell).collect(),
    };
    Some(table.scene())
}
