//! The chart of the suites: contenders in groups, and a panel of bars for each measured quantity.

use plots::key::Sign;
use plots::mark::{BAR, bar};
use plots::panel::{AXIS, Head, Panel, Rows};
use plots::scale::Scale;
use plots::scene::{Anchor, Font, INK, MUTED, Scene};
use records::number;

use crate::lines::distinct;
use crate::record::Row;

/// Width of the sheet.
const WIDTH: f64 = 1080.0;
/// Top of the rows, base line of the panel titles, and distance between the bars of a row.
const HEAD: f64 = 64.0;
const TITLE_BASE: f64 = 50.0;
const BAR_PITCH: f64 = 11.0;
/// Vertical space around the bars of a row.
const ROW_PADDING: f64 = 8.0;

/// A chart of bars for the rows of a suite: groups of contenders, and a panel for each measured quantity. Groups and
/// contenders are in the order of their first rows.
pub(crate) struct BarChart {
    /// Text alternative for readers who cannot see the chart.
    pub(crate) description: &'static str,
    /// Title above everything else.
    pub(crate) title: &'static str,
    /// Key of filled and hollow bars; empty if the contenders' names explain them.
    pub(crate) key: &'static [(Sign, &'static str)],
    /// Room for the names of contenders.
    pub(crate) names: f64,
    /// The panels, from left to right.
    pub(crate) panels: &'static [BarPanel],
    /// Set if all panels share one scale.
    pub(crate) one_scale: bool,
    /// Value of a line through every panel, the baseline of the comparison.
    pub(crate) reference: Option<f64>,
    /// The name of a row's group, and a note behind it.
    pub(crate) group: fn(&Row) -> (String, String),
    /// The name of a row's contender.
    pub(crate) contender: fn(&Row) -> String,
    /// Returns true if a row's bars are filled; hollow bars have only an outline.
    pub(crate) is_filled: fn(&Row) -> bool,
}

/// A panel of a chart of bars.
pub(crate) struct BarPanel {
    pub(crate) title: &'static str,
    /// The axis title with the unit.
    pub(crate) axis: &'static str,
    /// Room for text right of the longest bar.
    pub(crate) room: f64,
    /// The tasks that the panel shows; several bars of a contender are stacked.
    pub(crate) tasks: &'static [&'static str],
    /// Returns the bar of a row, if it has one.
    pub(crate) shown: fn(&Row) -> Option<Shown>,
}

/// A value with its interval, and the text behind its bar.
pub(crate) type Shown = (f64, Option<(f64, f64)>, String);

/// Shows the ratio to the baseline, and behind it the time.
pub(crate) fn ratio(row: &Row) -> Option<Shown> {
    let ratio = row.ratio?;
    let [of, value] = [ratio.median, row.value].map(|number| number::significant(number, 3));
    let text = format!("{of} ({value} {})", row.unit);
    Some((ratio.median, Some((ratio.low, ratio.high)), text))
}

/// Bars of a contender in a panel, one below the other, each with whether it is filled.
type Bars = Vec<(Shown, bool)>;

/// A line of the chart: the heading of a group with a note, or the name of a contender with the bars of each panel.
enum Line {
    Heading(String, String),
    Contender(String, Vec<Bars>),
}

impl BarChart {
    /// Lays out the chart.
    pub(crate) fn scene(&self, rows: &[Row]) -> Scene {
        let lines = self.lines(rows);
        let bars: Vec<&[Bars]> = lines.iter().filter_map(Line::bars).collect();
        let stacked = bars.iter().flat_map(|panels| panels.iter()).map(Vec::len);
        let grid = Rows {
            top: HEAD,
            height: ROW_PADDING + BAR_PITCH * stacked.max().unwrap_or(1).max(1) as f64,
            count: lines.len(),
        };
        let mut scene = Head {
            description: self.description,
            title: self.title,
            width: WIDTH,
            foot: AXIS,
            key: self.key,
        }
        .sheet(&grid);
        let panels = self.panels(&bars);
        for panel in &panels {
            panel.frame(&mut scene, &grid, TITLE_BASE);
            if let Some(reference) = self.reference {
                let x = panel.scale.at(reference);
                scene.line((x, grid.top), (x, grid.bottom()), 1.0, MUTED);
            }
        }
        for (index, line) in lines.iter().enumerate() {
            match line {
                Line::Heading(name, note) => grid.heading(&mut scene, index, name, note),
                Line::Contender(name, bars) => {
                    grid.name(&mut scene, index, name, None, self.names);
                    for (panel, bars) in panels.iter().zip(bars) {
                        row(&mut scene, &grid, index, bars, panel);
                    }
                }
            }
        }
        scene
    }

    /// Returns the lines of the rows that a panel shows.
    fn lines(&self, rows: &[Row]) -> Vec<Line> {
        let bar = |panel: &BarPanel, row: &Row| {
            let shown = panel.tasks.contains(&&*row.case.task).then(|| (panel.shown)(row));
            Some((shown??, (self.is_filled)(row)))
        };
        let is_shown = |row: &&Row| self.panels.iter().any(|panel| bar(panel, row).is_some());
        let shown: Vec<&Row> = rows.iter().filter(is_shown).collect();
        let mut lines = Vec::new();
        for group in distinct(shown.iter().map(|row| (self.group)(row).0)) {
            let of_group = || shown.iter().filter(|row| (self.group)(row).0 == group);
            let notes = of_group().map(|row| (self.group)(row).1).next();
            lines.push(Line::Heading(group.clone(), notes.unwrap_or_default()));
            for name in distinct(of_group().map(|row| (self.contender)(row))) {
                let its = || of_group().filter(|row| (self.contender)(row) == name);
                let panels = self.panels.iter();
                let bars = panels.map(|panel| its().filter_map(|row| bar(panel, row)).collect());
                lines.push(Line::Contender(name.clone(), bars.collect()));
            }
        }
        lines
    }

    fn panels(&self, bars: &[&[Bars]]) -> Vec<Panel<'_>> {
        let highest = |panel: usize| {
            let of_panel = bars.iter().flat_map(|panels| &panels[panel]);
            of_panel
                .map(|((value, interval, _), _)| interval.map_or(*value, |(_, high)| high.max(*value)))
                .filter(|high| high.is_finite())
                .fold(self.reference.unwrap_or(0.0), f64::max)
        };
        let all = (0..self.panels.len()).map(highest).fold(0.0, f64::max);
        let texts: f64 = self.panels.iter().map(|panel| panel.room).sum();
        let width = (WIDTH - self.names - texts) / self.panels.len() as f64;
        let mut left = self.names;
        let panels = self.panels.iter().enumerate().map(|(index, panel)| {
            let from = left;
            left += width + panel.room;
            let scale = Scale::linear(if self.one_scale { all } else { highest(index) });
            Panel {
                title: panel.title,
                axis: panel.axis,
                scale: scale.over(from, from + width),
                tick: number::tick,
            }
        });
        panels.collect()
    }
}

impl Line {
    fn bars(&self) -> Option<&[Bars]> {
        match self {
            Self::Heading(..) => None,
            Self::Contender(_, bars) => Some(bars),
        }
    }
}

/// Draws the bars of a contender in a panel.
fn row(scene: &mut Scene, grid: &Rows, index: usize, bars: &Bars, panel: &Panel<'_>) {
    let places = bars
        .iter()
        .enumerate()
        .filter(|(_, ((value, ..), _))| value.is_finite());
    for (place, ((value, interval, text), is_filled)) in places {
        let y = grid.middle(index) + BAR_PITCH * (place as f64 - (bars.len() - 1) as f64 / 2.0);
        let mut x = panel.scale.at(*value);
        bar(scene, panel.scale.from, x, y, *is_filled);
        if let Some((low, high)) = *interval {
            panel.interval(scene, y, low, high, INK);
            x = x.max(panel.scale.at(high));
        }
        // Hides the grid lines behind the number.
        let right = x + 7.0 + Font::VALUE.width(text);
        scene.rect(x + 3.0, y - BAR - 0.5, right, y + BAR + 0.5, grid.ground(index));
        scene.text_middle((x + 5.0, y), Anchor::Start, Font::VALUE, text);
    }
}
