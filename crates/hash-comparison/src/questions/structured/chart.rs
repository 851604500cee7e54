//! Structured key sets on which each function has more collisions than chance.

use crate::questions::Records;
use crate::questions::on_dataset::distinct;
use crate::questions::shades::Significance;
use crate::questions::structured::{ratio, worst};
use crate::record::of;
use plots::cells::{Cell, Column, Table};
use plots::scene::Scene;

/// Draws the chart from `structured.csv` alone; `None` in runs without these rows.
pub(super) fn scene(records: &Records) -> Option<Scene> {
    let all = &records.structured;
    let sets = distinct(all.iter().map(|row| row.set.as_str()));
    let functions = distinct(all.iter().map(|row| row.function.as_str()));
    all.first()?;
    let column = |set: &&str| Column {
        group: "",
        head: set.replacen('-', "\n", 1),
        width: 48.0,
    };
    let cell = |at: (usize, usize)| {
        let (function, set) = (functions[at.0], sets[at.1]);
        let mut of_cell = of(all, function).filter(|row| row.set == set).peekable();
        of_cell.peek()?;
        let worst = worst(of_cell);
        let shade = Significance::of(worst.map_or(1.0, |row| row.p_value));
        Some(Cell {
            at,
            fill: shade.fill(),
            ink: shade.ink(),
            text: worst.map_or_else(String::new, |row| short(ratio(row))),
        })
    };
    let places = (0..functions.len()).flat_map(|row| (0..sets.len()).map(move |column| (row, column)));
    let table = Table {
        description: "Structured keys: ratio of each function's collisions to chance, per key set".to_owned(),
        title: "Structured keys".to_owned(),
        key: &Significance::KEY,
        names: &functions,
        columns: sets.iter().map(column).collect(),
        notes: &[
            "Columns: key sets. Cells: ratio of collisions to chance at the worst width, where significant after \
                  correction for all tests; shaded by p at that width.",
        ],
        cells: places.filter_map(cell).collect(),
    };
    Some(table.scene())
}

/// Formats a ratio above 1 in at most four characters.
fn short(ratio: f64) -> String {
    match ratio {
        _ if ratio < 9.95 => format!("{ratio:.1}"),
        _ if ratio < 9_999.5 => format!("{ratio:.0}"),
        _ => format!("{ratio:.0e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn ratios_fit_a_cell() {
        assert_eq!(
            [1.04, 9.94, 9.96, 4321.0].map(short),
            ["1.0", "9.9", "10", "4321"]
        );
        assert_eq!([61_234.0, 3.2e15].map(short), ["6e4", "3e15"]);
    }
}
