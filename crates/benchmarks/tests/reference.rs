//! Tests that the committed records can be read.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use bench::folder::{self, Bench, KIND};
use bench::record::Row;
use bench::suite::Suite;
use bench::suites::{equal_rate, membership, point_reads, policy, ranges, rates, redis};
use filter_policy::formats;
use filter_policy::{BinaryFusePolicy, BitsPerKey, SplitBlockPolicy};
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
    let charts = folder::charts(suite, &rows);
    for (name, bytes) in &charts {
        assert!(fs::read(folder.join(name)).unwrap() == *bytes, "{name}");
    }
    let is_ours = |name: &String| {
        let is_chart = charts.iter().any(|(chart, _)| chart == name);
        name == RUN || is_chart || (KIND.records)().contains(&&**name)
    };
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
        ("ranges", &ranges::RATES),
        ("ranges/requests", &ranges::REQUESTS),
        ("ranges/times", &ranges::TIMES),
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

/// The lowest and the highest of some ratios.
fn range(ratios: impl Iterator<Item = f64>) -> (f64, f64) {
    ratios.fold((f64::INFINITY, 0.0), |(low, high), ratio| {
        (low.min(ratio), high.max(ratio))
    })
}

/// Returns how many times as fast as its baseline a contender does a task in a form of calls.
fn gain(rows: &[Row], ours: &str, task: &str, form: &str) -> (f64, f64) {
    let is_meant = |row: &&Row| {
        let case = &row.case;
        case.contender == ours && case.task == task && case.get("form") == form && is_shown(row)
    };
    range(rows.iter().filter(is_meant).map(|row| 1.0 / row.over_baseline()))
}

/// Returns the value of a peer divided by that of a contender, of filters for 1 % with equal keys.
fn ratio_for_rate(rows: &[Row], peer: (&str, &str), ours: (&str, &str)) -> (f64, f64) {
    let of = |(name, task)| move |row: &&Row| row.case.contender == name && row.case.task == task;
    let keys =
        |row: &Row| ["key_lengths", "filter_keys", "rate"].map(|column| row.case.get(column).to_owned());
    let is_meant = |row: &&Row| row.case.get("rate") == "0.01" && is_shown(row);
    let ratio = |row: &Row| {
        let mut peers = rows.iter().filter(of(peer));
        peers.find(|peer| keys(peer) == keys(row)).unwrap().value / row.value
    };
    range(rows.iter().filter(of(ours)).filter(is_meant).map(ratio))
}

/// Returns true for the filters of the front page.
fn is_shown(row: &Row) -> bool {
    row.case.count("filter_keys") <= 1_000_000
}

/// Returns the lines of the table on the front page.
fn recorded_table() -> Vec<String> {
    let line = |peer: &str, ours: &str, version: &str, gains: [(f64, f64); 4]| {
        let cells = gains.map(|(low, high)| format!("{low:.1} to {high:.1}"));
        format!("| {peer} {version} | `{ours}` | {} |", cells.join(" | "))
    };
    let version = |rows: &[Row], peer: &str| {
        let mut peers = rows.iter().filter(|row| row.case.contender == peer);
        peers.next().unwrap().case.get("version").to_owned()
    };
    // LevelDB's policy examines a filter in each call, and others keep it prepared.
    let mut recorded = [
        (
            "LevelDB",
            "BloomFilterPolicy",
            "policy",
            "leveldb",
            "avx512",
            "one-by-one",
        ),
        (
            "arrow-rs",
            "ParquetPolicy",
            "policy/parquet",
            "arrow-rs",
            "default",
            "prepared",
        ),
        (
            "`xorf`",
            "BinaryFusePolicy",
            "policy/binary-fuse",
            "xorf",
            "default",
            "prepared",
        ),
    ]
    .map(|(name, kind, folder, peer, ours, form)| {
        let rows = rows(folder, &policy::SUITE);
        let tasks = [
            ("build", "slices"),
            ("absent", form),
            ("present", form),
            ("absent", "slices"),
        ];
        let gains = tasks.map(|(task, form)| gain(&rows, ours, task, form));
        line(name, kind, &version(&rows, peer), gains)
    })
    .to_vec();
    let equal_rate = rows("policy/equal-rate", &equal_rate::SUITE);
    let split_blocks = SplitBlockPolicy::NAME;
    let tasks = [
        ("build", "build"),
        ("absent", "absent"),
        ("present", "present"),
        ("absent", "many"),
    ];
    let gains =
        tasks.map(|(peer, ours)| ratio_for_rate(&equal_rate, ("fastbloom", peer), (split_blocks, ours)));
    let fastbloom = version(&equal_rate, "fastbloom");
    recorded.push(line("`fastbloom`", "SplitBlockPolicy", &fastbloom, gains));
    recorded
}

/// The table of speed on the front page, and the sentences below it, are what the records say.
#[test]
fn front_page_has_the_recorded_speed() {
    let page = fs::read_to_string(reference("../../README.md")).unwrap();
    let is_line = |line: &&str| line.starts_with('|');
    let lines = page
        .lines()
        .skip_while(|line| !line.starts_with("| compared with"));
    // Without the heading and the line below it.
    let shown: Vec<&str> = lines.take_while(is_line).skip(2).collect();

    assert_eq!(shown, recorded_table());

    let (equal_rate, split_blocks) = (
        rows("policy/equal-rate", &equal_rate::SUITE),
        SplitBlockPolicy::NAME,
    );
    let words: Vec<&str> = page.split_whitespace().collect();
    let text = words.join(" ");
    let says = |sentence: String| assert!(text.contains(&sentence), "{sentence}");
    for folder in [
        "policy",
        "policy/parquet",
        "policy/binary-fuse",
        "policy/equal-rate",
    ] {
        let bench: Bench = document::read(&reference(folder).join(RUN)).unwrap();
        says(format!(
            "on one thread of an {}, which has AVX-512",
            bench.environment.cpu
        ));
    }
    let sizes = ratio_for_rate(&equal_rate, ("fastbloom", "size"), (split_blocks, "size"));
    let larger = [sizes.1, sizes.0].map(|size| 100.0 / size - 100.0);
    says(format!("{:.0} to {:.0} % larger", larger[0], larger[1]));

    let single = ["absent", "present"];
    let parquet = rows("policy-avx2/parquet", &policy::SUITE);
    let parquet = single.map(|task| gain(&parquet, "avx2", task, "prepared").0);
    let fuse = rows("policy-avx2/equal-rate", &equal_rate::SUITE);
    let fuse = single.map(|task| ratio_for_rate(&fuse, ("xorf", task), (BinaryFusePolicy::NAME, task)).0);
    let slower = |lowest: [f64; 2]| 1.0 / lowest[0].min(lowest[1]);
    says(format!(
        "up to {:.1} times as long as with arrow-rs and up to {:.1} times as long as with `xorf`",
        slower(parquet),
        slower(fuse)
    ));
}
