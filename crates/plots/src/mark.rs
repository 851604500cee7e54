//! Marks that combine a shape and a colour of the Okabe-Ito palette, so that either one identifies the mark.

use plotters::element::{Circle, Polygon};
use plotters::style::Color as _;

use super::scene::{Color, MUTED, PAPER, Scene, place, steps};

/// A shape with its own colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A green diamond.
    Diamond,
    /// A blue circle.
    Circle,
    /// An orange triangle.
    Triangle,
    /// A red square.
    Square,
    /// A grey circle without meaning.
    Neutral,
}

/// Half the height of a mark in a row of a chart.
pub const RADIUS: f64 = 4.5;
/// Radius of a mark on a line.
pub(crate) const OUTER: f64 = 3.5;

impl Mark {
    /// Returns the mark's colour.
    pub fn color(self) -> Color {
        match self {
            Self::Diamond => Color(0x00, 0x9e, 0x73),
            Self::Circle => Color(0x00, 0x72, 0xb2),
            Self::Triangle => Color(0xe6, 0x9f, 0x00),
            Self::Square => Color(0xd5, 0x5e, 0x00),
            Self::Neutral => MUTED,
        }
    }

    /// Draws the mark filled.
    pub fn filled(self, scene: &mut Scene, at: (f64, f64), radius: f64) {
        self.shape(scene, at, radius, self.color());
    }

    /// Draws the mark hollow, at the same size.
    pub fn hollow(self, scene: &mut Scene, at: (f64, f64), radius: f64) {
        self.filled(scene, at, radius);
        // The rim of a triangle is half as thick at its sides as at its corners, so make it wider.
        let inner = if self == Self::Triangle {
            radius - 2.0 * RIM
        } else {
            radius - RIM
        };
        self.shape(scene, at, inner, PAPER);
    }

    fn shape(self, scene: &mut Scene, at: (f64, f64), r: f64, color: Color) {
        // Corners of a shape with a radius of 1; a triangle is equilateral about its centre.
        let corners: &[(f64, f64)] = match self {
            Self::Circle | Self::Neutral => return circle(scene, at, r, color),
            Self::Diamond => &[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)],
            Self::Triangle => &[(0.0, -1.25), (1.0825, 0.625), (-1.0825, 0.625)],
            Self::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        };
        let corners = corners.iter().map(|(x, y)| place((at.0 + r * x, at.1 + r * y)));
        scene.draw(&Polygon::new(corners.collect::<Vec<_>>(), color));
    }
}

/// Fills a circle.
pub(crate) fn circle(scene: &mut Scene, at: (f64, f64), radius: f64, color: Color) {
    scene.draw(&Circle::new(place(at), steps(radius), color.filled()));
}

/// Width of the rim of a hollow mark.
const RIM: f64 = 1.5;

/// Half the height of a bar.
pub const BAR: f64 = 5.0;

/// Draws a bar.
pub fn bar(scene: &mut Scene, left: f64, right: f64, y: f64) {
    scene.rect(left, y - BAR, right, y + BAR, MUTED);
}
