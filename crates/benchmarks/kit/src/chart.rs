//! The chart of every suite: its tables, with a bar in place of each cell.

use plots::mark::{BAR, bar};
use plots::panel::{AXIS, Head, Panel, Rows};
use plots::scale::Scale;
use plots::scene::{Anchor, Font, INK, MUTED, Scene};
use records::number;

use crate::record::Row;
use crate::summary::{Tables, distinct};

/// Width of the sheet, room for the names of lines, and room behind the longest bar of a panel.
const WIDTH: f64 = 1080.0;
const NAMES: f64 = 210.0;
const ROOM: f64 = 52.0;
/// Top of the lines, base line of the panels' titles, and height of a line.
const HEAD: f64 = 64.0;
const TITLE_BASE: f64 = 50.0;
const LINE: f64 = 19.0;
/// A bar that is longer ends at the edge; its number tells.
const MOST: f64 = 4.0;

/// The chart of a suite: a panel for each column of its tables, a group for each heading, a bar for each line.
#[derive(Debug, Clone, Copy)]
pub struct Chart {
    /// Title, which is also the text for readers who cannot see the chart.
    pub title: &'static str,
    /// Title of the axes, with the unit.
    pub axis: &'static str,
    /// Returns true for the rows to show, given all rows.
    pub shown: fn(&Row, &[Row]) -> bool,
    /// The value of a row's bar, and its interval.
    pub bar: fn(&Row) -> Option<Bar>,
}

/// A value and its interval.
pub type Bar = (f64, Option<(f64, f64)>);

impl Chart {
    /// The ratio of each timed row to the baseline.
    pub const RATIOS: Self = Self {
        title: "",
        axis: "time over the baseline's",
        shown: |row, _| row.unit == "ns",
        bar: |row| {
            row.ratio
                .map(|ratio| (ratio.median, Some((ratio.low, ratio.high))))
        },
    };

    /// Draws the chart; `None` if no row is shown.
    pub(crate) fn scene(&self, tables: &Tables, rows: &[Row]) -> Option<Scene> {
        let is_shown = |row: &&Row| (self.shown)(row, rows) && !(tables.heading)(row).is_empty();
        let shown: Vec<(&Row, Bar)> = (rows.iter().filter(is_shown))
            .filter_map(|row| Some((row, (self.bar)(row)?)))
            .collect();
        let names = |name: fn(&Row) -> String, of: &str| {
            let of = shown
                .iter()
                .filter(|(row, _)| of.is_empty() || (tables.heading)(row) == of);
            distinct(of.map(|(row, _)| name(row)))
        };
        let columns = names(tables.column, "");
        let lines: Vec<(String, Option<String>)> = (names(tables.heading, "").into_iter())
            .flat_map(|heading| {
                let lines = names(tables.line, &heading).into_iter().map(Some);
                [None]
                    .into_iter()
                    .chain(lines)
                    .map(move |line| (heading.clone(), line))
            })
            .collect();
        let grid = Rows {
            top: HEAD,
            height: LINE,
            count: lines.len(),
        };
        let head = Head {
            description: self.title,
            title: self.title,
            width: WIDTH,
            foot: AXIS,
            key: &[],
        };
        let mut scene = head.sheet(&grid);
        let longest = shown
            .iter()
            .map(|(_, (value, _))| *value)
            .filter(|value| value.is_finite());
        let is_ratio = shown.iter().any(|(_, (_, interval))| interval.is_some());
        let longest = longest
            .fold(1.0, f64::max)
            .min(if is_ratio { MOST } else { f64::INFINITY });
        let width = (WIDTH - NAMES) / columns.len().max(1) as f64;
        let panels: Vec<Panel<'_>> = (columns.iter().enumerate())
            .map(|(index, title)| {
                let from = NAMES + width * index as f64;
                let scale = Scale::linear(longest).over(from, from + width - ROOM);
                let axis = if index == 0 { self.axis } else { "" };
                Panel {
                    title,
                    axis,
                    scale,
                    tick: number::tick,
                }
            })
            .collect();
        for panel in &panels {
            panel.frame(&mut scene, &grid, TITLE_BASE);
            if is_ratio {
                let x = panel.scale.at(1.0);
                scene.line((x, grid.top), (x, grid.bottom()), 1.0, MUTED);
            }
        }
        for (index, (heading, line)) in lines.iter().enumerate() {
            let Some(line) = line else {
                grid.heading(&mut scene, index, heading, "");
                continue;
            };
            grid.name(&mut scene, index, line, None, NAMES);
            for (panel, column) in panels.iter().zip(&columns) {
                let is_it = |(row, _): &&(&Row, Bar)| {
                    (tables.heading)(row) == *heading
                        && (tables.line)(row) == *line
                        && (tables.column)(row) == *column
                };
                if let Some((_, found)) = shown.iter().find(is_it) {
                    draw(&mut scene, &grid, index, *found, panel);
                }
            }
        }
        (!shown.is_empty()).then_some(scene)
    }
}

/// Draws a bar with its interval, and its number behind it.
fn draw(scene: &mut Scene, grid: &Rows, index: usize, (value, interval): Bar, panel: &Panel<'_>) {
    let y = grid.middle(index);
    let at = |value: f64| panel.scale.at(value.min(panel.scale.high));
    let mut x = at(value);
    bar(scene, panel.scale.from, x, y);
    if let Some((low, high)) = interval {
        panel.interval(
            scene,
            y,
            low.min(panel.scale.high),
            high.min(panel.scale.high),
            INK,
        );
        x = x.max(at(high));
    }
    let text = number::significant(value, 3);
    // Hides the grid lines behind the number.
    let right = x + 7.0 + Font::VALUE.width(&text);
    scene.rect(x + 3.0, y - BAR - 0.5, right, y + BAR + 0.5, grid.ground(index));
    scene.text_middle((x + 5.0, y), Anchor::Start, Font::VALUE, &text);
}
