//! What the tests of all benchmarks look at.

use std::path::Path;

/// The texts of a chart, as a reader sees them.
pub(crate) fn texts(svg: &Path) -> Vec<String> {
    let svg = std::fs::read_to_string(svg).unwrap();
    roxmltree::Document::parse(&svg)
        .unwrap()
        .descendants()
        .filter_map(|node| node.text().map(|text| text.trim().to_owned()))
        .collect()
}
