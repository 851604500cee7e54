//! Tests that the committed records can be read, computed again from the committed batches, and drawn.
//!
//! `BENCH_REDRAW=1 cargo test` rewrites the charts whose drawing has changed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use bench_kit::suites::memory::{Memory, Structure};
use bench_kit::suites::rates::{IDEAL, KeyForm, LEVELDB, Rate, Scheme};
use bench_kit::suites::{instructions, membership, memory, point_reads, policy, rates, redis, which};
use bench_kit::{Bench, Chart, Folder, MARKER, Suite};
use filter_formats::sizing::Format;
use filter_policy::BitsPerKey;
use records::table::{self, Row};

fn reference(folder: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../reports/reference");
    root.join(folder)
}

/// Checks the record and the charts of a suite.
fn check<B: Row, R: Row + 'static>(folder: &str, suite: &Suite<B, R>) {
    let (folder, format) = (reference(folder), suite.format);
    // A new run may replace the folder.
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
            "{}: the drawing has changed; run `BENCH_REDRAW=1 cargo test` to update it",
            path.display()
        );
    }
    for line in (suite.summary)(&rows).lines() {
        // Tables for a page may be of any width.
        assert!(line.starts_with('|') || line.chars().count() <= 110, "{line}");
    }
}

#[test]
fn membership() {
    check("membership", &membership::SUITE);
    check("membership-avx2", &membership::SUITE);
}

#[test]
fn memory() {
    check("memory", &memory::SUITE);
}

/// The table under "Which one" in the README of membership-filters.
#[test]
fn memory_in_the_readme() {
    use Structure::{Blocked, Bloom, ConcurrentBloom, Counting, Cuckoo, Growing, HashSetString, HashSetU64};
    let rows: Vec<Memory> = table::read(&reference("memory").join("memory.csv")).unwrap();
    let row = |structure, asked| {
        let is_it = |row: &&Memory| row.structure == structure && row.asked_rate == asked;
        let row = rows.iter().find(is_it).unwrap();
        assert_eq!(row.keys, 10_000_000);
        row
    };
    let readme = include_str!("../../../membership-filters/README.md");
    for (name, structure) in [
        ("BloomFilter", Bloom),
        ("ConcurrentBloomFilter", ConcurrentBloom),
        ("CountingBloomFilter", Counting),
        ("CuckooFilter", Cuckoo),
        ("GrowingBloomFilter", Growing),
        ("BlockedBloomFilter", Blocked),
    ] {
        let (percent, basis_point) = (row(structure, Some(0.01)), row(structure, Some(0.0001)));
        let line = format!(
            "\n| `{name}` | {:.1} ({:.2} %) | {:.1} ({:.4} %) | ",
            percent.allocated_bits_per_key,
            percent.rate * 100.0,
            basis_point.allocated_bits_per_key,
            basis_point.rate * 100.0
        );
        assert!(readme.contains(&line), "{line}");
    }
    for (name, structure) in [("HashSet<u64>", HashSetU64), ("HashSet<String>", HashSetString)] {
        let bits = row(structure, None).allocated_bits_per_key;
        let line = format!("\n| `{name}` | {bits:.1} | {bits:.1} | ");
        assert!(readme.contains(&line), "{line}");
    }
    // Megabytes of ten million keys.
    let megabytes = |row: &Memory| row.allocated_bits_per_key * 10.0 / 8.0;
    let sentence = format!(
        "`HashSet<String>` takes {:.0} MB, and the Bloom filter {:.0} MB at 0.01 %.",
        megabytes(row(HashSetString, None)),
        megabytes(row(Bloom, Some(0.0001)))
    );
    let words: Vec<&str> = readme.split_whitespace().collect();
    assert!(words.join(" ").contains(&sentence), "{sentence}");
}

#[test]
fn point_reads() {
    check("point-reads", &point_reads::SUITE);
}

#[test]
fn point_reads_of_slatedb() {
    check("point-reads/slatedb", &point_reads::SUITE);
}

#[test]
fn searches_of_a_parquet_file() {
    check("point-reads/parquet", &point_reads::SUITE);
}

/// Records of two processors; the second has AVX2 only.
#[test]
fn policy_of_leveldb() {
    check("policy", &policy::LEVELDB);
    check("policy-avx2", &policy::LEVELDB);
}

#[test]
fn policy_of_rocksdb() {
    check("policy/rocksdb", &policy::ROCKSDB);
    check("policy-avx2/rocksdb", &policy::ROCKSDB);
}

#[test]
fn policy_of_parquet() {
    check("policy-avx2/parquet", &policy::PARQUET);
}

#[test]
fn every_policy() {
    check("policy/which", &which::SUITE);
    check("policy-avx2/which", &which::SUITE);
}

#[test]
fn redis() {
    check("redis", &redis::SUITE);
    check("redis-avx2", &redis::SUITE);
}

#[test]
fn rates() {
    check("rates", &rates::SUITE);
}

/// The computed rate of LevelDB's format equals the rate measured with an ideal hash, within the noise of the count and
/// 3 %; filters of few keys and many bits have more absent keys that the arithmetic neglects.
#[test]
fn rates_of_leveldb() {
    let rows: Vec<Rate> = table::read(&reference("rates").join("rates.csv")).unwrap();
    let leveldb = |row: &&Rate| row.scheme == Scheme::Leveldb && row.key_form == KeyForm::RandomDecimals;
    let said = |bits, keys| Format::LevelDb.rate(keys, BitsPerKey::whole(bits)).unwrap();
    let mut compared = 0;
    for row in rows.iter().filter(leveldb).filter(|row| row.series == IDEAL) {
        // Rarer rates and longer filters take a second or more each.
        if row.rate < 1e-3 && (row.keys, row.bits_per_key) != (1000, 20) || row.keys > 1_000_000 {
            continue;
        }
        let said = said(row.bits_per_key, row.keys);
        // The record agrees with the calculator.
        assert!((row.expected / said - 1.0).abs() < 1e-8, "{said}: {row:?}");
        let chance = 3.0 / (row.false_positives as f64).sqrt();
        let neglected = if row.keys == 32 && row.bits_per_key > 12 {
            0.2
        } else {
            0.03
        };
        assert!(
            (row.rate / said - 1.0).abs() < neglected + chance,
            "{said}: {row:?}"
        );
        compared += 1;
    }
    assert!(compared > 40, "{compared} rows");

    // Rare rates, of which four sound functions are pooled: the limit is three standard deviations, 9 to 18 % at 20 to
    // 24 bits per key.
    let sound = [IDEAL, "BloomFilter2", "XXH3", LEVELDB];
    for bits in [20, 22, 24] {
        let pooled = rows
            .iter()
            .filter(leveldb)
            .filter(|row| sound.contains(&&*row.series) && row.keys == 1000 && row.bits_per_key == bits);
        let (matches, probes) = pooled.fold((0.0, 0.0), |(matches, probes), row| {
            (matches + row.false_positives as f64, probes + row.probes as f64)
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

#[test]
fn instructions() {
    check("instructions", &instructions::SUITE);
}
