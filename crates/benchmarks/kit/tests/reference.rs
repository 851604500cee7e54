//! The committed records: read by the readers, made again from the committed batches, and drawn.
//!
//! `BENCH_REDRAW=1 cargo test` in this workspace writes the charts anew where the drawing has changed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use bench_kit::suites::{instructions, membership, memory, point_reads, policy, rates, redis, which};
use bench_kit::{Bench, Chart, Folder, MARKER, Suite};
use hash_comparison::record::table;

fn reference(folder: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../reports/reference");
    root.join(folder)
}

/// Checks the record and the charts of a suite; the charts have these names.
fn check<S: Suite>(folder: &str, charts: &[&str]) {
    let folder = reference(folder);
    // What a new run may replace.
    Folder::check(&folder, S::FORMAT).unwrap();
    let marker = fs::read(folder.join(MARKER)).unwrap();
    assert!(serde_json::from_slice::<Bench>(&marker).is_ok());

    let path = folder.join(format!("{}.csv", S::FORMAT.rows));
    let bytes = fs::read(&path).unwrap();
    let rows: Vec<S::Row> = table::parse(&path, &bytes).unwrap();
    assert!(
        table::to_bytes(&rows) == bytes,
        "{}: written again, it differs",
        path.display()
    );
    if S::KEEPS_BATCHES {
        let batches: Vec<S::Batch> = table::read(&folder.join("batches.csv")).unwrap();
        let again = S::rows(&batches).unwrap();
        assert!(
            table::to_bytes(&again) == bytes,
            "{}: not what the batches say",
            path.display()
        );
    }
    assert!(S::charts(&[]).is_empty());
    let drawn = S::charts(&rows);
    assert_eq!(drawn.iter().map(|chart| chart.name).collect::<Vec<_>>(), charts);
    for (name, bytes) in drawn.iter().flat_map(|chart: &Chart| chart.files(S::FORMAT)) {
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
    for line in S::summary(&rows).lines() {
        // A table of a page is as wide as it is.
        assert!(line.starts_with('|') || line.chars().count() <= 110, "{line}");
    }
}

#[test]
fn membership() {
    check::<membership::Guava>("membership", &["membership"]);
}

#[test]
fn memory() {
    check::<memory::Structures>("memory", &["memory"]);
}

#[test]
fn point_reads() {
    check::<point_reads::Engines>("point-reads", &["point-reads"]);
}

#[test]
fn policy_of_leveldb() {
    check::<policy::Leveldb>("policy", &["policy"]);
}

#[test]
fn policy_of_rocksdb() {
    check::<policy::Rocksdb>("policy/rocksdb", &["policy"]);
}

#[test]
fn every_policy() {
    check::<which::EveryPolicy>("policy/which", &["which"]);
}

#[test]
fn redis() {
    check::<redis::Server>("redis", &["redis"]);
}

#[test]
fn rates() {
    check::<rates::Rates>("rates", &["rates-by-keys", "rates-by-bits"]);
}

#[test]
fn instructions() {
    check::<instructions::Portable>("instructions", &[]);
}
