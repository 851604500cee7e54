//! Tests of properties that all charts share: files, names and colours.

mod scheme;

use plots::panel::{MARGIN, NAMES_END};
use plots::scene::Font;

use super::KINDS;

#[test]
fn no_dataset_name_can_make_two_charts_share_a_file() {
    for a in KINDS {
        assert!(
            KINDS.iter().all(|b| !b.stem.starts_with(&format!("{}-", a.stem))),
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
