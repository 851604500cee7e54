//! The chart of every suite: its tables, with a mark in place of each cell.

use plots::dots::{Axis, Dot, Dots, Name, Panel, Row as Marks};
use plots::mark::Mark;
use plots::scale::Scale;
use plots::scene::Scene;
use records::number;

use crate::record::Row;
use crate::summary::{Tables, distinct};

/// The chart of a suite: a panel for each column of its tables, a group for each heading, a mark for each line.
#[derive(Debug, Clone, Copy)]
pub struct Chart {
    /// Title, which is also the text for readers who cannot see the chart.
    pub title: &'static str,
    /// Title of the axes, with the unit.
    pub axis: &'static str,
    /// Returns true for the rows to show, given all rows.
    pub shown: fn(&Row, &[Row]) -> bool,
    /// The value of a row's mark, and its interval.
    pub value: fn(&Row) -> Option<Value>,
}

/// A value and its interval.
pub type Value = (f64, Option<(f64, f64)>);

impl Chart {
    /// The ratio of each timed row to the baseline.
    pub const RATIOS: Self = Self {
        title: "",
        axis: "time over the baseline's",
        shown: |row, _| row.unit == "ns",
        value: |row| Some((row.ratio?, row.ratio_low.zip(row.ratio_high))),
    };

    /// Draws the chart; `None` if no row is shown.
    pub(crate) fn scene(&self, tables: &Tables, rows: &[Row]) -> Option<Scene> {
        let is_shown = |row: &&Row| (self.shown)(row, rows) && !(tables.heading)(row).is_empty();
        let shown: Vec<(&Row, Value)> = (rows.iter().filter(is_shown))
            .filter_map(|row| Some((row, (self.value)(row)?)))
            .collect();
        let names = |name: fn(&Row) -> String, of: &str| {
            let of = shown
                .iter()
                .filter(|(row, _)| of.is_empty() || (tables.heading)(row) == of);
            distinct(of.map(|(row, _)| name(row)))
        };
        let lines: Vec<(String, Option<String>)> = (names(tables.heading, "").into_iter())
            .flat_map(|heading| {
                let lines = names(tables.line, &heading).into_iter().map(Some);
                [None]
                    .into_iter()
                    .chain(lines)
                    .map(move |line| (heading.clone(), line))
            })
            .collect();
        let scale = Scale::of(shown.iter().map(|(_, (value, _))| *value));
        let panel = |(index, title): (usize, String)| {
            let marks = |(heading, line): &(String, Option<String>)| {
                let is_it = |(row, _): &&(&Row, Value)| {
                    (tables.heading)(row) == *heading
                        && Some((tables.line)(row)) == *line
                        && (tables.column)(row) == title
                };
                let &(_, (value, interval)) = shown.iter().find(is_it)?;
                let dot = Dot {
                    value,
                    range: interval.unwrap_or((value, value)),
                    mark: Mark::Neutral,
                    is_filled: true,
                };
                Some(Marks {
                    band: None,
                    dots: vec![dot],
                    number: number::significant(value, 3),
                })
            };
            Panel {
                rows: lines.iter().map(|line| marks(line).unwrap_or_default()).collect(),
                title,
                key: Vec::new(),
                axis: Axis {
                    scale,
                    tick: number::tick,
                },
                axis_title: if index == 0 { self.axis } else { "" }.to_owned(),
                line: Some((1.0, String::new())),
                numbers: ("", 42.0),
            }
        };
        let names_of_rows = lines.iter().map(|(heading, line)| match line {
            Some(line) => Name::Row(line, None),
            None => Name::Heading(heading),
        });
        let chart = Dots {
            description: self.title,
            title: self.title,
            key: &[],
            width: 1080.0,
            names: names_of_rows.collect(),
            panels: names(tables.column, "")
                .into_iter()
                .enumerate()
                .map(panel)
                .collect(),
            notes: &[],
        };
        (!shown.is_empty()).then(|| chart.scene())
    }
}
