//! A keyed hash is accused no more often than claimed, and not much less often.

use std::collections::BTreeSet;
use std::path::Path;

use super::*;
use hash_comparison::advice::calibration::COMMITTED;
use hash_comparison::keys::Recipe;
use hash_comparison::questions::filters::{against_ideal, spread};
use hash_comparison::record::DatasetKind;
use records::table;
use statistics::binomial;

/// Returns a small plan that covers every question.
fn little(seeds: u64) -> Plan {
    let mut structured = structured::datasets(DEFAULT_SEED);
    structured.retain(|set| ["sparse-16", "zeroes", "short"].contains(&set.summary.name.as_str()));
    Plan {
        seeds,
        datasets: vec![load_embedded("video-ids", 1).unwrap()],
        structured,
        effort: (&[4, 8], 4),
    }
}

/// Number of rows: 27 for hashes as tables and filters use them, 26 widths of windows, 4 of mixing, 2 runs of these.
const ROWS: usize = 27 + 26 + 4 + 2;

fn committed() -> Vec<CalibrationRow> {
    table::parse(Path::new("calibration.csv"), COMMITTED.as_bytes()).unwrap()
}

/// A small version of the committed calibration; or the whole, which takes minutes and writes the file anew.
#[test]
fn a_keyed_hash_is_not_accused_more_often_than_stated() {
    let is_whole = std::env::var_os("UPDATE_CALIBRATION").is_some();
    let plan = if is_whole { Plan::full() } else { little(20) };
    let rows = measure(keyed, &plan);
    assert_eq!(rows.len(), ROWS, "{rows:#?}");
    let names = |rows: Vec<CalibrationRow>| -> BTreeSet<[String; 2]> {
        rows.into_iter().map(|row| [row.test, row.question]).collect()
    };
    assert_eq!(names(rows.clone()), names(committed()));
    for row in &rows {
        assert!(row.holds, "{row:?}");
        assert!(row.attainable <= row.level * 1.000_001, "{row:?}");
    }
    // The tests are not too lenient either.
    let single = |row: &&CalibrationRow| row.test != alarms::RUN && row.test != "false_positives";
    let sum = |of: fn(&CalibrationRow) -> f64| rows.iter().filter(single).map(of).sum::<f64>();
    let (alarms, expected) = (
        sum(|row| row.alarms as f64),
        sum(|row| row.attainable * row.trials as f64),
    );
    assert!(alarms > 0.7 * expected, "{alarms} of {expected}");
    if is_whole {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("embedded/calibration.csv");
        std::fs::write(&path, table::to_bytes(&rows)).unwrap();
    }
}

#[test]
fn the_committed_calibration_is_whole_and_holds() {
    let rows = committed();
    let stale = "embedded/calibration.csv: `UPDATE_CALIBRATION=1 cargo test --release -p hash-comparison --test all calibration` writes it";
    assert_eq!(rows.len(), ROWS, "{stale}");
    for row in &rows {
        assert!(row.holds && row.level == LEVEL, "{row:?}");
        // The law is not too lenient either, except for false positives, whose variance estimate is generous.
        assert!(
            row.attainable <= row.ci_high || row.test == "false_positives",
            "{row:?}"
        );
    }
}

/// With few keys, the luck of a single filter matters most, and false positives of two-fold filters come in pairs.
#[test]
fn a_keyed_hash_is_not_accused_on_few_keys() {
    let ids = |count: usize| Dataset::of("ids", Recipe::DistinctBelow1e9.keys(1, count));
    let mut generated = ids(4_000);
    generated.recipe = Some(Recipe::DistinctBelow1e9);
    generated.summary.kind = DatasetKind::Generated;
    for (dataset, seeds) in [(ids(2), 3_000), (ids(20), 500), (ids(102), 500), (generated, 100)] {
        let plan = Plan {
            seeds,
            datasets: vec![dataset],
            structured: Vec::new(),
            effort: (&[], 1),
        };
        let rows = measure(keyed, &plan);
        assert!(rows.len() > 3 && rows.iter().all(|row| row.holds), "{rows:#?}");
    }
}

/// The mark of figures that are better than chance is as rare as an alarm.
#[test]
fn a_keyed_hash_is_not_called_better_more_often_than_stated() {
    const SEEDS: u64 = 200;
    let dataset = Dataset::of("ids", Recipe::DistinctBelow1e9.keys(1, 2_000));
    let function = Function::custom("keyed", 64, keyed, &[]);
    let run = Run {
        datasets: vec![dataset.summary.clone()],
        functions: vec![function.facts.clone()],
        ..Run::default()
    };
    let prepared = [Prepared::new(&dataset)];
    let is_better = |seed: &u64| {
        KEY.set((*seed, 7));
        let records = tests_of::judged(&function, &run, &prepared, &[], (&[], 1));
        let mut compared = against_ideal(&records.near_sizes, &dataset.summary, "keyed", spread);
        compared.any(|one| one.p_fewer_adjusted < LEVEL)
    };
    let better = (1..=SEEDS).filter(is_better).count() as u64;
    let (at_least, _) = binomial::proportion_interval(better, SEEDS, 0.99);
    assert!(at_least <= LEVEL, "{better} of {SEEDS}");
}
