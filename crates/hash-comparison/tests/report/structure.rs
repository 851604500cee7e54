//! Structured keys, hash tables and mechanisms in the report.

use hash_comparison::functions;
use hash_comparison::questions::{Records, tables};
use hash_comparison::run::quality;
use hash_comparison::values::Hashed;
use records::progress::Silent;

use crate::checked;
use crate::fixture::Plan;

/// Builds the records of the default run, with two functions measured on structured keys and in tables.
pub(super) fn with_structure() -> Records {
    let mut records = Plan::standard().records();
    let chosen = ["PJW", "XXH3"].map(|name| functions::find(name).unwrap());
    let ids = hash_comparison::keys::load_embedded("video-ids", 1).unwrap();
    quality::apart(&mut records, &chosen, &Silent).unwrap();
    for function in &chosen {
        let hashed = Hashed::new(&ids.keys, function);
        records.occupancy.extend(tables::measure(&ids.name, &hashed));
    }
    let summaries: Vec<_> = chosen.iter().map(|function| function.summary()).collect();
    tables::judge(&mut records.occupancy, &summaries);
    records
}

#[test]
fn structured_keys_have_a_chart_a_section_and_reasons() {
    let records = with_structure();
    let page = checked(&records, "structure");
    for text in [
        "<details class=\"fold\" id=\"structured\">",
        "aria-label=\"Structured keys: ratio of each function's collisions",
        "raising the last byte but one by 1 and lowering the last by 16 leaves the value unchanged",
        "video-ids: hash tables",
        "product, high bits",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(
        hash_comparison::page::render::file_names(&records)
            .contains(&"charts/structured-keys.svg".to_owned())
    );
    assert!(
        hash_comparison::page::render::deterministic_charts(&records)
            .contains(&"charts/structured-keys.png".to_owned())
    );
}

#[test]
fn runs_without_these_rows_are_drawn_without() {
    let records = Plan::standard().records();
    let page = checked(&records, "no-structure");
    assert!(!page.contains("id=\"structured\"") && !page.contains(": hash tables</h2>"));
    // The calibration of the tests comes with the program.
    assert!(page.contains("False-alarm rate of these tests"));
    assert!(page.contains("20 high bits"));
}
