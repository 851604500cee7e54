//! Tests that the committed records can be read, computed again from the committed batches, and drawn.
//!
//! `BENCH_REDRAW=1 cargo test` writes rows and charts again, after a change of statistics or drawing.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use bench_kit::suites::{frontier, instructions, membership, point_reads, policy, rates, redis};
use bench_kit::{Bench, Chart, MARKER, Suite, folder, table};
use filter_formats::sizing::Format;
use filter_policy::BitsPerKey;

fn reference(folder: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../reports/reference");
    root.join(folder)
}

/// Checks that the rows and charts of a committed run are those of its batches.
fn check(folder: &str, suite: &Suite) {
    // A new run may replace the folder.
    let folder = folder::check(&reference(folder), suite.format).unwrap();
    let marker = fs::read(folder.join(MARKER)).unwrap();
    assert!(serde_json::from_slice::<Bench>(&marker).is_ok());

    let path = folder.join("batches.csv");
    let batches = table::read(suite, &path).unwrap();
    assert!(table::to_bytes(suite, &batches) == fs::read(&path).unwrap());
    let rows = suite.rows(&batches).unwrap();
    let bytes = table::to_bytes(suite, &rows);
    assert!(suite.drawn(&[]).is_empty());
    let drawn = suite.drawn(&rows);
    assert_eq!(drawn.len(), suite.charts.len());
    let charts = drawn.iter().map(|chart: &Chart| chart.file(suite.format));
    for (name, bytes) in charts.chain([(format!("{}.csv", suite.format.rows), bytes)]) {
        let path = folder.join(&name);
        if std::env::var_os("BENCH_REDRAW").is_some() {
            fs::write(&path, &bytes).unwrap();
        }
        assert!(
            fs::read(&path).unwrap() == bytes,
            "{} is not what the batches say; run `BENCH_REDRAW=1 cargo test` to update it",
            path.display()
        );
    }
    for line in suite.summary.text(&rows).lines() {
        // Tables for a page may be of any width.
        assert!(line.starts_with('|') || line.chars().count() <= 110, "{line}");
    }
}

#[test]
fn rows_and_charts_are_those_of_the_batches() {
    // Records of two processors; the second has AVX2 only.
    for (folder, suite) in [
        ("membership", &membership::SUITE),
        ("membership-avx2", &membership::SUITE),
        ("point-reads", &point_reads::SUITE),
        ("point-reads/slatedb", &point_reads::SUITE),
        ("point-reads/parquet", &point_reads::SUITE),
        ("policy", &policy::LEVELDB),
        ("policy-avx2", &policy::LEVELDB),
        ("policy/rocksdb", &policy::ROCKSDB),
        ("policy-avx2/rocksdb", &policy::ROCKSDB),
        ("policy-avx2/parquet", &policy::PARQUET),
        ("frontier", &frontier::SUITE),
        ("redis", &redis::SUITE),
        ("redis-avx2", &redis::SUITE),
        ("rates", &rates::SUITE),
        ("instructions", &instructions::SUITE),
    ] {
        check(folder, suite);
    }
}

#[test]
fn tables_of_the_frontier_in_which_policy() {
    let batches = table::read(&frontier::SUITE, &reference("frontier/batches.csv")).unwrap();
    let tables = frontier::SUITE
        .summary
        .text(&frontier::SUITE.rows(&batches).unwrap());
    let page = include_str!("../../../filter-formats/WHICH.md");
    assert!(
        page.contains(&tables),
        "the tables in crates/filter-formats/WHICH.md are not those of the run:\n{tables}"
    );
}

/// The computed rate of LevelDB's format is that of four sound hash functions together, also where it is rare. Other tests
/// count up to 15 bits per key.
#[test]
fn rates_of_leveldb() {
    const SOUND: [&str; 4] = [
        rates::IDEAL,
        "BloomFilter2",
        "XXH3",
        "leveldb.BuiltinBloomFilter2",
    ];
    let batches = table::read(&rates::SUITE, &reference("rates/batches.csv")).unwrap();
    for bits in [10_u32, 16, 18, 20, 22, 24] {
        let sound = batches.iter().filter(|batch| {
            let case = &batch.case;
            SOUND.contains(&&*case.contender)
                && (case.get("key_form"), case.count("keys")) == ("random-decimals", 1000)
                && case.count("bits_per_key") == u64::from(bits)
        });
        let said = Format::LEVEL_DB.rate(1000, BitsPerKey::whole(bits)).unwrap();
        let (mut matches, mut probes) = (0.0, 0.0);
        for batch in sound {
            let expected = batch.case.number("expected");
            assert!((expected / said - 1.0).abs() < 1e-8, "{said}: {batch:?}");
            matches += batch.count as f64;
            probes += batch.calls as f64;
        }
        // Three standard deviations.
        let noise = 3.0 / f64::sqrt(matches);
        assert!(probes >= 4e6, "{bits} bits: {probes} probes");
        assert!(
            (matches / probes / said - 1.0).abs() < noise,
            "{bits} bits: {matches} of {probes}, {said} expected"
        );
    }
}
