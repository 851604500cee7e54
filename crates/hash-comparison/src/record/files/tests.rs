//! Damaged records end in an error that names file, line, field, value and what is allowed.

use super::*;
use crate::progress::Silent;
use crate::record::{DatasetSummary, EMPTY, FunctionSummary, IDEAL};
use crate::run::compare::{self, Options};

/// The records of a run of one function on four keys, in `folder`.
fn written(folder: &Path) -> Records {
    run_on(folder, "one\ntwo\nthree\nfour\n", &["xxh3"])
}

/// The records of a run of two functions on `lines`, in `folder`.
fn written_on(folder: &Path, lines: &str) -> Records {
    run_on(folder, lines, &["xxh3", "pjw"])
}

fn numbered(count: u64) -> String {
    (0..count).map(|number| format!("key {number}\n")).collect()
}

fn run_on(folder: &Path, lines: &str, functions: &[&str]) -> Records {
    let keys = folder.join("keys.txt");
    std::fs::write(&keys, lines).unwrap();
    let functions: Vec<String> = functions.iter().map(|&name| name.to_owned()).collect();
    let options = Options::new(&[], &functions, vec![keys], 1, true).unwrap();
    let records = compare::run(&options, &Silent).unwrap();
    records.write(folder).unwrap();
    Records::read(folder).unwrap()
}

/// What reading says after `change`.
fn refused(folder: &Path, records: &Records, change: impl FnOnce(&mut Records)) -> String {
    let mut changed = records.clone();
    change(&mut changed);
    changed.write(folder).unwrap();
    Records::read(folder).unwrap_err().to_string()
}

#[test]
fn numbers_outside_their_ranges_are_refused() {
    type Change = fn(&mut Records);
    let cases: &[(Change, &str)] = &[
        (
            |r| r.collisions[0].bits = 0,
            "collisions.csv: line 2, field bits: 0 is not allowed, only 1 to 32",
        ),
        (|r| r.collisions[0].bits = u32::MAX, "field bits: 4294967295"),
        (
            |r| r.collisions[0].keys = u64::MAX,
            "field keys: 18446744073709551615",
        ),
        (
            |r| r.collisions[0].collisions = 5,
            "field collisions: 5 is not allowed, only 0 to 4",
        ),
        (|r| r.collisions[0].expected = -1.0, "field expected: -1.0"),
        (
            |r| r.collisions[0].p_value = 1e308,
            "field p_value: 1e308 is not allowed, only 0.0 to 1.0",
        ),
        (|r| r.collisions[0].ci_low = 1e9, "field ci_low"),
        (|r| r.collisions[0].ci_high = 1e300, "field ci_high"),
        (|r| r.collisions[0].band_low = -2.0, "field band_low"),
        (
            |r| r.collisions[0].band_high = f64::INFINITY,
            "field band_high: inf",
        ),
        (|r| r.collisions[0].p_adjusted = -0.5, "field p_adjusted"),
        (
            |r| r.timing[1].median_ns_per_key = -5.0,
            "timing.csv: line 3, field median_ns_per_key: -5.0",
        ),
        (
            |r| r.timing[1].mad_ns_per_key = 1.7e308,
            "field mad_ns_per_key: 1.7e308",
        ),
        (
            |r| r.latency[0].bytes = u64::MAX,
            "latency.csv: line 2, field bytes",
        ),
        (|r| r.latency[0].samples = u64::MAX, "field samples"),
        (
            |r| r.distribution[0].parameter = 32,
            "distribution.csv: line 2, field parameter: 32",
        ),
        (|r| r.distribution[0].statistic = 1.5, "field statistic: 1.5"),
        (|r| r.distribution[0].dof = 0, "field dof: 0"),
        (|r| r.distribution[0].p_value = f64::NAN, "field p_value: NaN"),
        (
            |r| r.false_positives[0].bits_per_key = 0,
            "false_positives.csv: line 2, field bits_per_key: 0",
        ),
        (
            |r| r.false_positives[0].false_positives = u64::MAX,
            "field false_positives",
        ),
        (
            |r| r.false_positives[0].rate = 1.7e308,
            "field rate: 1.7e308 is not allowed, only 0.0 to 1.0",
        ),
        (|r| r.false_positives[0].ci_high = 1.7e308, "field ci_high"),
        (|r| r.false_positives[0].theory = -0.1, "field theory"),
        (|r| r.false_positives[0].saved = 2.0, "field saved"),
        (
            |r| r.run.datasets[0].mean_len = -1.0,
            "run.json: field datasets[0].mean_len: -1.0",
        ),
        (
            |r| r.run.datasets[0].min_len = 9,
            "field datasets[0].min_len: 9 is not allowed, only 0 to 5",
        ),
        (
            |r| r.run.datasets[0].detectable_ratio = 1e300,
            "field datasets[0].detectable_ratio",
        ),
        (
            |r| r.run.functions[0].bits = 33,
            "field functions[0].bits: 33 is not allowed, only 1 to 32",
        ),
        (
            |r| r.run.functions[0].output_bits = 65,
            "field functions[0].output_bits: 65 is not allowed, only 32 to 64",
        ),
        (
            |r| r.run.functions[0].name = IDEAL.to_owned(),
            "field functions[0].name: \"ideal\"",
        ),
        (
            |r| r.run.findings[0].worst_bits = 0,
            "field findings[0].worst_bits: 0",
        ),
        (
            |r| r.run.findings[0].dataset = "other".to_owned(),
            "field findings[0].dataset: no dataset is called \"other\"",
        ),
        (
            |r| r.run.findings[0].function = "CRC-32".to_owned(),
            "field findings[0].function",
        ),
        (
            |r| r.run.environment.timing_seconds = Some(-1.0),
            "field environment.timing_seconds: -1.0",
        ),
        (
            |r| r.run.environment.seconds_waited_while_timing = Some(-2.0),
            "field environment.seconds_waited_while_timing: -2.0",
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    let records = written(folder.path());
    for (change, expected) in cases {
        let error = refused(folder.path(), &records, change);
        assert!(error.contains(expected), "{expected:?} is not in: {error}");
    }
}

#[test]
fn rows_that_repeat_or_do_not_belong_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let records = written(folder.path());
    let refused = |change: &dyn Fn(&mut Records)| refused(folder.path(), &records, change);

    let twice = refused(&|r| r.timing.extend_from_within(1..));
    assert!(
        twice.contains("timing.csv: line 4, keys, XXH3, the time: line 3 has said that already"),
        "{twice}"
    );
    let ideal = refused(&|r| r.timing[0].function = IDEAL.to_owned());
    assert!(
        ideal.contains("timing.csv: line 2, field function: run.json knows no function \"ideal\""),
        "{ideal}"
    );
    let empty = refused(&|r| r.collisions[0].function = EMPTY.to_owned());
    assert!(
        empty.contains("collisions.csv: line 2, field function"),
        "{empty}"
    );
    let empty = refused(&|r| r.false_positives[0].function = EMPTY.to_owned());
    assert!(
        empty.contains("false_positives.csv: line 2, field function"),
        "{empty}"
    );
    let finding = refused(&|r| r.run.findings.extend_from_within(..));
    assert!(
        finding.contains("findings[1]: a second finding on keys and XXH3"),
        "{finding}"
    );
    let dataset = refused(&|r| r.run.datasets.extend_from_within(..));
    assert!(
        dataset.contains("field datasets[1].name: \"keys\" is there twice"),
        "{dataset}"
    );
}

#[test]
fn more_than_charts_have_room_for_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let records = written(folder.path());
    let refused = |change: &dyn Fn(&mut Records)| refused(folder.path(), &records, change);

    let widths = refused(&|r| {
        r.collisions = (1..=9)
            .map(|bits| CollisionRow {
                bits,
                ..r.collisions[0].clone()
            })
            .collect();
    });
    assert!(
        widths.contains("collisions.csv: line 10, 9 bits: more columns than the 8"),
        "{widths}"
    );
    let functions = refused(&|r| {
        r.run.functions = (0..=MOST_FUNCTIONS)
            .map(|index| FunctionSummary {
                name: format!("F{index}"),
                ..r.run.functions[0].clone()
            })
            .collect();
    });
    assert!(
        functions.contains("run.json: field functions: more than 64"),
        "{functions}"
    );
    let datasets = refused(&|r| {
        r.run.datasets = (0..=MOST_DATASETS)
            .map(|index| DatasetSummary {
                name: format!("D{index}"),
                ..r.run.datasets[0].clone()
            })
            .collect();
    });
    assert!(
        datasets.contains("run.json: field datasets: more than 64"),
        "{datasets}"
    );
}

#[test]
fn every_row_that_is_missing_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let records = written_on(folder.path(), &numbered(100));
    let without = |file: &str, index: usize| {
        let mut changed = records.clone();
        match file {
            COLLISIONS => drop(changed.collisions.remove(index)),
            TIMING => drop(changed.timing.remove(index)),
            LATENCY => drop(changed.latency.remove(index)),
            DISTRIBUTION => drop(changed.distribution.remove(index)),
            FALSE_POSITIVES => drop(changed.false_positives.remove(index)),
            _ => drop(changed.run.findings.remove(index)),
        }
        changed.write(folder.path()).unwrap();
        Records::read(folder.path()).unwrap_err().to_string()
    };
    for (file, count) in [
        (COLLISIONS, records.collisions.len()),
        (TIMING, records.timing.len()),
        (LATENCY, records.latency.len()),
        (DISTRIBUTION, records.distribution.len()),
        (FALSE_POSITIVES, records.false_positives.len()),
        (RUN, records.run.findings.len()),
    ] {
        for index in 0..count {
            let error = without(file, index);
            assert!(
                error.contains(&format!("{file}: the ")) && error.ends_with(" is missing"),
                "{error}"
            );
        }
    }
    assert!(without(COLLISIONS, 1).ends_with("collisions.csv: the row keys, XXH3, 24 bits is missing"));
}

#[test]
fn runs_on_any_number_of_keys_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    for keys in [1, 2, 3, 9, 10, 1_000] {
        assert_eq!(
            written_on(folder.path(), &numbered(keys)).run.datasets[0].keys,
            keys
        );
    }
}
