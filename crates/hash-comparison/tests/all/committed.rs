//! The committed run says what its records give, and its page and charts are drawn from them. `reproduce` computes the
//! records themselves again.

use std::fs;
use std::path::Path;

use hash_comparison::advice::recommend::decide;
use hash_comparison::advice::{costs, findings};
use hash_comparison::page::render;
use hash_comparison::questions::{Records, mechanisms};
use hash_comparison::record::{Request, Run};

/// Judges and advises again from the rows, which are stored with nine digits.
fn judged(committed: &Records, scratch: &Path) -> Run {
    let mut records = committed.clone();
    records.run.findings = findings::judge(committed);
    mechanisms::explain(&mut records.run.findings, &committed.mechanisms);
    // Colliding keys are found while hash values are there.
    for (finding, told) in records.run.findings.iter_mut().zip(&committed.run.findings) {
        finding.example.clone_from(&told.example);
    }
    records.run.bit_facts = findings::bit_facts(committed);
    records.costs = costs::judge(committed);
    decide(&mut records, &Request::default());
    records.write(scratch).unwrap();
    let stored = Records::read(scratch).unwrap();
    assert!(stored.costs == committed.costs);
    stored.run
}

#[test]
fn the_committed_run_says_and_shows_what_its_records_give() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/reference");
    let committed = Records::read(&folder).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let run = judged(&committed, scratch.path());
    assert_eq!(run.findings, committed.run.findings);
    assert_eq!(run.bit_facts, committed.run.bit_facts);
    assert_eq!(run.recommendations, committed.run.recommendations);
    for name in render::render(&committed, scratch.path()).unwrap() {
        let [drawn, stored] = [scratch.path(), &folder].map(|folder| fs::read(folder.join(&name)).unwrap());
        assert!(
            drawn == stored,
            "{name}: `cargo xtask render reports/reference` draws it again"
        );
    }
}
