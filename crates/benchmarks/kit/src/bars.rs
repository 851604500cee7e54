//! The chart of the suites: contestants in groups, and a panel of bars for each measured quantity.

use plots::key::{self, Sign};
use plots::mark::{BAR, bar};
use plots::panel::{AXIS, MARGIN, Panel, Rows};
use plots::scale::Scale;
use plots::scene::{Anchor, Dash, Font, INK, MUTED, Scene};
use records::number;

/// Width of the sheet.
const WIDTH: f64 = 1080.0;
/// Top of the rows, base line of the panel titles, and distance between the bars of a row.
const HEAD: f64 = 64.0;
const TITLE_BASE: f64 = 50.0;
const BAR_PITCH: f64 = 11.0;
/// Vertical space around the bars of a row.
const ROW_PADDING: f64 = 8.0;

/// A chart of bars.
#[derive(Default)]
pub(crate) struct Bars<'a> {
    /// Text alternative for readers who cannot see the chart.
    pub(crate) description: &'a str,
    /// Title above everything else.
    pub(crate) title: &'a str,
    /// Key of filled and hollow bars; empty if the contestants' names explain them.
    pub(crate) key: Vec<(Sign, &'a str)>,
    /// Room for the names of contestants.
    pub(crate) names: f64,
    /// The panels, from left to right: title, axis title with the unit, and room for text right of the longest bar.
    pub(crate) panels: Vec<(&'a str, &'a str, f64)>,
    /// Set if all panels share one scale.
    pub(crate) one_scale: bool,
    /// Value of a line through every panel, the baseline of the comparison.
    pub(crate) reference: Option<f64>,
}

/// The bars of a row of a record: groups and their contestants keep the order of their first rows.
pub(crate) struct Drawn {
    /// Name of the group, and a note behind it.
    pub(crate) group: (String, String),
    pub(crate) contestant: String,
    /// The bars, each with the index of its panel; bars of a contestant in the same panel are stacked vertically.
    pub(crate) bars: Vec<(usize, Bar)>,
}

/// A value with its interval.
pub(crate) struct Bar {
    /// Value at the end of the bar.
    pub(crate) value: f64,
    /// Lower and upper end of the interval.
    pub(crate) interval: Option<(f64, f64)>,
    /// Text after the bar.
    pub(crate) text: String,
    /// Set if the bar is filled; a hollow bar has only an outline.
    pub(crate) filled: bool,
}

/// A line of the chart: a heading, or a contestant with its bars.
enum Line<'a> {
    Heading(&'a (String, String)),
    Of(&'a str, Vec<&'a (usize, Bar)>),
}

/// Contestants with their bars.
type Contestants<'a> = Vec<(&'a str, Vec<&'a (usize, Bar)>)>;

/// Returns the groups with their contestants, each as a heading and a line for each contestant.
fn lines(all: &[Drawn]) -> Vec<Line<'_>> {
    let mut groups: Vec<(&(String, String), Contestants<'_>)> = Vec::new();
    for drawn in all {
        let known = groups.iter().position(|group| group.0.0 == drawn.group.0);
        let at = known.unwrap_or(groups.len());
        if known.is_none() {
            groups.push((&drawn.group, Vec::new()));
        }
        let contestants = &mut groups[at].1;
        match contestants.iter_mut().find(|one| one.0 == drawn.contestant) {
            Some((_, bars)) => bars.extend(&drawn.bars),
            None => contestants.push((&drawn.contestant, drawn.bars.iter().collect())),
        }
    }
    let mut lines = Vec::new();
    for (group, contestants) in groups {
        lines.push(Line::Heading(group));
        lines.extend(contestants.into_iter().map(|(name, bars)| Line::Of(name, bars)));
    }
    lines
}

impl Bars<'_> {
    /// Lays out the chart of these rows.
    pub(crate) fn scene(&self, drawn: &[Drawn]) -> Scene {
        let lines = lines(drawn);
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
        let end = key::write(&mut scene, Anchor::End, (WIDTH - MARGIN, 13.5), &self.key);
        let title = Font::TITLE.fit(self.title, end - 2.0 * MARGIN);
        scene.text((MARGIN, 18.0), Anchor::Start, Font::TITLE, &title);
        let panels = self.panels(drawn);
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

    fn panels(&self, drawn: &[Drawn]) -> Vec<Panel<'_>> {
        let highest = |wanted: Option<usize>| {
            let bars = drawn.iter().flat_map(|one| &one.bars);
            bars.filter(|(panel, _)| wanted.is_none_or(|wanted| wanted == *panel))
                .map(|(_, bar)| bar.interval.map_or(bar.value, |(_, high)| high.max(bar.value)))
                .filter(|high| high.is_finite())
                .fold(self.reference.unwrap_or(0.0), f64::max)
        };
        let texts: f64 = self.panels.iter().map(|panel| panel.2).sum();
        let width = (WIDTH - self.names - texts) / self.panels.len() as f64;
        let mut left = self.names;
        let panels = self
            .panels
            .iter()
            .enumerate()
            .map(|(index, &(title, axis, text))| {
                let from = left;
                left += width + text;
                let scale = Scale::linear(highest((!self.one_scale).then_some(index)));
                Panel {
                    title,
                    axis,
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

/// Draws the bars of a contestant in a panel.
fn row(scene: &mut Scene, grid: &Rows, index: usize, bars: &[&Bar], panel: &Panel<'_>) {
    let places = bars.iter().enumerate().filter(|(_, bar)| bar.value.is_finite());
    for (place, one) in places {
        let y = grid.middle(index) + BAR_PITCH * (place as f64 - (bars.len() - 1) as f64 / 2.0);
        let mut x = panel.scale.at(one.value);
        bar(scene, panel.scale.start(), x, y, one.filled);
        if let Some((low, high)) = one.interval {
            panel.interval(scene, y, low, high, INK);
            x = x.max(panel.scale.at(high));
        }
        // Hides the grid lines behind the number.
        let right = x + 7.0 + Font::VALUE.width(&one.text);
        scene.rect(x + 3.0, y - BAR - 0.5, right, y + BAR + 0.5, grid.ground(index));
        scene.text_middle((x + 5.0, y), Anchor::Start, Font::VALUE, &one.text);
    }
}

/// Returns the distinct values, sorted.
pub(crate) fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use plots::mark::NEUTRAL;
    use plots::scene::Shape;

    use super::*;

    #[test]
    fn bars_end_at_their_value_on_the_scale_of_their_panel() {
        let bar = |value| Bar {
            value,
            interval: None,
            text: String::new(),
            filled: true,
        };
        let drawn = [("a", [1.0, 4.0]), ("b", [2.0, 2.0])].map(|(name, values)| Drawn {
            group: ("a group".to_owned(), String::new()),
            contestant: name.to_owned(),
            bars: values.into_iter().map(bar).enumerate().collect(),
        });
        for (one_scale, expected) in [
            (false, [50.0, 100.0, 100.0, 50.0]),
            (true, [25.0, 100.0, 50.0, 50.0]),
        ] {
            let bars = Bars {
                names: WIDTH - 200.0,
                panels: vec![("", "", 0.0); 2],
                one_scale,
                ..Bars::default()
            };
            let length = |shape: &Shape| match shape {
                Shape::Rect(corners, NEUTRAL) => Some(corners[2] - corners[0]),
                _ => None,
            };
            let scene = bars.scene(&drawn);
            let lengths: Vec<f64> = scene.shapes.iter().filter_map(length).collect();
            assert_eq!(lengths, expected);
        }
    }

    #[test]
    fn rows_of_a_group_stand_together() {
        let one = |group: &str, contestant: &str| Drawn {
            group: (group.to_owned(), String::new()),
            contestant: contestant.to_owned(),
            bars: Vec::new(),
        };
        let drawn = [one("x", "a"), one("y", "a"), one("x", "b"), one("x", "a")];
        let names: Vec<&str> = lines(&drawn)
            .iter()
            .map(|line| match line {
                Line::Heading((name, _)) => name.as_str(),
                Line::Of(name, _) => name,
            })
            .collect();
        assert_eq!(names, ["x", "a", "b", "y", "a"]);
    }
}
