//! Marks that combine a shape and a colour of the Okabe-Ito palette, so that either one identifies the mark.

use super::scene::{Color, PAPER, Scene};

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

/// The grey of marks without meaning, bars and lead lines.
pub const NEUTRAL: Color = Color(0x5a, 0x63, 0x6e);

/// Half the height of a mark in a row of a chart.
pub const RADIUS: f64 = 4.5;

impl Mark {
    /// Returns the mark's colour.
    pub fn color(self) -> Color {
        match self {
            Self::Diamond => Color(0x00, 0x9e, 0x73),
            Self::Circle => Color(0x00, 0x72, 0xb2),
            Self::Triangle => Color(0xe6, 0x9f, 0x00),
            Self::Square => Color(0xd5, 0x5e, 0x00),
            Self::Neutral => NEUTRAL,
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

    fn shape(self, scene: &mut Scene, (x, y): (f64, f64), r: f64, color: Color) {
        match self {
            Self::Circle | Self::Neutral => scene.circle((x, y), r, color),
            Self::Diamond => {
                let r = r * 1.2;
                scene.polygon(vec![(x, y - r), (x + r, y), (x, y + r), (x - r, y)], color);
            }
            Self::Triangle => {
                // An equilateral triangle about its centre.
                let (r, side) = (r * 1.25, r * 1.25 * 0.866);
                scene.polygon(
                    vec![(x, y - r), (x + side, y + r / 2.0), (x - side, y + r / 2.0)],
                    color,
                );
            }
            Self::Square => {
                let r = r * 0.9;
                scene.polygon(
                    vec![(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)],
                    color,
                );
            }
        }
    }
}

/// Width of the rim of a hollow mark.
const RIM: f64 = 1.5;

/// Half the height of a bar.
pub(crate) const BAR: f64 = 5.0;

/// Draws a bar, or only its outline.
pub(crate) fn bar(scene: &mut Scene, left: f64, right: f64, y: f64, filled: bool) {
    scene.rect(left, y - BAR, right, y + BAR, NEUTRAL);
    if !filled && right - left > 2.0 {
        scene.rect(left + 1.0, y - BAR + 1.0, right - 1.0, y + BAR - 1.0, PAPER);
    }
}
