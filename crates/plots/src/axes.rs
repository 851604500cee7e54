//! The axes of a plot: grid, ticks, lines and titles as plotters draws them.

use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::cartesian::Cartesian2d;

use super::scale::Scale;
use super::scene::{Font, GRID, INK, Scene, drawn, steps, stroke};

/// Room left of a vertical axis for tick labels.
pub(crate) const LEFT: f64 = 56.0;
/// Least distance of the ticks of a vertical axis.
const ROW: f64 = 22.0;

/// An axis of a plot.
#[derive(Clone, Copy)]
pub struct Axis {
    /// Values at the ends; the sheet sets their pixels.
    pub scale: Scale,
    /// Formats a tick.
    pub tick: fn(f64) -> String,
}

impl Axis {
    /// Builds an axis of a scale with the texts of its ticks.
    pub const fn new(scale: Scale, tick: fn(f64) -> String) -> Self {
        Self { scale, tick }
    }
}

impl Default for Axis {
    fn default() -> Self {
        Self::new(Scale::linear(1.0), |value| value.to_string())
    }
}

/// Plotters ends a plot one step of its grid before the end of its area.
const STEP: f64 = 0.1;

/// A chart of plotters on a scene.
pub(crate) type Chart<'s> = ChartContext<'s, &'s mut Scene, Cartesian2d<Scale, Scale>>;

/// The axes of a plot on a sheet.
pub(crate) struct Axes<'a> {
    /// Left, top, right and bottom of the plot in pixels.
    pub(crate) corners: [f64; 4],
    /// The horizontal axis.
    pub(crate) x: Axis,
    /// Title of the horizontal axis, and its base line below the plot.
    pub(crate) x_title: (&'a str, f64),
    /// The vertical axis, and true if its ticks have texts; `None` without grid and texts.
    pub(crate) y: Option<(Axis, bool)>,
    /// Length of a tick.
    pub(crate) tick: f64,
    /// Least distance of the ticks of the horizontal axis.
    pub(crate) gap: f64,
}

impl Axes<'_> {
    /// Draws the axes, and then what `plot` draws between them.
    pub(crate) fn draw(&self, scene: &mut Scene, plot: impl FnOnce(&mut Chart<'_>)) {
        let [left, top, right, bottom] = self.corners;
        let beside = if self.y.is_some() { LEFT } else { 0.0 };
        let area = scene.area([left - beside, top, right + STEP, bottom + STEP + self.x_title.1]);
        let (y, is_labelled) = self.y.unwrap_or_default();
        let scales = (
            self.x.scale.ticking(self.gap / (right - left)),
            y.scale.ticking(ROW / (bottom - top)),
        );
        let mut builder = ChartBuilder::on(&area);
        builder.x_label_area_size(steps(self.x_title.1));
        builder.y_label_area_size(steps(beside));
        let mut chart = drawn(builder.build_cartesian_2d(scales.0, scales.1));
        let format_x = |value: &f64| (self.x.tick)(*value);
        let format_y = |value: &f64| {
            if is_labelled {
                (y.tick)(*value)
            } else {
                String::new()
            }
        };
        let mut mesh = chart.configure_mesh();
        mesh.x_label_formatter(&format_x)
            .y_label_formatter(&format_y)
            .bold_line_style(stroke(GRID, 1.0))
            .axis_style(stroke(INK, 1.0))
            .label_style(Font::NOTE.style())
            .x_desc(self.x_title.0)
            .set_all_tick_mark_size(steps(self.tick));
        if !is_labelled {
            mesh.set_tick_mark_size(LabelAreaPosition::Left, 0);
        }
        if self.y.is_none() {
            mesh.disable_y_mesh();
        }
        drawn(mesh.draw());
        plot(&mut chart);
    }
}
