//! The chart of the suites: contenders in groups, and a panel of bars for each measured quantity.

use plots::key::{self, Sign};
use plots::mark::{BAR, bar};
use plots::panel::{AXIS, MARGIN, Panel, Rows};
use plots::scale::Scale;
use plots::scene::{Anchor, Dash, Font, INK, MUTED, Scene};
use records::number;

use crate::lines::entry;
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

/// The bars of a contender, each with the index of its panel, and whether it is filled.
type Bars = Vec<(usize, Shown, bool)>;

/// Contenders with their bars, below a name with a note behind it.
struct Group {
    name: String,
    note: String,
    contenders: Vec<(String, Bars)>,
}

impl BarChart {
    /// Lays out the chart.
    pub(crate) fn scene(&self, rows: &[Row]) -> Scene {
        let groups = self.groups(rows);
        let contenders = || groups.iter().flat_map(|group| &group.contenders);
        let stacked =
            contenders().flat_map(|(_, bars)| (0..self.panels.len()).map(|panel| of(bars, panel).count()));
        let grid = Rows {
            top: HEAD,
            height: ROW_PADDING + BAR_PITCH * stacked.max().unwrap_or(1).max(1) as f64,
            count: groups.len() + contenders().count(),
        };
        let mut scene = Scene::new(WIDTH, (grid.bottom() + AXIS).ceil(), self.description);
        grid.stripes(&mut scene);
        let end = key::write(&mut scene, Anchor::End, (WIDTH - MARGIN, 13.5), self.key);
        scene.title(self.title, 18.0, end);
        let panels = self.panels(&groups);
        for panel in &panels {
            panel.frame(&mut scene, &grid, TITLE_BASE);
            if let Some(reference) = self.reference {
                let x = panel.scale.at(reference);
                scene.dashed(x, grid.top, grid.bottom(), Dash::DASHED, MUTED);
            }
        }
        let mut index = 0;
        for group in &groups {
            grid.heading(&mut scene, index, &group.name, &group.note);
            for (name, bars) in &group.contenders {
                index += 1;
                grid.name(&mut scene, index, name, None, self.names);
                for (which, panel) in panels.iter().enumerate() {
                    row(
                        &mut scene,
                        &grid,
                        index,
                        &of(bars, which).collect::<Vec<_>>(),
                        panel,
                    );
                }
            }
            index += 1;
        }
        scene
    }

    /// Returns the groups of the rows that a panel shows.
    fn groups(&self, rows: &[Row]) -> Vec<Group> {
        let mut groups = Vec::new();
        for row in rows {
            let panels = self.panels.iter().enumerate();
            let shown = panels.filter(|(_, panel)| panel.tasks.contains(&&*row.case.task));
            let bars: Bars = shown
                .filter_map(|(index, panel)| Some((index, (panel.shown)(row)?, (self.is_filled)(row))))
                .collect();
            if bars.is_empty() {
                continue;
            }
            let (name, note) = (self.group)(row);
            let same = |group: &Group| group.name == name;
            let group = entry(&mut groups, same, || Group {
                name: name.clone(),
                note,
                contenders: Vec::new(),
            });
            let name = (self.contender)(row);
            let (_, all) = entry(
                &mut group.contenders,
                |(known, _)| *known == name,
                || (name.clone(), Vec::new()),
            );
            all.extend(bars);
        }
        groups
    }

    fn panels(&self, groups: &[Group]) -> Vec<Panel<'_>> {
        let highest = |wanted: Option<usize>| {
            let bars = groups
                .iter()
                .flat_map(|group| &group.contenders)
                .flat_map(|(_, bars)| bars);
            bars.filter(|(panel, ..)| wanted.is_none_or(|wanted| wanted == *panel))
                .map(|(_, (value, interval, _), _)| interval.map_or(*value, |(_, high)| high.max(*value)))
                .filter(|high| high.is_finite())
                .fold(self.reference.unwrap_or(0.0), f64::max)
        };
        let texts: f64 = self.panels.iter().map(|panel| panel.room).sum();
        let width = (WIDTH - self.names - texts) / self.panels.len() as f64;
        let mut left = self.names;
        let panels = self.panels.iter().enumerate().map(|(index, panel)| {
            let from = left;
            left += width + panel.room;
            let scale = Scale::linear(highest((!self.one_scale).then_some(index)));
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

/// Returns the bars of a panel.
fn of(bars: &Bars, panel: usize) -> impl Iterator<Item = (&Shown, bool)> {
    let of_panel = bars.iter().filter(move |(of, ..)| *of == panel);
    of_panel.map(|(_, shown, is_filled)| (shown, *is_filled))
}

/// Draws the bars of a contender in a panel.
fn row(scene: &mut Scene, grid: &Rows, index: usize, bars: &[(&Shown, bool)], panel: &Panel<'_>) {
    let places = bars
        .iter()
        .enumerate()
        .filter(|(_, ((value, ..), _))| value.is_finite());
    for (place, ((value, interval, text), is_filled)) in places {
        let y = grid.middle(index) + BAR_PITCH * (place as f64 - (bars.len() - 1) as f64 / 2.0);
        let mut x = panel.scale.at(*value);
        bar(scene, panel.scale.start(), x, y, *is_filled);
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
