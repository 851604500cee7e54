//! The committed run says what its records give, and its page and charts are drawn from them. `reproduce` computes the
//! records themselves again.

use std::fs;
use std::path::{Path, PathBuf};

use hash_comparison::advice::recommend::decide;
use hash_comparison::advice::{costs, findings};
use hash_comparison::functions;
use hash_comparison::page::render;
use hash_comparison::questions::{Records, mechanisms};
use hash_comparison::record::{CostRow, FunctionSummary, Recommendation, Request};

fn committed() -> (PathBuf, Records) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/reference");
    let records = Records::read(&folder).unwrap();
    (folder, records)
}

#[test]
fn the_committed_run_says_what_its_rows_give() {
    let (_, committed) = committed();
    let mut again = committed.clone();
    again.run.findings = findings::judge(&committed);
    mechanisms::explain(&mut again.run.findings, &committed.mechanisms);
    decide(&mut again, &Request::default());
    for (finding, told) in again.run.findings.iter_mut().zip(&committed.run.findings) {
        // Colliding keys are found while hash values are there.
        finding.example.clone_from(&told.example);
    }
    assert_eq!(again.run.findings, committed.run.findings);
    assert_eq!(findings::bit_facts(&committed), committed.run.bit_facts);
    // Figures are compared as words: rows are stored with nine digits, and the run had all of them.
    let costs = costs::judge(&committed);
    assert_eq!(costs.len(), committed.costs.len());
    for (cost, told) in costs.iter().zip(&committed.costs) {
        let words = |row: &CostRow| {
            (
                row.function.clone(),
                row.purpose,
                row.place.clone(),
                row.measurable,
            )
        };
        assert_eq!(words(cost), words(told));
    }
    let words = |told: Recommendation| {
        let functions = told.functions.into_iter();
        let functions = functions.map(|one| (one.function, one.standing, one.rank, one.reason, one.why));
        (
            functions.collect::<Vec<_>>(),
            told.attackers,
            told.notes,
            told.mine,
        )
    };
    let (again, told) = (again.run.recommendations, committed.run.recommendations);
    assert_eq!(again.len(), told.len());
    for (again, told) in again.into_iter().zip(told) {
        assert_eq!(words(again), words(told));
    }
}

#[test]
fn the_committed_page_and_charts_are_drawn_from_its_records() {
    let (folder, committed) = committed();
    let scratch = tempfile::tempdir().unwrap();
    for name in render::render(&committed, scratch.path()).unwrap() {
        let [drawn, stored] = [scratch.path(), &folder].map(|folder| fs::read(folder.join(&name)).unwrap());
        assert!(
            drawn == stored,
            "{name}: `cargo xtask render reports/reference` draws it again"
        );
    }
}

#[test]
fn the_functions_and_their_claims_are_those_of_the_committed_run() {
    let claims = |one: FunctionSummary| (one.name, one.group, one.output_bits, one.stable, one.resistance);
    let (_, committed) = committed();
    let mut known = committed.run.functions;
    // The values of some functions are known on some platforms only.
    known.retain(|one| functions::find(&one.name).is_ok());
    let all = functions::all().iter().map(|one| claims(one.summary()));
    assert_eq!(
        all.collect::<Vec<_>>(),
        known.into_iter().map(claims).collect::<Vec<_>>()
    );
}
