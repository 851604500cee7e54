//! Chart keys that explain marks, bars and shades.

use super::mark::{Mark, RADIUS};
use super::scene::{Anchor, Color, Font, Scene};

/// The sign before a label of a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sign {
    /// A filled mark.
    Filled(Mark),
    /// A hollow mark.
    Hollow(Mark),
    /// An area of this colour.
    Shade(Color),
}

/// Distances from a sign to its label, and from a label to the next sign.
const GAP: f64 = 5.0;
const NEXT: f64 = 14.0;

impl Sign {
    fn width(self) -> f64 {
        match self {
            Self::Filled(_) | Self::Hollow(_) => 2.0 * RADIUS,
            Self::Shade(_) => 13.0,
        }
    }

    fn draw(self, scene: &mut Scene, left: f64, y: f64) {
        let right = left + self.width();
        match self {
            Self::Filled(mark) => mark.filled(scene, (left + RADIUS, y), RADIUS),
            Self::Hollow(mark) => mark.hollow(scene, (left + RADIUS, y), RADIUS),
            Self::Shade(color) => scene.rect(left, y - 6.0, right, y + 6.0, color),
        }
    }
}

/// Writes signs and labels from left to right, starting or ending at `x`, and returns the other end.
pub fn write(scene: &mut Scene, anchor: Anchor, (x, y): (f64, f64), entries: &[(Sign, &str)]) -> f64 {
    let width = |(sign, words): &(Sign, &str)| sign.width() + GAP + Font::VALUE.width(words) + NEXT;
    let all = (entries.iter().map(width).sum::<f64>() - NEXT).max(0.0);
    let mut left = if anchor == Anchor::End { x - all } else { x };
    let end = if anchor == Anchor::End { left } else { x + all };
    for entry in entries {
        let (sign, words) = entry;
        sign.draw(scene, left, y);
        scene.text_middle((left + sign.width() + GAP, y), Anchor::Start, Font::VALUE, words);
        left += width(entry);
    }
    end
}
