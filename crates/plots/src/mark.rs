//! Marks: a shape and a colour of the Okabe-Ito palette, so that neither is needed alone.

use plotters::style::RGBColor;

use crate::scene::{Anchor, Font, PAPER, Scene};

/// A shape with a colour of its own.
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
}

/// Marks that carry no meaning: the colour of none.
pub const NEUTRAL: RGBColor = RGBColor(0x5a, 0x63, 0x6e);

/// Half the height of a mark in a row of a chart.
pub const RADIUS: f64 = 4.5;

impl Mark {
    /// The mark's colour.
    pub fn color(self) -> RGBColor {
        match self {
            Self::Diamond => RGBColor(0x00, 0x9e, 0x73),
            Self::Circle => RGBColor(0x00, 0x72, 0xb2),
            Self::Triangle => RGBColor(0xe6, 0x9f, 0x00),
            Self::Square => RGBColor(0xd5, 0x5e, 0x00),
        }
    }

    /// Draws it filled.
    pub fn filled(self, scene: &mut Scene, at: (f64, f64), radius: f64) {
        self.shape(scene, at, radius, self.color());
    }

    /// Draws it hollow, in the same size.
    pub fn hollow(self, scene: &mut Scene, at: (f64, f64), radius: f64) {
        self.filled(scene, at, radius);
        // The rim of a triangle is thinner across its sides than at its height: leave it more room.
        let inner = if self == Self::Triangle {
            radius - 2.0 * RIM
        } else {
            radius - RIM
        };
        self.shape(scene, at, inner, PAPER);
    }

    fn shape(self, scene: &mut Scene, (x, y): (f64, f64), r: f64, color: RGBColor) {
        match self {
            Self::Circle => scene.circle((x, y), r, color),
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

/// Draws a filled mark without a meaning.
pub fn neutral(scene: &mut Scene, at: (f64, f64), radius: f64) {
    scene.circle(at, radius, NEUTRAL);
}

/// Draws a hollow mark without a meaning.
pub fn neutral_hollow(scene: &mut Scene, at: (f64, f64), radius: f64) {
    neutral(scene, at, radius);
    scene.circle(at, radius - RIM, PAPER);
}

/// Writes what marks mean, from left to right, ending at `right`; returns its left end.
pub fn key(scene: &mut Scene, meanings: &[(Mark, &str)], right: f64, y: f64) -> f64 {
    let mut x = right;
    for &(mark, words) in meanings.iter().rev() {
        scene.text_middle((x, y), Anchor::End, Font::VALUE, words);
        x -= Font::VALUE.width(words) + 9.0;
        mark.filled(scene, (x, y), RADIUS);
        x -= 18.0;
    }
    x
}
