//! Chart keys that explain marks and shades.

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

/// Width of a sign, and distances from a sign to its label, and from a label to the next sign.
const SIGN: f64 = 12.0;
const GAP: f64 = 5.0;
const NEXT: f64 = 14.0;

/// Writes signs and labels from left to right, starting or ending at `x`, and returns the left end.
pub fn write(scene: &mut Scene, anchor: Anchor, (x, y): (f64, f64), entries: &[(Sign, &str)]) -> f64 {
    let width = |words: &str| SIGN + GAP + Font::VALUE.width(words) + NEXT;
    let all: f64 = entries.iter().map(|(_, words)| width(words)).sum();
    let start = x - anchor.before((all - NEXT).max(0.0));
    let mut left = start;
    for (sign, words) in entries {
        let middle = (left + SIGN / 2.0, y);
        match sign {
            Sign::Filled(mark) => mark.draw(scene, middle, RADIUS, true),
            Sign::Hollow(mark) => mark.draw(scene, middle, RADIUS, false),
            Sign::Shade(color) => scene.rect(left, y - 6.0, left + SIGN, y + 6.0, *color),
        }
        scene.text_middle((left + SIGN + GAP, y), Anchor::Start, Font::VALUE, words);
        left += width(words);
    }
    start
}
