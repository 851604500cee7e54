//! What to take, and the function in use, as a reader of the page sees them.

use hash_comparison::judge::recommend::decide;
use hash_comparison::record::{Purpose, Request};
use hash_comparison::report::render;

use super::fixture::Plan;
use super::{assert_self_contained, checked, rendered};

const MINE: &str = "DEKHash";

#[test]
fn the_function_in_use_is_marked_everywhere() {
    let mut records = Plan::standard().records();
    let request = Request {
        purpose: Purpose::Table,
        mine: Some(MINE.to_owned()),
        ..Request::default()
    };
    let without = rendered(&records, "nobody-marked").0;
    decide(&mut records, &request);
    let page = checked(&records, "marked");
    assert_self_contained(&page);
    assert!(page.contains("<h2>What to take</h2>"));
    assert!(page.contains("<strong>Pick:</strong> for a hash table of these keys "));
    assert!(page.contains("Yours, framed below: DEKHash "));
    assert!(page.contains("class=\"mine\">DEKHash"));
    let (dir, names) = rendered(&records, "marked");
    for name in names.iter().filter(|name| name.ends_with(".svg")) {
        let marked = std::fs::read_to_string(dir.join(name)).unwrap();
        assert!(
            marked.contains("DEKHash, the function in use, is framed"),
            "{name}"
        );
        let plain = std::fs::read_to_string(without.join(name)).unwrap();
        assert!(
            !plain.contains("is framed") && plain.len() < marked.len(),
            "{name}"
        );
    }
    assert_eq!(names, render::file_names(&records));
}

#[test]
fn the_function_in_use_and_the_worst_are_never_folded_away() {
    let names: Vec<String> = (0..40).map(|index| format!("F{index}")).collect();
    let functions = names
        .iter()
        .map(|name| (name.as_str(), 32))
        .chain([("BPHash", 31), ("PJW", 28)]);
    let plan = Plan {
        datasets: vec![("app-accounts", 45_402, hash_comparison::record::DatasetKind::File)],
        functions: functions.collect(),
    };
    let mut records = plan.records();
    // The slowest of those in the band.
    let request = Request {
        mine: Some("F39".to_owned()),
        ..Request::default()
    };
    decide(&mut records, &request);
    let (dir, _) = rendered(&records, "never-folded");
    let chart = std::fs::read_to_string(dir.join("charts/findings-app-accounts.svg")).unwrap();
    let document = roxmltree::Document::parse(&chart).unwrap();
    let drawn: Vec<&str> = document
        .descendants()
        .filter_map(|node| node.text())
        .map(str::trim)
        .collect();
    for name in ["F0", "F39", "BPHash", "PJW"] {
        assert!(drawn.contains(&name), "{name}: {drawn:?}");
    }
    assert!(!drawn.contains(&"F38"), "{drawn:?}");
}
