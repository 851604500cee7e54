//! The committed records: read by the readers, made again from the committed batches, and drawn.
//!
//! `BENCH_REDRAW=1 cargo test` in this workspace writes the charts anew where the drawing has changed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use bench_kit::suites::{instructions, membership, memory, point_reads, policy, rates, redis, which};
use bench_kit::{Bench, Chart, Folder, MARKER, Suite};
use hash_comparison::record::table::{self, Row};

fn reference(folder: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../reports/reference");
    root.join(folder)
}

/// Checks the record and the charts of a suite.
fn check<B: Row, R: Row + 'static>(folder: &str, suite: &Suite<B, R>) {
    let (folder, format) = (reference(folder), suite.format);
    // What a new run may replace.
    Folder::check(&folder, format).unwrap();
    let marker = fs::read(folder.join(MARKER)).unwrap();
    assert!(serde_json::from_slice::<Bench>(&marker).is_ok());

    let path = folder.join(format!("{}.csv", format.rows));
    let bytes = fs::read(&path).unwrap();
    let rows: Vec<R> = table::parse(&path, &bytes).unwrap();
    assert!(
        table::to_bytes(&rows) == bytes,
        "{}: written again, it differs",
        path.display()
    );
    if suite.keeps_batches {
        let batches: Vec<B> = table::read(&folder.join("batches.csv")).unwrap();
        let again = (suite.rows)(&batches).unwrap();
        assert!(
            table::to_bytes(&again) == bytes,
            "{}: not what the batches say",
            path.display()
        );
    }
    assert!(suite.drawn(&[]).is_empty());
    let drawn = suite.drawn(&rows);
    assert_eq!(drawn.len(), suite.charts.len());
    for (name, bytes) in drawn.iter().flat_map(|chart: &Chart| chart.files(format)) {
        let path = folder.join(&name);
        if std::env::var_os("BENCH_REDRAW").is_some() {
            fs::write(&path, &bytes).unwrap();
        }
        assert!(
            fs::read(&path).unwrap() == bytes,
            "{}: the drawing has changed; `BENCH_REDRAW=1 cargo test` writes it anew",
            path.display()
        );
    }
    for line in (suite.summary)(&rows).lines() {
        // A table of a page is as wide as it is.
        assert!(line.starts_with('|') || line.chars().count() <= 110, "{line}");
    }
}

#[test]
fn membership() {
    check("membership", &membership::SUITE);
}

#[test]
fn memory() {
    check("memory", &memory::SUITE);
}

#[test]
fn point_reads() {
    check("point-reads", &point_reads::SUITE);
}

#[test]
fn policy_of_leveldb() {
    check("policy", &policy::LEVELDB);
}

#[test]
fn policy_of_rocksdb() {
    check("policy/rocksdb", &policy::ROCKSDB);
}

#[test]
fn every_policy() {
    check("policy/which", &which::SUITE);
}

#[test]
fn redis() {
    check("redis", &redis::SUITE);
}

#[test]
fn rates() {
    check("rates", &rates::SUITE);
}

#[test]
fn instructions() {
    check("instructions", &instructions::SUITE);
}
