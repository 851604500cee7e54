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
        let is_shown = |row: &&Row| {
            (self.shown)(row, rows) && (self.value)(row).is_some() && !(tables.heading)(row).is_empty()
        };
        let shown: Vec<&Row> = rows.iter().filter(is_shown).collect();
        let scale = Scale::of(shown.iter().filter_map(|row| Some((self.value)(row)?.0)));
        let groups = tables.tables(&shown);
        let mut names = Vec::new();
        for group in &groups {
            names.push(Name::Heading(&group.heading));
            names.extend(group.lines.iter().map(|(line, _)| Name::Row(line, None)));
        }
        let mark = |row: &&Row| {
            let (value, interval) = (self.value)(row)?;
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
        let panel = |(index, title): (usize, String)| {
            let mut marks = Vec::new();
            for group in &groups {
                marks.push(Marks::default());
                let at = group.columns.iter().position(|column| *column == title);
                let rows = group.lines.iter().map(|(_, cells)| cells.get(at?)?.first());
                marks.extend(rows.map(|row| row.and_then(mark).unwrap_or_default()));
            }
            Panel {
                rows: marks,
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
        let columns = distinct(shown.iter().map(|row| (tables.column)(row)));
        let chart = Dots {
            description: self.title,
            title: self.title,
            key: &[],
            width: 1080.0,
            names,
            is_kept: &|_| false,
            panels: columns.into_iter().enumerate().map(panel).collect(),
            notes: &[],
        };
        (!shown.is_empty()).then(|| chart.scene())
    }
}
