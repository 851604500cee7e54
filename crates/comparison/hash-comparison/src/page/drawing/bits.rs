//! One map of the deviations from chance in each function's values: single bits, buckets, and windows of the output.

use crate::questions::on_dataset::{DatasetRows, distinct};
use crate::questions::shades::Heat;
use crate::record::{Choice, End};
use plots::cells::{Cell, Column, Grid};
use plots::scene::{INK, Scene};

/// The lower bound of each class, as -log2 p.
const CLASSES: [i32; Heat::MAX_CLASS as usize] = [10, 20, 50, 100];
const KEY: [&str; 9] = [
    "below chance, p < 2^-100",
    "2^-50",
    "2^-20",
    "2^-10",
    "chance",
    "2^-10",
    "2^-20",
    "2^-50",
    "above chance, p < 2^-100",
];
/// The groups of columns.
const GROUPS: [&str; 6] = [
    "Share of ones in each bit, highest first",
    "Buckets",
    "Primes",
    "Collisions in the low bits",
    "Collisions in the high bits",
    "All",
];

/// Draws the chart from `distribution.csv` and `windows.csv` alone; `None` without rows.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    // Function, column group, place in the group, p-value, and true if the statistic is above chance.
    let mut marks: Vec<(&str, usize, u64, f64, bool)> = Vec::new();
    for row in data.rows(&data.records.distribution) {
        let group = match row.choice {
            Choice::Bit => 0,
            Choice::Remainder => 2,
            _ => 1,
        };
        let is_above = row.value > row.expected;
        marks.push((&row.function, group, row.buckets, row.p_value, is_above));
    }
    for row in data.rows(&data.records.windows) {
        // All bits share one column, whatever their number.
        let (group, bits) = match row.end {
            End::Low => (3, row.bits),
            End::High => (4, row.bits),
            End::Full => (5, 0),
        };
        let is_above = row.collisions as f64 > row.expected;
        marks.push((&row.function, group, bits.into(), row.p_value, is_above));
    }
    marks.retain(|(function, ..)| data.is_shown(function));
    let mut functions = distinct(marks.iter().map(|(function, ..)| *function));
    functions.first()?;
    let class = |p: f64| {
        let reached = CLASSES.iter().filter(|&&bits| p < libm::ldexp(1.0, -bits));
        reached.count() as u8
    };
    // Failures first; equal functions keep the recorded order.
    let harm = |name: &str| -> u64 {
        let of_function = marks
            .iter()
            .filter(|(function, .., is_above)| *function == name && *is_above);
        of_function.map(|&(.., p, _)| u64::from(class(p))).sum()
    };
    functions.sort_by_key(|name| core::cmp::Reverse(harm(name)));
    let place = |group: usize, at: u64| (group, if group == 0 { u64::MAX - at } else { at });
    let mut columns: Vec<(usize, u64)> = marks.iter().map(|&(_, group, at, ..)| place(group, at)).collect();
    columns.sort_unstable();
    columns.dedup();
    let column = |&(group, at): &(usize, u64)| Column {
        group: GROUPS[group],
        head: match (group, at) {
            (0, at) => every_fourth(u64::MAX - at),
            (1 | 2, buckets) if buckets < 1000 => buckets.to_string(),
            (1 | 2, buckets) => format!("{}k", buckets.saturating_add(500) / 1000),
            (3 | 4, bits) => every_fourth(bits),
            _ => String::new(),
        },
        width: [8.5, 26.0, 26.0, 8.0, 8.0, 20.0][group],
    };
    let cell = |&(function, group, at, p, is_above): &(&str, usize, u64, f64, bool)| {
        let row = functions.iter().position(|name| *name == function)?;
        Some(Cell {
            at: (row, columns.binary_search(&place(group, at)).ok()?),
            fill: Heat::of(class(p), is_above).fill(),
            ink: INK,
            text: String::new(),
        })
    };
    let name = &data.summary.name;
    let table = Grid {
        description: format!("{name}: deviation from chance of each function's bits, buckets and windows"),
        title: format!("{name}: bits, buckets and windows of the values, failures first"),
        key: &Heat::key(KEY),
        names: &functions,
        columns: columns.iter().map(column).collect(),
        notes: &[
            "Buckets and primes: chi-square over that many buckets, chosen by the low bits or the remainder. With many cells \
             tested, a single faint one is chance.",
            "Empty: the function has no such bits, or there are too few keys to tell.",
        ],
        cells: marks.iter().filter_map(cell).collect(),
    };
    Some(table.scene())
}

/// Returns the head of a narrow column, which has room for only every fourth number.
fn every_fourth(number: u64) -> String {
    if number.is_multiple_of(4) {
        number.to_string()
    } else {
        String::new()
    }
}
