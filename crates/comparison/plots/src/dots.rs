//! Panels of marks side by side that share rows: a name at the left of each row, and a number behind the marks.

use plotters::element::Polygon;

use super::axes::Axes;
pub use super::axes::Axis;
use super::key::{self, Sign};
use super::mark::{Mark, RADIUS};
use super::rows::{NAMES_END, Rows};
use super::scale::Scale;
use super::scene::{Anchor, BAND, Font, MARGIN, MUTED, Scene, place};

/// Base line of the panels' titles, middle of their keys, and top of the rows without keys and with them.
const TITLES: f64 = 42.0;
const KEYS: f64 = 56.0;
const TOP: [f64; 2] = [64.0, 80.0];
/// Distance of the texts above the rows.
const ABOVE: f64 = 5.0;
/// Space below the rows for ticks and axis title.
const AXIS: f64 = 36.0;
/// Distances from a panel to its numbers, and from them to the next panel.
const NUMBERS: f64 = 9.0;
const GAP: f64 = 12.0;

/// The chart.
pub struct Dots<'a> {
    /// Text alternative for readers who cannot see the chart.
    pub description: &'a str,
    /// Title at the left.
    pub title: &'a str,
    /// Key to the right of the title.
    pub key: &'a [(Sign, &'a str)],
    /// Width of the sheet.
    pub width: f64,
    /// Names of the rows.
    pub names: Vec<Name<'a>>,
    /// Returns true for the name of a row whose marks every axis reaches, however far they are from the others.
    pub is_kept: &'a dyn Fn(&str) -> bool,
    /// The panels, from left to right.
    pub panels: Vec<Panel>,
    /// Notes below the rows.
    pub notes: &'a [&'a str],
}

/// The name of a row at its left, after its mark.
pub type Name<'a> = (&'a str, Option<Mark>);

/// A panel.
pub struct Panel {
    /// Title.
    pub title: String,
    /// Key below the title.
    pub key: Vec<(Sign, &'static str)>,
    /// The value axis.
    pub axis: Axis,
    /// Axis title, with the unit.
    pub axis_title: String,
    /// A line through all rows at this value, with a text above it.
    pub line: Option<(f64, String)>,
    /// Head of the numbers, and their room.
    pub numbers: (&'static str, f64),
    /// What each row shows; nothing in rows that are missing.
    pub rows: Vec<DotRow>,
}

/// A row of a panel.
#[derive(Debug, Default)]
pub struct DotRow {
    /// Ends of a shaded range: a random function's results.
    pub band: Option<(f64, f64)>,
    /// Marks in painting order.
    pub dots: Vec<Dot>,
    /// The number behind the marks.
    pub number: String,
}

/// A value. An arrow at the edge stands for a value beyond the axis.
#[derive(Debug)]
pub struct Dot {
    /// The value.
    pub value: f64,
    /// Ends of a line through the mark.
    pub range: (f64, f64),
    /// Look of the mark.
    pub mark: Mark,
    /// Set for a filled mark.
    pub is_filled: bool,
}

impl Dots<'_> {
    /// Lays out the chart.
    pub fn scene(&self) -> Scene {
        let is_keyed = self.panels.iter().any(|panel| !panel.key.is_empty());
        let rows = Rows::new(TOP[usize::from(is_keyed)], self.names.len());
        let height = libm::ceil(rows.bottom() + AXIS);
        let mut scene = Scene::new(self.width, height, self.description);
        let end = key::write(&mut scene, Anchor::End, (self.width - MARGIN, 12.0), self.key);
        scene.title(self.title, 17.0, end);
        rows.stripes(&mut scene);
        let beside = |panel: &Panel| NUMBERS + panel.numbers.1 + GAP;
        let room = self.width - NAMES_END - self.panels.iter().map(beside).sum::<f64>();
        let width = room / self.panels.len().max(1) as f64;
        let mut left = NAMES_END;
        let mut panels: Vec<(&Panel, Scale)> = Vec::new();
        for panel in &self.panels {
            let kept = self
                .names
                .iter()
                .zip(&panel.rows)
                .filter(|((name, _), _)| (self.is_kept)(name));
            let values = kept.flat_map(|(_, row)| &row.dots).map(|dot| dot.value);
            let scale = panel.axis.scale.reaching(values).over(left, left + width);
            panel.frame(&mut scene, &rows, scale);
            panels.push((panel, scale));
            left += width + beside(panel);
        }
        for (index, (name, mark)) in self.names.iter().enumerate() {
            scene.row(name, |scene| {
                rows.name(scene, index, name, *mark);
                for (panel, scale) in &panels {
                    if let Some(row) = panel.rows.get(index) {
                        row.draw(scene, scale, &rows, index, panel.numbers.1);
                    }
                }
            });
        }
        scene.notes(self.notes);
        scene
    }
}

impl Panel {
    /// Draws all but the rows.
    fn frame(&self, scene: &mut Scene, rows: &Rows, scale: Scale) {
        let (left, right, bottom) = (scale.from, scale.to, rows.bottom());
        scene.text((left, TITLES), Anchor::Start, Font::HEAD, &self.title);
        key::write(scene, Anchor::Start, (left, KEYS), &self.key);
        scene.text(
            (right + NUMBERS, rows.top - ABOVE),
            Anchor::Start,
            Font::NOTE,
            self.numbers.0,
        );
        let axes = Axes {
            corners: [left, rows.top, right, bottom],
            x: Axis { scale, ..self.axis },
            x_title: &self.axis_title,
            y: None,
        };
        axes.draw(scene, |_| ());
        if let Some((value, words)) = self.line.as_ref().filter(|line| scale.contains(line.0)) {
            let x = scale.at(*value);
            let top = if words.is_empty() {
                rows.top
            } else {
                rows.top - 12.0
            };
            scene.line((x, top), (x, bottom), 1.0, MUTED);
            let is_left = x - left < right - x;
            let (at, anchor) = if is_left {
                (x + 5.0, Anchor::Start)
            } else {
                (x - 5.0, Anchor::End)
            };
            scene.text((at, rows.top - ABOVE), anchor, Font::NOTE, words);
        }
    }
}

impl Dot {
    /// Builds a value with the ends of a line through its mark.
    pub const fn new(value: f64, range: (f64, f64), mark: Mark, is_filled: bool) -> Self {
        Self {
            value,
            range,
            mark,
            is_filled,
        }
    }
}

impl DotRow {
    /// Builds a row without a shaded range.
    pub fn new(dots: impl IntoIterator<Item = Dot>, number: String) -> Self {
        Self {
            band: None,
            dots: dots.into_iter().collect(),
            number,
        }
    }

    fn draw(&self, scene: &mut Scene, scale: &Scale, rows: &Rows, index: usize, room: f64) {
        let (y, half) = (rows.middle(index), rows.height * 0.36);
        if let Some((low, high)) = self.band {
            scene.rect(scale.at(low), y - half, scale.at(high), y + half, BAND);
        }
        for dot in self.dots.iter().filter(|dot| !dot.value.is_nan()) {
            if dot.value > scale.high {
                let (right, half) = (scale.to, RADIUS);
                let arrow = [(right, y), (right - 8.0, y - half), (right - 8.0, y + half)];
                scene.draw(&Polygon::new(arrow.map(place), dot.mark.color()));
            } else {
                let (low, high) = (scale.at(dot.range.0), scale.at(dot.range.1));
                scene.line((low, y), (high, y), 1.5, dot.mark.color());
                dot.mark
                    .draw(scene, (scale.at(dot.value), y), RADIUS, dot.is_filled);
            }
        }
        let number = Font::VALUE.fit(&self.number, room);
        scene.text_middle((scale.to + NUMBERS, y), Anchor::Start, Font::VALUE, &number);
    }
}
