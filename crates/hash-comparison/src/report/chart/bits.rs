//! The share of ones in each output bit of each function.

use super::rows::{DatasetRows, distinct};
use crate::record::{DistributionKind, DistributionRow};
use plots::grid::{self, Grid, Surprise};
use plots::panel::{MARGIN, NAMES_END, Rows, row_height};
use plots::scene::{Anchor, Font, Scene};

const HEAD: f64 = 66.0;
const CELL: f64 = 33.0;

/// The chart, or `None` without bit rows. It draws from `distribution.csv` alone.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let members: Vec<&DistributionRow> = data
        .distribution
        .iter()
        .copied()
        .filter(|row| row.kind == DistributionKind::BitShare)
        .collect();
    let functions = distinct(members.iter().map(|row| row.function.as_str()));
    let highest = members.iter().map(|row| row.parameter).max()?.min(63);
    let rows = Rows {
        top: HEAD,
        height: row_height(functions.len()),
        count: functions.len(),
    };
    let width = (NAMES_END + (highest + 1) as f64 * CELL + MARGIN).max(860.0);
    let name = &data.summary.name;
    let mut scene = Scene::new(
        width,
        (rows.bottom() + 26.0).ceil(),
        &format!("{name}: percentage of ones in each output bit of each function"),
    );
    let key_start = grid::key(&mut scene, width - MARGIN, 11.0);
    let title = Font::TITLE.fit(
        &format!("{name}: ones in each output bit, per cent"),
        key_start - 2.0 * MARGIN,
    );
    scene.text((MARGIN, 16.0), Anchor::Start, Font::TITLE, &title);
    rows.stripes(&mut scene);
    for (index, function) in functions.iter().enumerate() {
        rows.name(&mut scene, index, function, None);
    }
    scene.text(
        (NAMES_END, 38.0),
        Anchor::Start,
        Font::HEAD,
        "Output bit, highest first",
    );
    // As numbers are written: the lowest bit at the right.
    let column = |bit: u64| NAMES_END + (highest - bit) as f64 * CELL;
    for bit in 0..=highest {
        scene.text(
            (column(bit) + CELL / 2.0, 58.0),
            Anchor::Middle,
            Font::NOTE,
            &bit.to_string(),
        );
    }
    let mut grid = Grid::default();
    for row in members.iter().filter(|row| row.parameter <= highest) {
        let Some(index) = functions.iter().position(|name| *name == row.function) else {
            continue;
        };
        let (middle, half) = (rows.middle(index), rows.height / 2.0);
        let left = column(row.parameter);
        let share = row.statistic * 100.0;
        let text = if share < 99.95 {
            format!("{share:.1}")
        } else {
            "100".to_owned()
        };
        let corners = [left, middle - half, left + CELL, middle + half];
        grid.add(corners, Surprise::of(row.p_value), text);
    }
    grid.draw(&mut scene);
    let note = "Cells: share of the keys whose output bit is one, per cent; a random function gives about 50. \
                Empty: the function has no such bit.";
    scene.text((MARGIN, rows.bottom() + 17.0), Anchor::Start, Font::NOTE, note);
    Some(scene)
}
