//! The XY plot: lines and marks over two axes, alone or in a grid of panels on one sheet.

use plotters::element::{Circle, PathElement};
use plotters::series::LineSeries;

pub use super::axes::Axis;
use super::axes::{Axes, Chart, LEFT};
use super::labels::{self, Label};
use super::mark::{INNER, OUTER, RADIUS};
use super::panel::MARGIN;
use super::scale::Scale;
use super::scene::{Anchor, Color, Font, GRID, MUTED, PAPER, STRIPE, Scene, drawn, steps, stroke};

/// Height of the tick labels below an axis, and of the axis title.
const TICKS: f64 = 26.0;
const AXIS_TITLE: f64 = 18.0;
/// Space above a plot with a title, above a plot without one, and above a row with a title.
const TITLE: f64 = 24.0;
const NO_TITLE: f64 = 10.0;
const ROW_TITLE: f64 = 18.0;
/// Gap between plots that share their vertical axis.
const GAP: f64 = 18.0;
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
    /// Value and name of a horizontal line; the name may be empty.
    pub reference: Option<(f64, String)>,
    /// The lines, in painting order.
    pub series: Vec<Series>,
}

/// A line of a plot.
pub struct Series {
    /// Name right of the line's end, optionally with the value there; empty for a line without a name.
    pub name: String,
    /// Colour of the line, its marks and intervals.
    pub color: Color,
    /// Marks of the points.
    pub marks: Marks,
    /// Points in the order of the line.
    pub points: Vec<Point>,
}

/// Marks of the points of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// No marks.
    None,
    /// Small dots, for many points.
    Dots,
    /// A filled circle.
    Filled,
    /// A ring.
    Hollow,
}

/// A point of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Value on the horizontal axis.
    pub x: f64,
    /// Value on the vertical axis.
    pub y: f64,
    /// Lower and upper end of a vertical interval.
    pub interval: Option<(f64, f64)>,
}

impl Point {
    /// Builds a point without an interval.
    pub const fn new(x: f64, y: f64) -> Self {
        let interval = None;
        Self { x, y, interval }
    }
}

impl Series {
    /// Builds a line with filled marks and without intervals.
    pub fn new(name: impl Into<String>, color: Color, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self {
            name: name.into(),
            color,
            marks: Marks::Filled,
            points: points.into_iter().map(|(x, y)| Point::new(x, y)).collect(),
        }
    }
}

/// Plots side by side.
#[derive(Default)]
pub struct Row<'a> {
    /// Title above the row; may be empty.
    pub title: &'a str,
    /// The plots, from left to right.
    pub plots: Vec<Plot<'a>>,
}

/// Plots in rows and columns.
#[derive(Default)]
pub struct Sheet<'a> {
    /// Text alternative for readers who cannot see the chart.
    pub description: &'a str,
    /// Title above everything else.
    pub title: &'a str,
    /// Note below the title; may be empty.
    pub note: &'a str,
    /// Width of the sheet.
    pub width: f64,
    /// Height of each plot.
    pub height: f64,
    /// Room for names right of a plot.
    pub names: f64,
    /// Set if the plots of a row share the vertical axis of the first plot and the names right of the last plot.
    pub shared: bool,
    /// Name and note above each column; may be empty.
    pub heads: Vec<(String, String)>,
    /// The rows, from top to bottom.
    pub rows: Vec<Row<'a>>,
}

impl Sheet<'_> {
    /// Lays out the sheet with all its plots.
    pub fn scene(&self) -> Scene {
        let mut scene = Scene::new(self.width, self.layout(|_, _| ()), self.description);
        scene.title(self.title, 18.0, self.width);
        scene.text((MARGIN, 36.0), Anchor::Start, Font::NOTE, self.note);
        let columns = self.columns();
        for ((name, note), (left, _)) in self.heads.iter().zip(&columns) {
            let y = self.top() - 4.0;
            scene.text((*left, y), Anchor::Start, Font::HEAD, name);
            let x = left + Font::HEAD.width(name) + 14.0;
            scene.text((x, y), Anchor::Start, Font::NOTE, note);
        }
        self.layout(|row, top| {
            if !row.title.is_empty() {
                scene.text((MARGIN, top - TITLE - 4.0), Anchor::Start, Font::HEAD, row.title);
            }
            for (index, (plot, (left, width))) in row.plots.iter().zip(&columns).enumerate() {
                let last = index + 1 == row.plots.len();
                let corners = [*left, top, left + width, top + self.height];
                let names = if self.shared && !last { 0.0 } else { self.names };
                plot.draw(&mut scene, corners, !self.shared || index == 0, names);
            }
        });
        scene
    }

    /// Returns the top of the first row.
    fn top(&self) -> f64 {
        let heads = if self.heads.is_empty() { 0.0 } else { 20.0 };
        heads + if self.note.is_empty() { 26.0 } else { 40.0 }
    }

    /// Calls `each` with every row and the top of its plots, and returns the height of the sheet.
    fn layout(&self, mut each: impl FnMut(&Row<'_>, f64)) -> f64 {
        let mut top = self.top();
        for row in &self.rows {
            let any = |text: fn(&Plot<'_>) -> bool| row.plots.iter().any(text);
            let titled = any(|plot| !plot.title.is_empty()) || !row.title.is_empty();
            top += if titled { TITLE } else { NO_TITLE };
            top += if row.title.is_empty() { 0.0 } else { ROW_TITLE };
            each(row, top);
            top += self.height + TICKS;
            top += if any(|plot| !plot.x_title.is_empty()) {
                AXIS_TITLE
            } else {
                0.0
            };
        }
        libm::ceil(top)
    }

    /// Returns the left edge and the width of the plots of each column.
    fn columns(&self) -> Vec<(f64, f64)> {
        let count = self.rows.iter().map(|row| row.plots.len()).max().unwrap_or(0);
        let of = count as f64;
        let room = self.width - MARGIN;
        let (width, step) = if self.shared {
            let width = (room - LEFT - self.names - (of - 1.0) * GAP) / of;
            (width, width + GAP)
        } else {
            (room / of - LEFT - self.names, room / of)
        };
        (0..count)
            .map(|index| (MARGIN + LEFT + index as f64 * step, width))
            .collect()
    }
}

impl Plot<'_> {
    /// Draws the plot between these edges, with or without tick labels at its left and room for names at its right.
    fn draw(&self, scene: &mut Scene, corners: [f64; 4], ticks: bool, names: f64) {
        let [left, top, right, bottom] = corners;
        let (x, y) = (self.x.scale.over(left, right), self.y.scale.over(bottom, top));
        scene.text((left, top - 8.0), Anchor::Start, Font::NOTE, &self.title);
        let axes = Axes {
            corners,
            x: self.x,
            x_title: (self.x_title, 34.0),
            y: Some((self.y, ticks)),
            tick: 4.0,
            gap: TICK_SPACING,
        };
        if let Some((from, to)) = self.shade {
            scene.rect(x.at(from), top, x.at(to), bottom, STRIPE);
        }
        let mut labels = Vec::new();
        labels.extend(self.reference.iter().map(|(value, name)| Label {
            end: y.at(*value),
            text: name.clone(),
            mark: None,
        }));
        for series in &self.series {
            let Some(last) = series.points.last() else {
                continue;
            };
            let (end_x, end) = (x.at(last.x), y.at(last.y));
            if names > 0.0 && !series.name.is_empty() && end_x < right - 1.0 {
                scene.line((end_x + RADIUS, end), (right, end), 1.0, GRID);
            }
            labels.push(Label {
                end,
                text: series.name.clone(),
                mark: Some((series.color, series.marks == Marks::Hollow)),
            });
        }
        axes.draw(scene, |chart| {
            if let Some((value, _)) = &self.reference {
                let line = [x.low, x.high].map(|x| (x, y.clamped(*value)));
                drawn(chart.draw_series(LineSeries::new(line, stroke(MUTED, 1.5))));
            }
            for series in &self.series {
                series.draw(chart, &x, &y);
            }
        });
        labels.retain(|label| names > 0.0 && !label.text.is_empty());
        labels::write(scene, labels, right, right + names, top);
    }
}

impl Series {
    /// Draws the parts of the line, intervals and marks that lie within the axes.
    fn draw(&self, chart: &mut Chart<'_>, x: &Scale, y: &Scale) {
        for line in self.lines(x, y) {
            drawn(chart.draw_series(LineSeries::new(line, stroke(self.color, 1.0))));
        }
        let points = self.points.iter();
        let shown: Vec<&Point> = points.filter(|at| x.contains(at.x) && y.contains(at.y)).collect();
        let intervals = shown.iter().filter_map(|at| {
            let (low, high) = at.interval?;
            let ends = [low, high].map(|end| (at.x, y.clamped(end)));
            Some(PathElement::new(ends, stroke(self.color, 1.5)))
        });
        drawn(chart.draw_series(intervals));
        let mut marks = |radius: f64, color| {
            let circle = |at: &&Point| Circle::new((at.x, at.y), steps(radius), stroke(color, 0.0));
            drawn(chart.draw_series(shown.iter().map(circle)));
        };
        match self.marks {
            Marks::None => {}
            Marks::Dots => marks(2.0, self.color),
            Marks::Filled | Marks::Hollow => marks(OUTER, self.color),
        }
        if self.marks == Marks::Hollow {
            marks(INNER, PAPER);
        }
    }

    /// Returns the parts of the line that lie within the axes.
    fn lines(&self, x: &Scale, y: &Scale) -> Vec<Vec<(f64, f64)>> {
        let mut lines: Vec<Vec<(f64, f64)>> = Vec::new();
        for pair in self.points.windows(2) {
            let ends = [&pair[0], &pair[1]].map(|at| (x.share(at.x), y.share(at.y)));
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
