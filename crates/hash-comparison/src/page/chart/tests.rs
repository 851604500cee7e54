//! Tests of properties that all charts share: files, names and colours.

mod scheme;

use plots::panel::{MARGIN, NAMES_END};
use plots::scene::{Anchor, Font, Scene, Shape};

use super::kinds;
use crate::questions::{Place, Records};
use crate::record::CallForm;

#[test]
fn no_dataset_name_can_make_two_charts_share_a_file() {
    for a in kinds() {
        assert!(
            kinds().all(|b| !b.stem.starts_with(&format!("{}-", a.stem))),
            "{}",
            a.stem
        );
    }
}

#[test]
fn every_function_has_room_for_its_name_beside_a_mark() {
    let room = NAMES_END - MARGIN - 22.0;
    for function in crate::functions::all() {
        assert!(Font::NAME.width(function.name) <= room, "{}", function.name);
    }
}

/// Returns the texts that a horizontal line crosses. What is painted later over a line hides it.
fn struck(scene: &Scene) -> Vec<&str> {
    /// Higher rectangles are areas.
    const THICKEST: f64 = 3.0;
    // Left, right and height of what is to be seen of each line.
    let mut lines: Vec<[f64; 3]> = Vec::new();
    let mut texts: Vec<(&str, [f64; 4])> = Vec::new();
    let mut found = Vec::new();
    let crosses = |[left, right, y]: [f64; 3], [from, top, to, bottom]: [f64; 4]| {
        (top..bottom).contains(&y) && right.min(to) - left.max(from) > 3.0
    };
    for shape in &scene.shapes {
        let area = match shape {
            Shape::Rect(corners, _) | Shape::Frame(corners, ..) => Some(*corners),
            Shape::Line(ends, width, _) if ends.len() == 2 && ends[0].1 == ends[1].1 => {
                let (y, half) = (ends[0].1, width / 2.0);
                Some([ends[0].0, y - half, ends[1].0, y + half])
            }
            _ => None,
        };
        match (shape, area) {
            (_, Some([left, top, right, bottom])) => {
                let y = (top + bottom) / 2.0;
                if bottom - top <= THICKEST && right - left > THICKEST {
                    found.extend(
                        texts
                            .iter()
                            .filter(|(_, area)| crosses([left, right, y], *area))
                            .map(|(text, _)| *text),
                    );
                    lines.push([left, right, y]);
                } else {
                    let rest = |[from, to, y]: [f64; 3]| {
                        if !(top..bottom).contains(&y) {
                            return vec![[from, to, y]];
                        }
                        vec![[from, to.min(left), y], [from.max(right), to, y]]
                    };
                    lines = lines
                        .into_iter()
                        .flat_map(rest)
                        .filter(|[from, to, _]| to > from)
                        .collect();
                }
            }
            (Shape::Text(at, anchor, text, font), _) => {
                let width = font.width(text);
                let left = at.0 - anchor.before(width);
                let area = [left, at.1 - 0.6 * font.size, left + width, at.1 - 0.1 * font.size];
                if lines.iter().any(|line| crosses(*line, area)) {
                    found.push(text.as_str());
                }
                texts.push((text.as_str(), area));
            }
            _ => {}
        }
    }
    found
}

#[test]
fn no_line_strikes_a_text_through() {
    let mut records = crate::property::committed();
    let check = |records: &Records| {
        for chart in super::all(records) {
            assert_eq!(struck(&chart.scene), [""; 0], "{}", chart.stem);
        }
    };
    check(&records);
    // Some times leave their axes, in one form or place or in both.
    for (index, row) in records.timing.iter_mut().enumerate() {
        row.median_ns_per_key *= match (row.place, row.form) {
            (Place::Sequence, CallForm::Chained) => [1.0, 4.0, 40.0][index % 3],
            (Place::Sequence, CallForm::Independent) => [1.0, 1.0, 1.0, 4.0, 40.0][index % 5],
            (Place::Length, _) => 1.0,
            (Place::Cache | Place::Memory, _) => [1.0, 2.0, 4.0, 40.0][index / 2 % 4],
        };
    }
    check(&records);
    let mut scene = Scene::new(100.0, 50.0, "a line through a word");
    scene.line((5.0, 20.0), (60.0, 20.0), 1.5, plots::scene::INK);
    scene.text_middle((10.0, 20.0), Anchor::Start, Font::VALUE, "struck");
    assert_eq!(struck(&scene), ["struck"]);
}
