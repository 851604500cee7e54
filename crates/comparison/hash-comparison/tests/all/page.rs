//! The page and its charts: files, names, texts and colours.

mod scheme;

use std::collections::BTreeSet;

use hash_comparison::functions;
use hash_comparison::page::{self, drawing};
use hash_comparison::questions::Records;
use hash_comparison::record::Verdict;
use plots::rows::NAMES_END;
use plots::scene::{Anchor, Font, MARGIN, Scene, Shape};

use super::fixtures::committed;

#[test]
fn no_dataset_name_can_make_two_charts_share_a_file() {
    let records = committed();
    let files = records.run.files.iter();
    let files = files.filter_map(|file| file.strip_prefix("charts/")?.strip_suffix(".svg"));
    // Those that the code draws of the records, and those that were written.
    let drawn = drawing::all(&records).into_iter().map(|chart| chart.stem);
    let stem = |chart: String| {
        let mut sets = records.run.datasets.iter();
        let kind = sets.find_map(|set| chart.strip_suffix(&format!("-{}", set.name)).map(str::to_owned));
        kind.unwrap_or(chart)
    };
    let stems: BTreeSet<String> = files.map(str::to_owned).chain(drawn).map(stem).collect();
    assert!(stems.len() >= 9, "{stems:?}");
    for a in &stems {
        let start = format!("{a}-");
        assert!(stems.iter().all(|b| !b.starts_with(&start)), "{a}");
    }
}

#[test]
fn every_function_has_room_for_its_name_beside_a_mark() {
    let room = NAMES_END - MARGIN - 22.0;
    for function in functions::all() {
        assert!(
            Font::NAME.width(&function.facts.name) <= room,
            "{}",
            function.ident
        );
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
    let mut records = committed();
    let check = |records: &Records| {
        for chart in drawing::all(records) {
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

#[test]
fn whatever_a_record_holds_is_shown_without_a_panic() {
    let odd = ["", "\\", "\\x", "\\x0é", "\\é", "…", "… (", "é…\\xq", "\u{202e}…"];
    let keys = odd.iter().flat_map(|odd| [1, 40].map(|times| odd.repeat(times)));
    let Records { run, collisions, .. } = committed();
    let mut records = Records {
        collisions,
        ..Records::of(run)
    };
    records.run.datasets.truncate(1);
    records.run.functions.truncate(18);
    let set = records.run.datasets[0].name.clone();
    for (key, function) in keys.zip(&records.run.functions) {
        let is_it = |of: (&str, &str)| of == (&set, &function.name);
        let mut findings = records.run.findings.iter_mut();
        let finding = findings.find(|one| is_it((&one.dataset, &one.function)));
        finding.unwrap().verdict = Verdict::FarWorseThanChance;
        let rows = records.collisions.iter_mut();
        for row in rows.filter(|row| is_it((&row.dataset, &row.function))) {
            (row.collisions, row.first, row.second) = (1, key.clone(), "é".to_owned());
        }
    }
    let (_, page) = page::files(&records).unwrap().pop().unwrap();
    let (_, rest) = page.split_once("<section class=\"failures\">").unwrap();
    let (failures, _) = rest.split_once("</section>").unwrap();
    let rows = failures.split("<tr>");
    let shown = rows.filter(|row| row.contains("<mark>") && row.contains('é'));
    assert_eq!(shown.count(), 18, "{failures}");
}
