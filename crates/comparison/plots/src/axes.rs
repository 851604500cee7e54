//! The axes of a plot: grid, ticks, lines and titles as plotters draws them.

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::cartesian::Cartesian2d;

use super::scale::Scale;
use super::scene::{Font, GRID, INK, Scene, drawn, steps, stroke};

/// Room left of a vertical axis for tick labels.
pub(crate) const LEFT: f64 = 56.0;
/// Base line of a horizontal axis' title below the plot.
const TITLE: f64 = 31.0;
/// Length of a tick, and least distances of the ticks of a horizontal and a vertical axis.
const TICK: f64 = 3.0;
const COLUMN: f64 = 20.0;
const ROW: f64 = 22.0;
/// Least distance of the texts of a horizontal axis.
const BETWEEN: f64 = 6.0;
/// Plotters ends a plot one step of its grid before the end of its area.
const STEP: f64 = 0.1;

/// An axis of a plot.
#[derive(Clone, Copy)]
pub struct Axis {
    /// Values at the ends; the sheet sets their pixels.
    pub scale: Scale,
    /// Formats a tick.
    pub tick: fn(f64) -> String,
}

impl Axis {
    /// Builds an axis.
    pub const fn new(scale: Scale, tick: fn(f64) -> String) -> Self {
        Self { scale, tick }
    }
}

/// A chart of plotters on a scene.
pub(crate) type Chart<'s> = ChartContext<'s, &'s mut Scene, Cartesian2d<Scale, Scale>>;

/// The axes of a plot on a sheet.
pub(crate) struct Axes<'a> {
    /// Left, top, right and bottom of the plot in pixels.
    pub(crate) corners: [f64; 4],
    /// The horizontal axis.
    pub(crate) x: Axis,
    /// Title of the horizontal axis.
    pub(crate) x_title: &'a str,
    /// The vertical axis; `None` without grid and texts.
    pub(crate) y: Option<Axis>,
}

impl Axes<'_> {
    /// Draws the axes, and then what `plot` draws between them.
    pub(crate) fn draw(&self, scene: &mut Scene, plot: impl FnOnce(&mut Chart<'_>)) {
        let [left, top, right, bottom] = self.corners;
        let beside = if self.y.is_some() { LEFT } else { 0.0 };
        let area = scene.area([left - beside, top, right + STEP, bottom + STEP + TITLE]);
        let y = self.y.unwrap_or(self.x);
        // Ticks are as close as their texts allow.
        let x = self.x.scale.ticking(COLUMN / (right - left));
        let width = |tick| Font::NOTE.width(&(self.x.tick)(tick)) + BETWEEN;
        let widest = x.ticks().into_iter().map(width).fold(COLUMN, f64::max);
        let mut builder = ChartBuilder::on(&area);
        builder.x_label_area_size(steps(TITLE));
        builder.y_label_area_size(steps(beside));
        let mut chart = drawn(builder.build_cartesian_2d(
            x.ticking(widest / (right - left)),
            y.scale.ticking(ROW / (bottom - top)),
        ));
        let format_x = |value: &f64| (self.x.tick)(*value);
        let format_y = |value: &f64| (y.tick)(*value);
        let mut mesh = chart.configure_mesh();
        mesh.x_label_formatter(&format_x)
            .y_label_formatter(&format_y)
            .bold_line_style(stroke(GRID, 1.0))
            .axis_style(stroke(INK, 1.0))
            .label_style(Font::NOTE.style())
            .x_desc(self.x_title)
            .set_all_tick_mark_size(steps(TICK));
        if self.y.is_none() {
            mesh.disable_y_mesh().disable_y_axis();
        }
        drawn(mesh.draw());
        plot(&mut chart);
    }
}
