//! The chart of the suites: contenders in groups, and a panel of bars for each measured quantity.

use plots::key::{self, Sign};
use plots::mark::{BAR, bar};
use plots::panel::{AXIS, MARGIN, Panel, Rows};
use plots::scale::Scale;
use plots::scene::{Anchor, Dash, Font, INK, MUTED, Scene};
use records::number;

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

/// The bars of a row.
struct Drawn {
    /// Name of the group, and a note behind it.
    group: (String, String),
    contender: String,
    /// The bars, each with the index of its panel.
    bars: Vec<(usize, Bar)>,
}

/// A bar, and whether it is filled.
type Bar = (Shown, bool);

/// A line of the chart: a heading, or a contender with its bars.
enum Line<'a> {
    Heading(&'a (String, String)),
    Of(&'a str, Vec<&'a (usize, Bar)>),
}

/// Contenders with their bars.
type Contenders<'a> = Vec<(&'a str, Vec<&'a (usize, Bar)>)>;

/// Returns the groups with their contenders, each as a heading and a line for each contender.
fn lines(all: &[Drawn]) -> Vec<Line<'_>> {
    let mut groups: Vec<(&(String, String), Contenders<'_>)> = Vec::new();
    for drawn in all {
        let known = groups.iter().position(|group| group.0.0 == drawn.group.0);
        let at = known.unwrap_or(groups.len());
        if known.is_none() {
            groups.push((&drawn.group, Vec::new()));
        }
        let contenders = &mut groups[at].1;
        match contenders.iter_mut().find(|one| one.0 == drawn.contender) {
            Some((_, bars)) => bars.extend(&drawn.bars),
            None => contenders.push((&drawn.contender, drawn.bars.iter().collect())),
        }
    }
    let mut lines = Vec::new();
    for (group, contenders) in groups {
        lines.push(Line::Heading(group));
        lines.extend(contenders.into_iter().map(|(name, bars)| Line::Of(name, bars)));
    }
    lines
}

impl BarChart {
    /// Lays out the chart.
    pub(crate) fn scene(&self, rows: &[Row]) -> Scene {
        let drawn: Vec<Drawn> = rows.iter().filter_map(|row| self.drawn(row)).collect();
        let lines = lines(&drawn);
        let stacked = lines.iter().flat_map(|line| match line {
            Line::Heading(_) => Vec::new(),
            Line::Of(_, bars) => (0..self.panels.len())
                .map(|panel| of(bars, panel).count())
                .collect(),
        });
        let grid = Rows {
            top: HEAD,
            height: ROW_PADDING + BAR_PITCH * stacked.max().unwrap_or(1).max(1) as f64,
            count: lines.len(),
        };
        let mut scene = Scene::new(WIDTH, (grid.bottom() + AXIS).ceil(), self.description);
        grid.stripes(&mut scene);
        let end = key::write(&mut scene, Anchor::End, (WIDTH - MARGIN, 13.5), self.key);
        scene.title(self.title, 18.0, end);
        let panels = self.panels(&drawn);
        for panel in &panels {
            panel.frame(&mut scene, &grid, TITLE_BASE);
            if let Some(reference) = self.reference {
                let x = panel.scale.at(reference);
                scene.dashed(x, grid.top, grid.bottom(), Dash::DASHED, MUTED);
            }
        }
        for (index, line) in lines.iter().enumerate() {
            match line {
                Line::Heading((name, note)) => grid.heading(&mut scene, index, name, note),
                Line::Of(name, bars) => {
                    grid.name(&mut scene, index, name, None, self.names);
                    for (which, panel) in panels.iter().enumerate() {
                        let bars: Vec<&Bar> = of(bars, which).collect();
                        row(&mut scene, &grid, index, &bars, panel);
                    }
                }
            }
        }
        scene
    }

    /// Returns the bars of a row; `None` if no panel shows it.
    fn drawn(&self, row: &Row) -> Option<Drawn> {
        let panels = self.panels.iter().enumerate();
        let shown = panels.filter(|(_, panel)| panel.tasks.contains(&&*row.case.task));
        let bars: Vec<(usize, Bar)> = shown
            .filter_map(|(index, panel)| Some((index, ((panel.shown)(row)?, (self.is_filled)(row)))))
            .collect();
        (!bars.is_empty()).then(|| Drawn {
            group: (self.group)(row),
            contender: (self.contender)(row),
            bars,
        })
    }

    fn panels(&self, drawn: &[Drawn]) -> Vec<Panel<'_>> {
        let highest = |wanted: Option<usize>| {
            let bars = drawn.iter().flat_map(|one| &one.bars);
            bars.filter(|(panel, _)| wanted.is_none_or(|wanted| wanted == *panel))
                .map(|(_, ((value, interval, _), _))| interval.map_or(*value, |(_, high)| high.max(*value)))
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
fn of<'a>(bars: &[&'a (usize, Bar)], panel: usize) -> impl Iterator<Item = &'a Bar> {
    bars.iter()
        .filter(move |(of, _)| *of == panel)
        .map(|(_, bar)| bar)
}

/// Draws the bars of a contender in a panel.
fn row(scene: &mut Scene, grid: &Rows, index: usize, bars: &[&Bar], panel: &Panel<'_>) {
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

#[cfg(test)]
mod tests {
    use plots::mark::NEUTRAL;
    use plots::scene::Shape;

    use super::*;
    use crate::ratios::tests::SUITE;

    const CHART: BarChart = BarChart {
        description: "",
        title: "",
        key: &[],
        names: WIDTH - 200.0,
        panels: &[
            PANEL,
            BarPanel {
                tasks: &["absent"],
                ..PANEL
            },
        ],
        one_scale: false,
        reference: None,
        group: |row| (row.case.get("filter_keys").to_owned(), String::new()),
        contender: |row| row.case.contender.clone(),
        is_filled: |_| true,
    };
    const PANEL: BarPanel = BarPanel {
        title: "",
        axis: "",
        room: 0.0,
        tasks: &["build"],
        shown: |row| Some((row.value, None, String::new())),
    };

    fn rows(of: &[(&str, &str, u64, u64)]) -> Vec<Row> {
        let row = |(contender, task, keys, value): &(&str, &str, u64, u64)| Row {
            case: SUITE.case(contender, task, &[keys, &10]),
            rounds: 1,
            calls: 1,
            unit: "ns",
            value: *value as f64,
            mad: 0.0,
            ratio: None,
        };
        of.iter().map(row).collect()
    }

    #[test]
    fn bars_end_at_their_value_on_the_scale_of_their_panel() {
        let rows = rows(&[
            ("a", "build", 1, 1),
            ("a", "absent", 1, 4),
            ("b", "build", 1, 2),
            ("b", "absent", 1, 2),
        ]);
        for (one_scale, expected) in [
            (false, [50.0, 100.0, 100.0, 50.0]),
            (true, [25.0, 100.0, 50.0, 50.0]),
        ] {
            let length = |shape: &Shape| match shape {
                Shape::Rect(corners, NEUTRAL) => Some(corners[2] - corners[0]),
                _ => None,
            };
            let scene = BarChart { one_scale, ..CHART }.scene(&rows);
            let lengths: Vec<f64> = scene.shapes.iter().filter_map(length).collect();
            assert_eq!(lengths, expected);
        }
    }

    #[test]
    fn rows_of_a_group_stand_together() {
        let rows = rows(&[
            ("a", "build", 1, 1),
            ("a", "build", 2, 1),
            ("b", "build", 1, 1),
            ("a", "absent", 1, 1),
        ]);
        let drawn: Vec<Drawn> = rows.iter().filter_map(|row| CHART.drawn(row)).collect();
        let names: Vec<&str> = lines(&drawn)
            .iter()
            .map(|line| match line {
                Line::Heading((name, _)) => name.as_str(),
                Line::Of(name, _) => name,
            })
            .collect();
        assert_eq!(names, ["1", "a", "b", "2", "a"]);
    }
}
