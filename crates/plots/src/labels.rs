//! Names at the right of lines, placed without overlap.

use super::mark::{NEUTRAL, RADIUS, circle};
use super::scene::{Anchor, Color, Font, PAPER, Scene};

/// The name of a line.
pub struct Label {
    /// Height at which the line ends.
    pub end: f64,
    /// The name.
    pub text: String,
    /// Colour of the line; `None` omits the mark before the name.
    pub color: Option<Color>,
    /// Set if the mark is hollow.
    pub hollow: bool,
}

/// The area for names.
pub struct Place {
    /// Right end of the lines.
    pub left: f64,
    /// Right end of the names.
    pub right: f64,
    /// Upper limit of the names; names that would lie above it move down.
    pub top: f64,
    /// Distance from one name to the next.
    pub spacing: f64,
}

/// Writes the names from the lowest upwards, each as close to the end of its line as the others allow.
pub fn write(scene: &mut Scene, mut labels: Vec<Label>, place: &Place) {
    labels.sort_by(|a, b| b.end.total_cmp(&a.end));
    let mut middles = Vec::new();
    let mut highest = f64::INFINITY;
    for label in &labels {
        highest = label.end.min(highest - place.spacing);
        middles.push(highest);
    }
    let mut lowest = place.top;
    for middle in middles.iter_mut().rev() {
        *middle = middle.max(lowest);
        lowest = *middle + place.spacing;
    }
    let x = place.left + 26.0;
    for (label, middle) in labels.into_iter().zip(middles) {
        scene.line((place.left + 2.0, label.end), (x - 10.0, middle), NEUTRAL);
        if let Some(color) = label.color {
            mark(scene, (x - 4.0, middle), color, label.hollow);
        }
        let text = Font::VALUE.fit(&label.text, place.right - x - 6.0);
        scene.text_middle((x + 6.0, middle), Anchor::Start, Font::VALUE, &text);
    }
}

/// Draws the mark of a line's points, which also precedes the line's name.
pub fn mark(scene: &mut Scene, at: (f64, f64), color: Color, hollow: bool) {
    circle(scene, at, RADIUS - 1.0, color);
    if hollow {
        circle(scene, at, RADIUS - 2.2, PAPER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Shape;

    /// Returns the heights of the names of lines that end at `ends`, the lowest name first.
    fn middles(ends: &[f64]) -> Vec<f64> {
        let mut scene = Scene::new(300.0, 200.0, "names");
        let labels = ends.iter().map(|&end| Label {
            end,
            text: "a name".to_owned(),
            color: None,
            hollow: false,
        });
        let place = Place {
            left: 100.0,
            right: 200.0,
            top: 20.0,
            spacing: 10.0,
        };
        write(&mut scene, labels.collect(), &place);
        let middle = |shape: &Shape| match shape {
            Shape::Text(at, ..) => Some((at.1 - 0.355 * Font::VALUE.size).round()),
            _ => None,
        };
        scene.shapes.iter().filter_map(middle).collect()
    }

    #[test]
    fn names_keep_their_distance_and_stay_below_the_top() {
        assert_eq!(middles(&[50.0, 90.0]), [90.0, 50.0]);
        assert_eq!(middles(&[50.0, 50.0, 48.0]), [50.0, 40.0, 30.0]);
        assert_eq!(middles(&[25.0, 26.0, 27.0, 90.0]), [90.0, 40.0, 30.0, 20.0]);
    }
}
