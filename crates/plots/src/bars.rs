//! The bar plot: one row per contestant, in groups, and one panel per measured quantity.
//!
//! ```
//! use plots::bars::{Bar, Bars, Contestant, Group, Measure};
//!
//! let bar = Bar {
//!     value: 0.5,
//!     interval: Some((0.45, 0.55)),
//!     text: "0.500 (12 ns)".to_owned(),
//!     filled: true,
//! };
//! let bars = Bars {
//!     description: "Time of puts over that of Guava's",
//!     title: "Time over Guava's",
//!     measures: vec![Measure { title: "Put", axis: "time over Guava's", ..Measure::default() }],
//!     reference: Some(1.0),
//!     groups: vec![Group {
//!         name: "1,000 bits".to_owned(),
//!         note: "for 100 keys".to_owned(),
//!         contestants: vec![Contestant { name: "ours".to_owned(), bars: vec![(0, bar)] }],
//!     }],
//!     ..Bars::default()
//! };
//! assert!(plots::svg(&bars.scene()).contains("0.500 (12 ns)"));
//! ```

use super::key::{self, Sign};
use super::mark;
use super::panel::{AXIS, MARGIN, Panel, Rows};
use super::scale::Scale;
use super::scene::{Anchor, Dash, Font, INK, MUTED, Scene};

/// Top of the rows, base line of the panel titles, and distance between the bars of a row.
const HEAD: f64 = 64.0;
const TITLE_BASE: f64 = 50.0;
const BAR_PITCH: f64 = 11.0;
/// Vertical space around the bars of a row.
const ROW_PADDING: f64 = 8.0;

/// A chart of bars.
pub struct Bars<'a> {
    /// Text alternative for readers who cannot see the chart.
    pub description: &'a str,
    /// Title above everything else.
    pub title: &'a str,
    /// Key of filled and hollow bars; empty if the contestants' names explain them.
    pub key: Vec<(Sign, &'a str)>,
    /// Width of the sheet in pixels.
    pub width: f64,
    /// Room for the names of contestants.
    pub names: f64,
    /// The panels, from left to right.
    pub measures: Vec<Measure<'a>>,
    /// Formats a tick.
    pub tick: fn(f64) -> String,
    /// Set if all panels share one scale.
    pub one_scale: bool,
    /// Value of a line through every panel, the baseline of the comparison.
    pub reference: Option<f64>,
    /// The groups, from top to bottom.
    pub groups: Vec<Group>,
}

/// A panel for one measured quantity.
pub struct Measure<'a> {
    /// Title above the panel.
    pub title: &'a str,
    /// Axis title below the panel, with the unit.
    pub axis: &'a str,
    /// Room for text right of the longest bar.
    pub texts: f64,
    /// Values and labels of dashed lines. The scale does not extend to these lines; use [`Bars::reference`] for a value
    /// that may lie beyond every bar.
    pub lines: Vec<(f64, String, Dash)>,
}

/// Contestants under a heading; an empty name omits the heading.
#[derive(Default)]
pub struct Group {
    /// The heading.
    pub name: String,
    /// Smaller text after the name.
    pub note: String,
    /// The contestants, from top to bottom.
    pub contestants: Vec<Contestant>,
}

/// A row of bars.
#[derive(Default)]
pub struct Contestant {
    /// Name at the left.
    pub name: String,
    /// Bars with the index of their panel; bars in the same panel are stacked vertically.
    pub bars: Vec<(usize, Bar)>,
}

/// A value with its interval.
pub struct Bar {
    /// Value at the end of the bar.
    pub value: f64,
    /// Lower and upper end of the interval.
    pub interval: Option<(f64, f64)>,
    /// Text after the bar.
    pub text: String,
    /// Set if the bar is filled; a hollow bar has only an outline.
    pub filled: bool,
}

impl Default for Bars<'_> {
    fn default() -> Self {
        Self {
            description: "",
            title: "",
            key: Vec::new(),
            width: 1080.0,
            names: 178.0,
            measures: Vec::new(),
            tick: |value| value.to_string(),
            one_scale: false,
            reference: None,
            groups: Vec::new(),
        }
    }
}

impl Default for Measure<'_> {
    fn default() -> Self {
        Self {
            title: "",
            axis: "",
            texts: 118.0,
            lines: Vec::new(),
        }
    }
}

impl<'a> Bars<'a> {
    /// Lays out the chart.
    pub fn scene(&self) -> Scene {
        let rows: Vec<Line<'_>> = self.groups.iter().flat_map(Line::of).collect();
        let most = self.contestants().flat_map(|one| {
            (0..self.measures.len()).map(|panel| one.bars.iter().filter(|(of, _)| *of == panel).count())
        });
        let grid = Rows {
            top: HEAD,
            height: ROW_PADDING + BAR_PITCH * most.max().unwrap_or(1).max(1) as f64,
            count: rows.len(),
        };
        let mut scene = Scene::new(self.width, libm::ceil(grid.bottom() + AXIS), self.description);
        grid.stripes(&mut scene);
        let end = key::write(&mut scene, Anchor::End, (self.width - MARGIN, 13.5), &self.key);
        let title = Font::TITLE.fit(self.title, end - 2.0 * MARGIN);
        scene.text((MARGIN, 18.0), Anchor::Start, Font::TITLE, &title);
        let panels = self.panels();
        for (panel, measure) in panels.iter().zip(&self.measures) {
            panel.frame(&mut scene, &grid, TITLE_BASE);
            if let Some(reference) = self.reference {
                let x = panel.scale.at(reference);
                scene.dashed(x, grid.top, grid.bottom(), Dash::DASHED, MUTED);
            }
            for (index, (value, text, dash)) in measure.lines.iter().enumerate() {
                let (x, y) = (panel.scale.at(*value), TITLE_BASE - 12.0 + 13.0 * index as f64);
                scene.dashed(x, y - 9.0, grid.bottom(), *dash, INK);
                scene.text((x + 5.0, y), Anchor::Start, Font::NOTE, text);
            }
        }
        for (index, line) in rows.iter().enumerate() {
            match line {
                Line::Heading(group) => grid.heading(&mut scene, index, &group.name, &group.note),
                Line::Of(contestant) => self.row(&mut scene, &grid, index, contestant, &panels),
            }
        }
        scene
    }

    fn contestants(&self) -> impl Iterator<Item = &Contestant> {
        self.groups.iter().flat_map(|group| &group.contestants)
    }

    fn panels(&self) -> Vec<Panel<'a>> {
        let highest = |wanted: Option<usize>| {
            let bars = self.contestants().flat_map(|contestant| &contestant.bars);
            bars.filter(|(panel, _)| wanted.is_none_or(|wanted| wanted == *panel))
                .map(|(_, bar)| bar.interval.map_or(bar.value, |(_, high)| high.max(bar.value)))
                .filter(|high| high.is_finite())
                .fold(self.reference.unwrap_or(0.0), f64::max)
        };
        let texts: f64 = self.measures.iter().map(|measure| measure.texts).sum();
        let width = (self.width - self.names - texts) / self.measures.len() as f64;
        let mut left = self.names;
        let panel = |(index, measure): (usize, &Measure<'a>)| {
            let from = left;
            left += width + measure.texts;
            let scale = Scale::linear(highest((!self.one_scale).then_some(index)));
            Panel {
                title: measure.title,
                axis: measure.axis,
                scale: scale.over(from, from + width),
                tick: self.tick,
            }
        };
        self.measures.iter().enumerate().map(panel).collect()
    }

    fn row(
        &self,
        scene: &mut Scene,
        grid: &Rows,
        index: usize,
        contestant: &Contestant,
        panels: &[Panel<'_>],
    ) {
        let middle = grid.middle(index);
        let name = Font::NAME.fit(&contestant.name, self.names - 6.0 - MARGIN);
        scene.text_middle((MARGIN, middle), Anchor::Start, Font::NAME, &name);
        for (which, panel) in panels.iter().enumerate() {
            let bars: Vec<_> = contestant.bars.iter().filter(|(of, _)| *of == which).collect();
            for (place, (_, bar)) in bars
                .iter()
                .enumerate()
                .filter(|(_, (_, bar))| bar.value.is_finite())
            {
                let y = middle + BAR_PITCH * (place as f64 - (bars.len() - 1) as f64 / 2.0);
                let end = panel.scale.at(bar.value);
                mark::bar(scene, panel.scale.start(), end, y, bar.filled);
                let mut x = end;
                if let Some((low, high)) = bar.interval {
                    panel.interval(scene, y, low, high, INK);
                    x = x.max(panel.scale.at(high));
                }
                // Hides the grid lines behind the number.
                let right = x + 7.0 + Font::VALUE.width(&bar.text);
                scene.rect(
                    x + 3.0,
                    y - mark::BAR - 0.5,
                    right,
                    y + mark::BAR + 0.5,
                    grid.ground(index),
                );
                scene.text_middle((x + 5.0, y), Anchor::Start, Font::VALUE, &bar.text);
            }
        }
    }
}

enum Line<'a> {
    Heading(&'a Group),
    Of(&'a Contestant),
}

impl<'a> Line<'a> {
    fn of(group: &'a Group) -> impl Iterator<Item = Self> {
        let heading = (!group.name.is_empty()).then_some(Self::Heading(group));
        heading.into_iter().chain(group.contestants.iter().map(Self::Of))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Shape;

    #[test]
    fn bars_end_at_their_value_on_the_scale_of_their_panel() {
        let bar = |value| Bar {
            value,
            interval: None,
            text: String::new(),
            filled: true,
        };
        let contestant = |name: &str, values: [f64; 2]| Contestant {
            name: name.to_owned(),
            bars: values.into_iter().map(bar).enumerate().collect(),
        };
        for (one_scale, expected) in [
            (false, [50.0, 100.0, 100.0, 50.0]),
            (true, [25.0, 100.0, 50.0, 50.0]),
        ] {
            let measure = || Measure {
                texts: 0.0,
                ..Measure::default()
            };
            let bars = Bars {
                width: 300.0,
                names: 100.0,
                measures: vec![measure(), measure()],
                one_scale,
                groups: vec![Group {
                    name: String::new(),
                    note: String::new(),
                    contestants: vec![contestant("a", [1.0, 4.0]), contestant("b", [2.0, 2.0])],
                }],
                ..Bars::default()
            };
            let lengths: Vec<f64> = bars
                .scene()
                .shapes
                .iter()
                .filter_map(|shape| match shape {
                    Shape::Rect { corners, color } if *color == mark::NEUTRAL => {
                        Some(corners[2] - corners[0])
                    }
                    _ => None,
                })
                .collect();
            assert_eq!(lengths, expected);
        }
    }
}
