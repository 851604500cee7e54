//! Marks: a shape with a colour of its own, so that either one identifies the mark.
//!
//! The colours are of the palette that Okabe and Ito chose for readers with any kind of colour vision ("Color Universal
//! Design", 2002, <https://jfly.uni-koeln.de/color/>). Without colour, in print, the shapes remain.

use plotters::element::{Circle, Polygon};
use plotters::style::Color as _;

use super::scene::{Color, MUTED, PAPER, Scene, place, steps};

/// A shape with its own colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A blue circle.
    Circle,
    /// A red square.
    Square,
    /// A green diamond.
    Diamond,
    /// An orange triangle.
    Triangle,
    /// A purple plus sign.
    Plus,
    /// A grey circle without meaning.
    Neutral,
}

/// Half the height of a mark in a row of a chart.
pub(crate) const RADIUS: f64 = 4.5;

impl Mark {
    /// The marks of lines in one plot.
    pub const LINES: [Self; 5] = [
        Self::Circle,
        Self::Square,
        Self::Diamond,
        Self::Triangle,
        Self::Plus,
    ];

    /// Returns the mark's colour.
    pub fn color(self) -> Color {
        match self {
            Self::Circle => Color(0x00, 0x72, 0xb2),
            Self::Square => Color(0xd5, 0x5e, 0x00),
            Self::Diamond => Color(0x00, 0x9e, 0x73),
            Self::Triangle => Color(0xe6, 0x9f, 0x00),
            Self::Plus => Color(0xcc, 0x79, 0xa7),
            Self::Neutral => MUTED,
        }
    }

    /// Draws the mark, filled or hollow at the same size.
    pub fn draw(self, scene: &mut Scene, at: (f64, f64), radius: f64, is_filled: bool) {
        self.shape(scene, at, radius, self.color());
        if !is_filled {
            // The rim of a triangle is half as thick at its sides as at its corners, so make it wider.
            let rim = if self == Self::Triangle { 2.0 * RIM } else { RIM };
            self.shape(scene, at, radius - rim, PAPER);
        }
    }

    fn shape(self, scene: &mut Scene, at: (f64, f64), r: f64, color: Color) {
        const ARM: f64 = 0.4;
        // Corners of a shape with a radius of 1; a triangle is equilateral about its centre.
        let corners: &[(f64, f64)] = match self {
            Self::Circle | Self::Neutral => {
                return scene.draw(&Circle::new(place(at), steps(r), color.filled()));
            }
            Self::Diamond => &[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)],
            Self::Triangle => &[(0.0, -1.25), (1.0825, 0.625), (-1.0825, 0.625)],
            Self::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            Self::Plus => &[
                (-ARM, -1.2),
                (ARM, -1.2),
                (ARM, -ARM),
                (1.2, -ARM),
                (1.2, ARM),
                (ARM, ARM),
                (ARM, 1.2),
                (-ARM, 1.2),
                (-ARM, ARM),
                (-1.2, ARM),
                (-1.2, -ARM),
                (-ARM, -ARM),
            ],
        };
        let corners = corners.iter().map(|(x, y)| place((at.0 + r * x, at.1 + r * y)));
        scene.draw(&Polygon::new(corners.collect::<Vec<_>>(), color));
    }
}

/// Width of the rim of a hollow mark.
const RIM: f64 = 1.5;

/// The radius of the paper in a hollow circle.
pub(crate) const HOLLOW: f64 = RADIUS - RIM;
