//! Structured key sets: where each function has more collisions than chance.

use super::rows::distinct;
use crate::record::files::Records;
use crate::record::{StructuredRow, Verdict};
use plots::grid::{self, Grid, Surprise};
use plots::panel::{MARGIN, NAMES_END, Rows, row_height};
use plots::scene::{Anchor, Font, Scene};

const HEAD: f64 = 62.0;
const CELL: f64 = 48.0;
/// Between the heads of neighbouring columns, at least.
const APART: f64 = 6.0;
/// The longest word of a head leaves that room.
const COLUMN: Font = Font {
    size: 10.0,
    ..Font::NOTE
};
/// Title and key of the shades need that much.
const LEAST_WIDTH: f64 = 860.0;

/// The chart, or `None` in runs without these rows. It draws from `structured.csv` alone.
pub(super) fn scene(records: &Records) -> Option<Scene> {
    let all = &records.structured;
    let sets = distinct(all.iter().map(|row| row.set.as_str()));
    let functions = distinct(all.iter().map(|row| row.function.as_str()));
    if functions.is_empty() {
        return None;
    }
    let rows = Rows {
        top: HEAD,
        height: row_height(functions.len()),
        count: functions.len(),
    };
    let width = (NAMES_END + CELL * sets.len() as f64 + MARGIN).max(LEAST_WIDTH);
    let mut scene = Scene::new(
        width,
        rows.bottom() + 26.0,
        "Structured keys: how many times the collisions of chance each function has on each key set",
    );
    grid::key(&mut scene, width - MARGIN, 11.0);
    scene.text((MARGIN, 16.0), Anchor::Start, Font::TITLE, "Structured keys");
    rows.stripes(&mut scene);
    for (index, function) in functions.iter().enumerate() {
        rows.name(&mut scene, index, function, None);
    }
    let mut grid = Grid::default();
    for (column, set) in sets.iter().enumerate() {
        let left = NAMES_END + CELL * column as f64;
        let (first, second) = set.split_once('-').unwrap_or((set, ""));
        for (y, part) in [(42.0, first), (55.0, second)] {
            let part = COLUMN.fit(part, CELL - APART);
            scene.text((left + CELL / 2.0, y), Anchor::Middle, COLUMN, &part);
        }
        for (index, function) in functions.iter().enumerate() {
            let mut of_cell = all
                .iter()
                .filter(|row| row.set == *set && row.function == *function)
                .peekable();
            if of_cell.peek().is_none() {
                continue;
            }
            let worst = worst(of_cell);
            let (middle, half) = (rows.middle(index), rows.height / 2.0);
            let corners = [left, middle - half, left + CELL, middle + half];
            let surprise = Surprise::of(worst.map_or(1.0, |row| row.p_value));
            let text = worst.map_or_else(String::new, |row| short(ratio(row)));
            grid.add(corners, surprise, text);
        }
    }
    grid.draw(&mut scene);
    let note = "Columns: key sets. Cells: collisions over those of chance at the worst width, where chance does not \
        explain them after correction for all tests; shades by p of that width.";
    scene.text((MARGIN, rows.bottom() + 17.0), Anchor::Start, Font::NOTE, note);
    Some(scene)
}

/// Of rows about one function and set the one that is furthest above chance, where one is above.
pub(crate) fn worst<'a>(rows: impl Iterator<Item = &'a StructuredRow>) -> Option<&'a StructuredRow> {
    rows.filter(|row| row.verdict > Verdict::InBand)
        .max_by(|a, b| ratio(a).total_cmp(&ratio(b)))
}

/// Collisions for each one of chance; as many as there are where chance gives none at all.
pub(crate) fn ratio(row: &StructuredRow) -> f64 {
    row.collisions as f64 / row.expected.max(1e-300)
}

/// A ratio above 1 in at most four characters.
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
