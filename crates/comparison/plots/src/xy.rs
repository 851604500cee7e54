//! The XY plot: lines over two axes, in a grid of panels on one sheet.

use plotters::series::LineSeries;

pub use super::axes::Axis;
use super::axes::{Axes, LEFT};
use super::mark::Mark;
use super::scene::{Anchor, Font, GRID, MARGIN, MUTED, STRIPE, Scene, drawn, stroke};

/// Space below a plot, for tick labels and the axis title.
const FOOT: f64 = 44.0;
/// Top of the first row, below title and heads, and space above a plot for its title.
const TOP: f64 = 46.0;
const TITLE: f64 = 24.0;
/// Least distance of the marks of a line, and their radius.
const APART: f64 = 14.0;
const RADIUS: f64 = 3.5;
/// Width of the lines with marks; the others are thinner.
const WIDTH: f64 = 1.5;
/// Distance from one name to the next.
const SPACING: f64 = 15.0;

/// A plot.
pub struct Plot<'a> {
    /// Title above the plot: its subject, or the unit of its vertical axis.
    pub title: &'a str,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Axis title below the plot.
    pub x_title: &'a str,
    /// Ends of a shaded part of the horizontal axis, painted below everything else.
    pub shade: Option<(f64, f64)>,
    /// The lines, in painting order.
    pub series: Vec<Series<'a>>,
}

/// A line of a plot.
pub struct Series<'a> {
    /// Name of the line, which is written right of its end together with `label`.
    pub name: &'a str,
    /// The mark of the line, and what follows its name; a line without is grey, and its name is not written.
    pub label: Option<(Mark, String)>,
    /// Points in the order of the line.
    pub points: Vec<(f64, f64)>,
}

/// Plots in rows and columns.
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
        let step = TITLE + self.height + FOOT;
        let mut scene = Scene::new(self.width, TOP + step * self.rows.len() as f64, self.description);
        scene.title(self.title, 18.0, self.width);
        let width = (self.width - MARGIN) / self.heads.len().max(1) as f64;
        for (column, head) in self.heads.iter().enumerate() {
            let left = MARGIN + LEFT + column as f64 * width;
            let right = left + width - LEFT - self.names;
            scene.text((left, TOP - 4.0), Anchor::Start, Font::HEAD, head);
            for (row, plots) in self.rows.iter().enumerate() {
                let top = TOP + TITLE + row as f64 * step;
                if let Some(plot) = plots.get(column) {
                    plot.draw(&mut scene, [left, top, right, top + self.height], self.names);
                }
            }
        }
        scene
    }
}

impl Plot<'_> {
    /// Draws the plot between these edges, with room for names at its right.
    fn draw(&self, scene: &mut Scene, corners: [f64; 4], names: f64) {
        let [left, top, right, bottom] = corners;
        let (x, y) = (self.x.scale.over(left, right), self.y.scale.over(bottom, top));
        scene.text((left, top - 8.0), Anchor::Start, Font::NOTE, self.title);
        if let Some((from, to)) = self.shade {
            scene.rect(x.at(from), top, x.at(to), bottom, STRIPE);
        }
        let axes = Axes {
            corners,
            x: self.x,
            x_title: self.x_title,
            y: Some(self.y),
        };
        axes.draw(scene, |chart| {
            for series in &self.series {
                let label = series.label.as_ref();
                let (color, width) = label.map_or((MUTED, 1.0), |(mark, _)| (mark.color(), WIDTH));
                // A line ends where it leaves the plot.
                let is_off = |&(at, up): &(f64, f64)| !(x.contains(at) && y.contains(up));
                for line in series.points.split(is_off).filter(|line| line.len() > 1) {
                    let line = LineSeries::new(line.iter().copied(), stroke(color, width));
                    drawn(chart.draw_series(line));
                }
            }
        });
        let named = self
            .series
            .iter()
            .filter_map(|series| Some((series.label.as_ref()?, series)));
        let mut labels: Vec<Label<'_>> = Vec::new();
        for (number, ((mark, words), series)) in named.enumerate() {
            // The marks of lines that lie on one another are at different places.
            let mut next = left + APART * number as f64 / Mark::LINES.len() as f64;
            for (at, up) in series
                .points
                .iter()
                .filter(|(at, up)| x.contains(*at) && y.contains(*up))
            {
                if x.at(*at) >= next {
                    next = x.at(*at) + APART;
                    mark.draw(scene, (x.at(*at), y.at(*up)), RADIUS, true);
                }
            }
            if let Some(&(at, up)) = series.points.last() {
                if x.at(at) < right - 1.0 {
                    scene.line((x.at(at) + RADIUS, y.at(up)), (right, y.at(up)), 1.0, GRID);
                }
                labels.push((y.at(up), *mark, series.name, words));
            }
        }
        write(scene, labels, right, right + names, top);
    }
}

/// Height of a line's end, its mark, its name, and what follows the name.
type Label<'a> = (f64, Mark, &'a str, &'a str);

/// Writes names from the lowest upwards between the ends of their lines at `left` and `right`, each as close to the end of
/// its line as the others allow. Names that would lie above `top` move down.
fn write(scene: &mut Scene, mut labels: Vec<Label<'_>>, left: f64, right: f64, top: f64) {
    labels.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut highest = f64::INFINITY;
    let mut middles = Vec::new();
    for (end, ..) in &labels {
        highest = end.min(highest - SPACING);
        middles.push(highest);
    }
    let mut lowest = top;
    for middle in middles.iter_mut().rev() {
        *middle = middle.max(lowest);
        lowest = *middle + SPACING;
    }
    let x = left + 26.0;
    for ((end, mark, name, words), middle) in labels.into_iter().zip(middles) {
        scene.line((left + 2.0, end), (x - 10.0, middle), 1.0, MUTED);
        mark.draw(scene, (x - 4.0, middle), RADIUS, true);
        let label = Font::VALUE.fit(&format!("{name} {words}"), right - x - 6.0);
        scene.row(name, |scene| {
            scene.text_middle((x + 6.0, middle), Anchor::Start, Font::VALUE, &label)
        });
    }
}
