//! Tests that the committed records can be read.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use bench::folder::{Bench, KIND};
use bench::record::Row;
use bench::suite::Suite;
use bench::suites::{equal_rate, membership, point_reads, policy, rates, redis};
use filter_policy::BitsPerKey;
use filter_policy::formats;
use records::document::{self, RUN};
use records::file::checksum;
use records::table;

fn reference(folder: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/reference");
    root.join(folder)
}

/// Returns the committed rows of a suite.
fn rows(folder: &str, suite: &Suite) -> Vec<Row> {
    let path = reference(folder).join(format!("{}.csv", suite.rows));
    let bytes = fs::read(&path).unwrap();
    let columns = suite.columns(Row::COLUMNS);
    let row = |line: &csv::StringRecord| {
        let fields: Vec<&str> = line.iter().collect();
        let ([contender, task], rest) = fields.split_first_chunk().unwrap();
        let (values, figures) = rest.split_at(suite.parameters.len());
        let [rounds, calls, unit, value, mad, ratios @ ..] = figures else {
            panic!("{line:?}");
        };
        let values: Vec<&dyn Display> = values.iter().map(|value| value as _).collect();
        let number = |field: &str| field.parse::<f64>().unwrap();
        let ratio = |index: usize| Some(ratios[index]).filter(|field| !field.is_empty()).map(number);
        Ok(Row {
            case: suite.case(contender, task, &values),
            rounds: rounds.parse().unwrap(),
            calls: calls.parse().unwrap(),
            unit: (*unit).to_owned(),
            value: number(value),
            mad: number(mad),
            ratio: ratio(0),
            ratio_low: ratio(1),
            ratio_high: ratio(2),
        })
    };
    let rows = table::parse_lines(&path, &columns, &bytes, row).unwrap();
    assert!(table::lines(&columns, &rows) == bytes);
    rows
}

/// Checks that a committed run is whole, and that its tables fit a terminal.
fn check(folder: &str, suite: &Suite) {
    let rows = rows(folder, suite);
    let folder = reference(folder);
    // A new run may replace the folder.
    let bench: Bench = document::read(&folder.join(RUN)).unwrap();
    let is_ours = |name: &String| name == RUN || (KIND.records)().contains(&&**name);
    assert!(bench.checksums.keys().all(is_ours));
    // A clone has no batches. To commit a run, remove their line from run.json, and compute its checksum anew.
    assert!(
        !bench.checksums.contains_key("batches.csv"),
        "{}",
        folder.display()
    );
    for (name, sum) in bench.checksums.iter().filter(|(name, _)| *name != RUN) {
        assert_eq!(checksum(&fs::read(folder.join(name)).unwrap()), *sum, "{name}");
    }
    for line in suite.summary.text(suite, &rows).lines() {
        // Tables for a page may be of any width.
        assert!(line.starts_with('|') || line.chars().count() <= 110, "{line}");
    }
}

#[test]
fn committed_runs_are_whole() {
    // Records of two processors; the second has AVX2 only.
    for (folder, suite) in [
        ("membership", &membership::SUITE),
        ("membership-avx2", &membership::SUITE),
        ("point-reads", &point_reads::SUITE),
        ("point-reads/slatedb", &point_reads::SUITE),
        ("policy", &policy::SUITE),
        ("policy-avx2", &policy::SUITE),
        ("policy-avx2/equal-rate", &equal_rate::SUITE),
        ("policy-avx2/parquet", &policy::SUITE),
        ("policy/binary-fuse", &policy::SUITE),
        ("policy/equal-rate", &equal_rate::SUITE),
        ("policy/parquet", &policy::SUITE),
        ("policy/split-blocks", &policy::SUITE),
        ("redis", &redis::SUITE),
        ("redis-avx2", &redis::SUITE),
        ("rates", &rates::SUITE),
    ] {
        check(folder, suite);
    }
}

/// The computed rate of LevelDB's format is that of three sound hash functions together, also where it is rare. Other tests
/// count up to 15 bits per key.
#[test]
fn rates_of_leveldb() {
    const SOUND: [&str; 3] = [rates::IDEAL, "BloomFilter2", "leveldb.BuiltinBloomFilter2"];
    let rows = rows("rates", &rates::SUITE);
    for bits in [10_u32, 16, 18, 20, 22, 24] {
        let sound = rows.iter().filter(|row| {
            let case = &row.case;
            SOUND.contains(&&*case.contender)
                && case.count("keys") == 1000
                && case.count("bits_per_key") == u64::from(bits)
        });
        let said = formats::LEVEL_DB
            .expected_rate(1000, BitsPerKey::whole(bits))
            .unwrap();
        let (mut matches, mut probes) = (0.0, 0.0);
        for row in sound {
            // The rows keep the rate that was computed when they were counted.
            let expected = row.case.number("expected");
            assert!((expected / said - 1.0).abs() < 0.06, "{said}: {row:?}");
            matches += row.value * row.calls as f64;
            probes += row.calls as f64;
        }
        // Three standard deviations, and the error of the computation.
        let noise = 3.0 / f64::sqrt(matches) + 0.05;
        assert!(probes >= 3e6, "{bits} bits: {probes} probes");
        assert!(
            (matches / probes / said - 1.0).abs() < noise,
            "{bits} bits: {matches} of {probes}, {said} expected"
        );
    }
}
