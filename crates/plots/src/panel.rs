//! Panels side by side that share rows: one function per row, with its name at the left.

use plotters::element::Polygon;

use super::axes::{Axes, Axis};
use super::key::{self, Sign};
use super::mark::{Mark, RADIUS};
use super::scale::Scale;
pub use super::scene::MARGIN;
use super::scene::{Anchor, BAND, Color, Font, PAPER, STRIPE, Scene, place};

/// Space below the rows for ticks and axis title.
pub const AXIS: f64 = 36.0;
/// Right end of the names, where panels may begin.
pub const NAMES_END: f64 = 178.0;

/// Rows of equal height.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// Upper edge of the first row.
    pub top: f64,
    /// Height of each row.
    pub height: f64,
    /// Number of rows.
    pub count: usize,
}

impl Rows {
    /// Builds `count` rows below `top`, with a smaller height for more rows so that all fit a sheet.
    pub fn new(top: f64, count: usize) -> Self {
        let height = match count {
            0..=12 => 22.0,
            13..=18 => 20.0,
            _ => 17.5,
        };
        Self { top, height, count }
    }

    /// Returns the lower edge of the last row.
    pub fn bottom(&self) -> f64 {
        self.top + self.height * self.count as f64
    }

    /// Returns the middle of row `index`.
    pub fn middle(&self, index: usize) -> f64 {
        self.top + self.height * (index as f64 + 0.5)
    }

    /// Shades every second row from edge to edge.
    pub fn stripes(&self, scene: &mut Scene) {
        for index in (0..self.count).filter(|index| self.ground(*index) == STRIPE) {
            let top = self.top + self.height * index as f64;
            scene.rect(0.0, top, scene.width, top + self.height, STRIPE);
        }
    }

    /// Returns the background colour of row `index`.
    pub fn ground(&self, index: usize) -> Color {
        if index.is_multiple_of(2) { STRIPE } else { PAPER }
    }

    /// Writes a heading across a whole row: a name followed by a note.
    pub fn heading(&self, scene: &mut Scene, index: usize, name: &str, note: &str) {
        let (y, half) = (self.middle(index), self.height / 2.0);
        // Hides the grid lines behind the text.
        scene.rect(0.0, y - half, scene.width, y + half, PAPER);
        scene.text_middle((MARGIN, y), Anchor::Start, Font::HEAD, name);
        let x = MARGIN + Font::HEAD.width(name) + 14.0;
        scene.text_middle((x, y), Anchor::Start, Font::NOTE, note);
    }

    /// Writes the names of all rows.
    pub fn names(&self, scene: &mut Scene, names: &[&str]) {
        for (index, name) in names.iter().enumerate() {
            self.name(scene, index, name, None, NAMES_END);
        }
    }

    /// Writes a row's name after its mark, cut off at `end`.
    pub fn name(&self, scene: &mut Scene, index: usize, name: &str, mark: Option<Mark>, end: f64) {
        let y = self.middle(index);
        let mut x = MARGIN;
        if let Some(mark) = mark {
            mark.filled(scene, (MARGIN + 5.0, y), RADIUS);
            x += 16.0;
        }
        let name = Font::NAME.fit(name, end - 6.0 - x);
        scene.text_middle((x, y), Anchor::Start, Font::NAME, &name);
    }
}

/// The head of a sheet of rows: title, key and size. Panels follow.
pub struct Head<'a> {
    /// Text alternative for readers who cannot see the chart.
    pub description: &'a str,
    /// Title at the left.
    pub title: &'a str,
    /// Width of the sheet.
    pub width: f64,
    /// Height below the rows.
    pub foot: f64,
    /// Key to the right of the title.
    pub key: &'a [(Sign, &'a str)],
}

impl Head<'_> {
    /// Builds the sheet with title, key and stripes.
    pub fn sheet(&self, rows: &Rows) -> Scene {
        let mut scene = Scene::new(
            self.width,
            libm::ceil(rows.bottom() + self.foot),
            self.description,
        );
        let end = key::write(&mut scene, Anchor::End, (self.width - MARGIN, 11.0), self.key);
        scene.title(self.title, 16.0, end);
        rows.stripes(&mut scene);
        scene
    }
}

/// A panel of a sheet.
#[derive(Debug, Clone)]
pub struct Panel<'a> {
    /// Title; empty if the sheet's title is enough.
    pub title: &'a str,
    /// Axis title, with the unit.
    pub axis: &'a str,
    /// The value axis.
    pub scale: Scale,
    /// Formats a tick.
    pub tick: fn(f64) -> String,
}

impl Panel<'_> {
    /// Draws grid, ticks and titles; `title_y` is the base line of the title.
    pub fn frame(&self, scene: &mut Scene, rows: &Rows, title_y: f64) {
        let (left, right, bottom) = (self.scale.from, self.scale.to, rows.bottom());
        if !self.title.is_empty() {
            scene.text((left, title_y), Anchor::Start, Font::HEAD, self.title);
        }
        let axes = Axes {
            corners: [left, rows.top, right, bottom],
            x: Axis::new(self.scale, self.tick),
            x_title: (self.axis, 29.0),
            y: None,
            tick: 3.0,
            gap: 34.0,
        };
        axes.draw(scene, |_| ());
    }

    /// Draws the range of a random function's results in a row.
    pub fn band(&self, scene: &mut Scene, rows: &Rows, index: usize, low: f64, high: f64) {
        let y = rows.middle(index);
        let half = rows.height * 0.36;
        scene.rect(self.scale.at(low), y - half, self.scale.at(high), y + half, BAND);
    }

    /// Draws an interval at height `y`.
    pub fn interval(&self, scene: &mut Scene, y: f64, low: f64, high: f64, color: Color) {
        scene.line((self.scale.at(low), y), (self.scale.at(high), y), 1.5, color);
    }

    /// Draws values of a row in this order, each with true for a filled mark. In place of values beyond the high end, draws
    /// an arrow there and their numbers beside it, which hide the lines behind them and stay clear of the row's other mark.
    pub fn marks(
        &self,
        scene: &mut Scene,
        rows: &Rows,
        index: usize,
        mark: Mark,
        values: impl IntoIterator<Item = (f64, bool)>,
        number: impl Fn(f64) -> String,
    ) {
        let (y, right) = (rows.middle(index), self.scale.to);
        let (mut words, mut hidden, mut beyond) = (right - 12.0, right, Vec::new());
        let mut other = None;
        for (value, is_filled) in values {
            let (at, draw) = (
                self.scale.at(value),
                if is_filled { Mark::filled } else { Mark::hollow },
            );
            if value > self.scale.high {
                beyond.push((!is_filled, number(value)));
            } else {
                draw(mark, scene, (at, y), RADIUS);
                other = Some(at - RADIUS);
            }
        }
        if beyond.is_empty() {
            return;
        }
        // The number of a filled mark comes first.
        beyond.sort();
        let beyond: Vec<String> = beyond.into_iter().map(|(_, number)| number).collect();
        let beyond = beyond.join(" and ");
        let width = Font::VALUE.width(&beyond) + 6.0;
        if let Some(other) = other.filter(|other| other + 2.0 * RADIUS > words - width) {
            words = other - 3.0;
            hidden = words;
        }
        scene.rect(words - width, y - 7.0, hidden, y + 7.0, rows.ground(index));
        let arrow = [(right, y), (right - 8.0, y - 4.5), (right - 8.0, y + 4.5)];
        scene.draw(&Polygon::new(arrow.map(place), mark.color()));
        scene.text_middle((words, y), Anchor::End, Font::VALUE, &beyond);
    }
}
