//! The XY plot: lines and marks over two axes, alone or in a grid of panels on one sheet.

use plotters::series::LineSeries;

pub use super::axes::Axis;
use super::axes::{Axes, Chart, LEFT};
use super::labels::{self, Label};
use super::mark::RADIUS;
use super::panel::MARGIN;
use super::scale::Scale;
use super::scene::{Anchor, Color, Font, GRID, STRIPE, Scene, drawn, stroke};

/// Height of the tick labels below an axis, and of the axis title.
const TICKS: f64 = 26.0;
const AXIS_TITLE: f64 = 18.0;
/// Top of the first row, below title and heads, and space above a plot for its title.
const TOP: f64 = 46.0;
const TITLE: f64 = 24.0;
/// Least distance of the ticks of a horizontal axis.
const TICK_SPACING: f64 = 50.0;

/// A plot.
#[derive(Default)]
pub struct Plot<'a> {
    /// Title above the plot: its subject, or the unit of its vertical axis.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Axis title below the plot.
    pub x_title: &'a str,
    /// Ends of a shaded part of the horizontal axis, painted below everything else.
    pub shade: Option<(f64, f64)>,
    /// The lines, in painting order.
    pub series: Vec<Series>,
}

/// A line of a plot.
pub struct Series {
    /// Name right of the line's end, optionally with the value there; empty for a line without a name.
    pub name: String,
    /// Colour of the line.
    pub color: Color,
    /// Points in the order of the line.
    pub points: Vec<(f64, f64)>,
}

/// Plots in rows and columns.
#[derive(Default)]
pub struct Sheet<'a> {
    /// Text alternative for readers who cannot see the chart.
    pub description: &'a str,
    /// Title above everything else.
    pub title: &'a str,
    /// Width of the sheet.
    pub width: f64,
    /// Height of each plot.
    pub height: f64,
    /// Room for names right of a plot.
    pub names: f64,
    /// Name above each column.
    pub heads: &'a [&'a str],
    /// The plots of each row, from top to bottom.
    pub rows: Vec<Vec<Plot<'a>>>,
}

impl Sheet<'_> {
    /// Lays out the sheet with all its plots.
    pub fn scene(&self) -> Scene {
        let mut scene = Scene::new(self.width, self.layout(|_, _| ()), self.description);
        scene.title(self.title, 18.0, self.width);
        let columns = self.columns();
        for (name, (left, _)) in self.heads.iter().zip(&columns) {
            scene.text((*left, TOP - 4.0), Anchor::Start, Font::HEAD, name);
        }
        self.layout(|row, top| {
            for (plot, (left, width)) in row.iter().zip(&columns) {
                let corners = [*left, top, left + width, top + self.height];
                plot.draw(&mut scene, corners, self.names);
            }
        });
        scene
    }

    /// Calls `each` with every row and the top of its plots, and returns the height of the sheet.
    fn layout(&self, mut each: impl FnMut(&[Plot<'_>], f64)) -> f64 {
        let mut top = TOP;
        for row in &self.rows {
            top += TITLE;
            each(row, top);
            top += self.height + TICKS + AXIS_TITLE;
        }
        libm::ceil(top)
    }

    /// Returns the left edge and the width of the plots of each column.
    fn columns(&self) -> Vec<(f64, f64)> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let step = (self.width - MARGIN) / count as f64;
        (0..count)
            .map(|index| (MARGIN + LEFT + index as f64 * step, step - LEFT - self.names))
            .collect()
    }
}

impl Plot<'_> {
    /// Draws the plot between these edges, with room for names at its right.
    fn draw(&self, scene: &mut Scene, corners: [f64; 4], names: f64) {
        let [left, top, right, bottom] = corners;
        let (x, y) = (self.x.scale.over(left, right), self.y.scale.over(bottom, top));
        scene.text((left, top - 8.0), Anchor::Start, Font::NOTE, &self.title);
        let axes = Axes {
            corners,
            x: self.x,
            x_title: (self.x_title, 34.0),
            y: Some((self.y, true)),
            tick: 4.0,
            gap: TICK_SPACING,
        };
        if let Some((from, to)) = self.shade {
            scene.rect(x.at(from), top, x.at(to), bottom, STRIPE);
        }
        let mut labels = Vec::new();
        for series in &self.series {
            let Some(last) = series.points.last() else {
                continue;
            };
            let (end_x, end) = (x.at(last.0), y.at(last.1));
            if !series.name.is_empty() && end_x < right - 1.0 {
                scene.line((end_x + RADIUS, end), (right, end), 1.0, GRID);
            }
            labels.push(Label {
                end,
                text: series.name.clone(),
                color: series.color,
            });
        }
        axes.draw(scene, |chart| {
            for series in &self.series {
                series.draw(chart, &x, &y);
            }
        });
        labels.retain(|label| !label.text.is_empty());
        labels::write(scene, labels, right, right + names, top);
    }
}

impl Series {
    /// Draws the parts of the line that lie within the axes.
    fn draw(&self, chart: &mut Chart<'_>, x: &Scale, y: &Scale) {
        for line in self.lines(x, y) {
            drawn(chart.draw_series(LineSeries::new(line, stroke(self.color, 1.0))));
        }
    }

    /// Returns the parts of the line that lie within the axes.
    fn lines(&self, x: &Scale, y: &Scale) -> Vec<Vec<(f64, f64)>> {
        let mut lines: Vec<Vec<(f64, f64)>> = Vec::new();
        for pair in self.points.windows(2) {
            let ends = [pair[0], pair[1]].map(|at| (x.share(at.0), y.share(at.1)));
            let Some(ends) = cut(ends) else { continue };
            let [from, to] = ends.map(|(along, up)| (x.value(along), y.value(up)));
            match lines.last_mut() {
                Some(line) if line.last() == Some(&from) => line.push(to),
                _ => lines.push(vec![from, to]),
            }
        }
        lines
    }
}

/// Returns the part of a line that lies in the unit square, if any.
fn cut([from, to]: [(f64, f64); 2]) -> Option<[(f64, f64); 2]> {
    let (mut begin, mut end) = (0.0_f64, 1.0_f64);
    for (start, length) in [(from.0, to.0 - from.0), (from.1, to.1 - from.1)] {
        if length == 0.0 {
            if !(0.0..=1.0).contains(&start) {
                return None;
            }
            continue;
        }
        let (one, other) = (-start / length, (1.0 - start) / length);
        begin = begin.max(one.min(other));
        end = end.min(one.max(other));
    }
    let at = |share: f64| (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
    (begin <= end).then(|| [at(begin), at(end)])
}
