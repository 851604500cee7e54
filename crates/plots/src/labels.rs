//! Names at the right of lines, placed without overlap.

use super::mark::{OUTER, circle};
use super::scene::{Anchor, Color, Font, MUTED, Scene};

/// Distance from one name to the next.
const SPACING: f64 = 14.5;

/// The name of a line.
pub(crate) struct Label {
    /// Height at which the line ends.
    pub(crate) end: f64,
    /// The name.
    pub(crate) text: String,
    /// Colour of the line.
    pub(crate) color: Color,
}

/// Writes the names from the lowest upwards between the ends of the lines at `left` and `right`, each as close to the end
/// of its line as the others allow. Names that would lie above `top` move down.
pub(crate) fn write(scene: &mut Scene, mut labels: Vec<Label>, left: f64, right: f64, top: f64) {
    labels.sort_by(|a, b| b.end.total_cmp(&a.end));
    let mut middles = Vec::new();
    let mut highest = f64::INFINITY;
    for label in &labels {
        highest = label.end.min(highest - SPACING);
        middles.push(highest);
    }
    let mut lowest = top;
    for middle in middles.iter_mut().rev() {
        *middle = middle.max(lowest);
        lowest = *middle + SPACING;
    }
    let x = left + 26.0;
    for (label, middle) in labels.into_iter().zip(middles) {
        scene.line((left + 2.0, label.end), (x - 10.0, middle), 1.0, MUTED);
        circle(scene, (x - 4.0, middle), OUTER, label.color);
        let text = Font::VALUE.fit(&label.text, right - x - 6.0);
        scene.text_middle((x + 6.0, middle), Anchor::Start, Font::VALUE, &text);
    }
}
