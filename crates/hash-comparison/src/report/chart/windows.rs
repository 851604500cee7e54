//! Collisions in windows of the output: one function a row, one width a column.

use super::rows::{DatasetRows, distinct};
use crate::judge::windows::failed;
use crate::record::{WindowEnd, WindowRow};
use plots::cells::{Cell, Column, Table};
use plots::heat::Heat;
use plots::scene::{INK, Scene};

/// The least -log2 p of each class.
const CLASSES: [i32; Heat::MOST as usize] = [10, 20, 50, 100];
const KEY: [&str; 9] = [
    "fewer, two-sided p below 2^-100",
    "2^-50",
    "2^-20",
    "2^-10",
    "as chance",
    "2^-10",
    "2^-20",
    "2^-50",
    "more, p below 2^-100",
];

/// The chart, or `None` without rows. It draws from `windows.csv` alone.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let mut functions = distinct(data.windows.iter().map(|row| row.function.as_str()));
    data.windows.first()?;
    // Best first; of equal ones the order recorded stays.
    functions.sort_by_key(|name| {
        let of_function = data.windows.iter().filter(|row| row.function == *name);
        of_function.filter(|row| failed(row)).count()
    });
    // All bits are one column, whatever their number.
    let window = |row: &WindowRow| match row.end {
        WindowEnd::Low => (0, row.bits),
        WindowEnd::High => (1, row.bits),
        WindowEnd::Full => (2, 0),
    };
    let mut windows: Vec<(usize, u32)> = data.windows.iter().map(|row| window(row)).collect();
    windows.sort_unstable();
    windows.dedup();
    let column = |&(end, bits): &(usize, u32)| Column {
        group: ["Low bits", "High bits", "All"][end],
        head: if bits > 0 { bits.to_string() } else { String::new() },
        width: if bits > 0 { 18.0 } else { 34.0 },
    };
    let cell = |row: &&WindowRow| {
        let at = (
            functions.iter().position(|name| *name == row.function)?,
            windows.binary_search(&window(row)).ok()?,
        );
        Some(Cell {
            at,
            fill: heat(row).fill(),
            ink: INK,
            text: String::new(),
        })
    };
    let name = &data.summary.name;
    let table = Table {
        description: format!(
            "{name}: how surprising the collisions are in the low and high bits of each function's values"
        ),
        title: format!("{name}: collisions in windows of the output"),
        key: &Heat::key(KEY),
        names: &functions,
        columns: windows.iter().map(column).collect(),
        notes: &[
            "Columns: number of bits. Blue: fewer collisions than a random function of that width shows; brown: more.",
            "Empty: the function has no such bits beside all of its bits, or these keys are too few to tell. No p here is corrected for their number.",
        ],
        cells: data.windows.iter().filter_map(cell).collect(),
    };
    Some(table.scene())
}

fn heat(row: &WindowRow) -> Heat {
    let class = CLASSES
        .iter()
        .filter(|&&bits| row.p_value < libm::ldexp(1.0, -bits))
        .count() as u8;
    Heat::of(class, row.collisions as f64 > row.expected)
}
