//! The share of ones in each output bit of each function.

use super::rows::{DatasetRows, distinct};
use crate::record::{DistributionKind, DistributionRow};
use plots::cells::{Cell, Column, Surprise, Table};
use plots::scene::Scene;

/// The chart, or `None` without bit rows. It draws from `distribution.csv` alone.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let is_share = |row: &&&DistributionRow| row.kind == DistributionKind::BitShare;
    let members: Vec<&DistributionRow> = data.distribution.iter().filter(is_share).copied().collect();
    let functions = distinct(members.iter().map(|row| row.function.as_str()));
    // As numbers are written: the lowest bit at the right.
    let highest = members.iter().map(|row| row.parameter).max()?.min(63);
    let column = |bit: u64| Column {
        group: "Output bit, highest first",
        head: bit.to_string(),
        width: 33.0,
    };
    let cell = |row: &&DistributionRow| {
        let at = functions.iter().position(|name| *name == row.function)?;
        let share = row.statistic * 100.0;
        let text = if share < 99.95 {
            format!("{share:.1}")
        } else {
            "100".to_owned()
        };
        let bit = highest.checked_sub(row.parameter)?;
        Some(Cell::new((at, bit as usize), Surprise::of(row.p_value), text))
    };
    let name = &data.summary.name;
    let table = Table {
        description: format!("{name}: percentage of ones in each output bit of each function"),
        title: format!("{name}: ones in each output bit, per cent"),
        key: &Surprise::KEY,
        names: &functions,
        columns: (0..=highest).rev().map(column).collect(),
        notes: &[
            "Cells: share of the keys whose output bit is one, per cent; a random function gives about 50. \
                  Empty: the function has no such bit.",
        ],
        cells: members.iter().filter_map(cell).collect(),
    };
    Some(table.scene())
}
