//! Tests of properties that all charts share: files, names and colours.

mod scheme;

use plots::rows::NAMES_END;
use plots::scene::{Anchor, Font, MARGIN, Scene, Shape};

use super::kinds;
use crate::questions::Records;

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

/// Returns the texts that leave the sheet or overlap another.
fn crowded(scene: &Scene) -> Vec<&str> {
    let mut areas: Vec<[f64; 4]> = Vec::new();
    let mut found = Vec::new();
    for shape in &scene.shapes {
        let Shape::Text(at, anchor, text, font) = shape else {
            continue;
        };
        let left = at.0 - anchor.before(font.width(text));
        let area = [left, at.1 - 0.7 * font.size, left + font.width(text), at.1];
        let meets = |other: &[f64; 4]| {
            area[0] < other[2] && other[0] < area[2] && area[1] < other[3] && other[1] < area[3]
        };
        let is_inside = area[0] >= 0.0 && area[1] >= 0.0 && area[2] <= scene.width && area[3] <= scene.height;
        if !is_inside || areas.iter().any(meets) {
            found.push(text.as_str());
        }
        areas.push(area);
    }
    found
}

#[test]
fn texts_are_on_the_sheet_and_apart() {
    let mut records = crate::property::committed();
    let check = |records: &Records| {
        for chart in super::all(records) {
            assert_eq!(crowded(&chart.scene), [""; 0], "{}", chart.stem);
        }
    };
    check(&records);
    // Some times leave their axes.
    for (index, row) in records.timing.iter_mut().enumerate() {
        row.median_ns_per_key *= [1.0, 4.0, 40.0][index % 3];
    }
    check(&records);
    let mut scene = Scene::new(100.0, 50.0, "a text on another");
    for text in ["one", "two"] {
        scene.text((10.0, 20.0), Anchor::Start, Font::VALUE, text);
    }
    assert_eq!(crowded(&scene), ["two"]);
}
