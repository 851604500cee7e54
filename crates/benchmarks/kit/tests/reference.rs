//! Tests that the committed records can be read, computed again from the committed batches, and drawn.
//!
//! `BENCH_REDRAW=1 cargo test` writes rows and charts again, after a change of statistics or drawing.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use bench_kit::record::Row;
use bench_kit::suites::rates::{IDEAL, LEVELDB};
use bench_kit::suites::{frontier, instructions, membership, memory, point_reads, policy, rates, redis};
use bench_kit::{Bench, Chart, Folder, MARKER, Suite, table};
use filter_formats::sizing::Format;
use filter_policy::BitsPerKey;

fn reference(folder: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../reports/reference");
    root.join(folder)
}

/// Reads the rows of a committed run.
fn rows(suite: &Suite, path: &str) -> Vec<Row> {
    suite
        .rows(&table::read(suite, &reference(path)).unwrap())
        .unwrap()
}

/// Checks that the rows and charts of a committed run are those of its batches.
fn check(folder: &str, suite: &Suite) {
    let folder = reference(folder);
    // A new run may replace the folder.
    Folder::check(&folder, suite.format).unwrap();
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
    let charts = drawn.iter().flat_map(|chart: &Chart| chart.files(suite.format));
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
        ("memory", &memory::SUITE),
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

/// The table under "Which one" in the README of membership-filters.
#[test]
fn memory_in_the_readme() {
    let rows: Vec<Row> = rows(&memory::SUITE, "memory/batches.csv");
    let value = |structure: &str, asked: &str, task: &str| {
        let is_it = |row: &&Row| row.is(structure, task) && row.case.get("asked_rate") == asked;
        let row = rows.iter().find(is_it).unwrap();
        assert_eq!(row.case.get("keys"), "10000000");
        row.value
    };
    let bits = |structure, asked| value(structure, asked, "allocated") * 8.0;
    let readme = include_str!("../../../membership-filters/README.md");
    for (name, structure) in [
        ("BloomFilter", "bloom"),
        ("ConcurrentBloomFilter", "concurrent-bloom"),
        ("CountingBloomFilter", "counting"),
        ("CuckooFilter", "cuckoo"),
        ("GrowingBloomFilter", "growing"),
        ("BlockedBloomFilter", "blocked"),
    ] {
        let percent = |asked| value(structure, asked, "rate") * 100.0;
        let line = format!(
            "\n| `{name}` | {:.1} ({:.2} %) | {:.1} ({:.4} %) | ",
            bits(structure, "0.01"),
            percent("0.01"),
            bits(structure, "0.0001"),
            percent("0.0001")
        );
        assert!(readme.contains(&line), "{line}");
    }
    for (name, structure) in [
        ("HashSet<u64>", "hash-set-u64"),
        ("HashSet<String>", "hash-set-string"),
    ] {
        let bits = bits(structure, "0");
        let line = format!("\n| `{name}` | {bits:.1} | {bits:.1} | ");
        assert!(readme.contains(&line), "{line}");
    }
    // Megabytes of ten million keys.
    let megabytes = |structure, asked| bits(structure, asked) * 10.0 / 8.0;
    let sentence = format!(
        "`HashSet<String>` takes {:.0} MB, and the Bloom filter {:.0} MB at 0.01 %.",
        megabytes("hash-set-string", "0"),
        megabytes("bloom", "0.0001")
    );
    let words: Vec<&str> = readme.split_whitespace().collect();
    assert!(words.join(" ").contains(&sentence), "{sentence}");
}

#[test]
fn tables_of_the_frontier_in_which_policy() {
    let rows = rows(&frontier::SUITE, "frontier/batches.csv");
    let tables = frontier::SUITE.summary.text(&rows);
    let page = include_str!("../../../filter-formats/WHICH.md");
    assert!(
        page.contains(&tables),
        "the tables in crates/filter-formats/WHICH.md are not those of the run:\n{tables}"
    );
}

/// The computed rate of LevelDB's format equals the rate measured with an ideal hash, within the noise of the count and
/// 3 %; filters of few keys and many bits have more absent keys that the arithmetic neglects.
#[test]
fn rates_of_leveldb() {
    let rows = rows(&rates::SUITE, "rates/batches.csv");
    let leveldb =
        |row: &&Row| row.case.get("scheme") == "leveldb" && row.case.get("key_form") == "random-decimals";
    let said = |bits, keys| Format::LevelDb.rate(keys, BitsPerKey::whole(bits)).unwrap();
    let mut compared = 0;
    for row in rows
        .iter()
        .filter(leveldb)
        .filter(|row| row.case.contender == IDEAL)
    {
        let (keys, bits) = (row.case.count("keys"), row.case.count("bits_per_key") as u32);
        // Rarer rates and longer filters take a second or more each.
        if row.value < 1e-3 && (keys, bits) != (1000, 20) || keys > 1_000_000 {
            continue;
        }
        let said = said(bits, keys);
        // The record agrees with the calculator.
        let expected = row.case.number("expected");
        assert!((expected / said - 1.0).abs() < 1e-8, "{said}: {row:?}");
        let chance = 3.0 / (row.value * row.calls as f64).sqrt();
        let neglected = if keys == 32 && bits > 12 { 0.2 } else { 0.03 };
        assert!(
            (row.value / said - 1.0).abs() < neglected + chance,
            "{said}: {row:?}"
        );
        compared += 1;
    }
    assert!(compared > 40, "{compared} rows");

    // Rare rates, of which four sound functions are pooled: the limit is three standard deviations, 9 to 18 % at 20 to
    // 24 bits per key.
    let sound = [IDEAL, "BloomFilter2", "XXH3", LEVELDB];
    for bits in [20, 22, 24] {
        let pooled = rows.iter().filter(leveldb).filter(|row| {
            let (keys, of_row) = (row.case.count("keys"), row.case.count("bits_per_key"));
            sound.contains(&&*row.case.contender) && (keys, of_row) == (1000, u64::from(bits))
        });
        let (matches, probes) = pooled.fold((0.0, 0.0), |(matches, probes), row| {
            (matches + row.value * row.calls as f64, probes + row.calls as f64)
        });
        let said = said(bits, 1000);
        assert!(said < 1e-4 && probes > 1e7, "{said} {probes}");
        let noise = (1.0 / matches).sqrt();
        assert!(
            (matches / probes / said - 1.0).abs() < 3.0 * noise,
            "{bits} bits: {matches} of {probes}, {said} expected"
        );
    }
}
