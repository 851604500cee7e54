//! Deterministic results compared with an earlier run.

use crate::advice::baseline::tests::*;

#[test]
fn runs_of_two_machines_are_compared_without_times() {
    let before = measured();
    let mut now = before.clone();
    now.run.environment.cpu = "another".to_owned();
    let baseline = hold_against(&before, Path::new("b"), &now);
    assert!(baseline.times.is_none());
    assert!(
        baseline.notes.iter().any(|note| note.contains("processor")),
        "{:?}",
        baseline.notes
    );
    assert_eq!(baseline.different_fields, 0);
    assert!(baseline.compared_rows > 500);
}

#[test]
fn every_field_that_differs_is_named() {
    let before = measured();
    let mut now = before.clone();
    now.collisions[0].collisions += 1;
    now.false_positives[1].false_positives += 1;
    let baseline = hold_against(&before, Path::new("b"), &now);
    assert_eq!(baseline.different_fields, 2);
    let first = &baseline.differences[0];
    assert_eq!(
        (
            first.file.as_str(),
            first.column.as_str(),
            first.question.as_str()
        ),
        ("collisions.csv", "collisions", "bits 32")
    );
    let was = before.collisions[0].collisions;
    assert_eq!(
        (&first.before, &first.now),
        (&was.to_string(), &(was + 1).to_string())
    );
    assert_eq!(baseline.differences[1].file, "false_positives.csv");

    for row in &mut now.collisions {
        row.band_high += 1.0;
    }
    assert!(hold_against(&before, Path::new("b"), &now).different_fields > 50);
    // With other functions in the run, the number of tests and the bands differ.
    let gone = now.run.functions.pop().unwrap().name;
    now.collisions.retain(|row| row.function != gone);
    for row in &mut now.mechanisms {
        row.parameter += 1;
    }
    let baseline = hold_against(&before, Path::new("b"), &now);
    assert_eq!(baseline.different_fields, 2);
    assert!(
        baseline
            .notes
            .contains(&format!("Only in the earlier run: {gone}."))
    );
}

#[test]
fn rows_that_only_one_run_has_are_told() {
    let before = measured();
    let mut now = before.clone();
    let windows = now.windows.len();
    now.collisions.pop();
    now.windows.clear();
    now.mixing[0].key_bytes = 99;
    // One test fewer, so the bands of the others change.
    now.collisions[0].band_high += 1.0;
    now.distribution[0].statistic += 1.0;
    let baseline = hold_against(&before, Path::new("b"), &now);
    let expected = [
        "collisions.csv: 1 row is only in the earlier run and not compared.".to_owned(),
        format!(
            "windows.csv: {} rows are only in the earlier run and not compared.",
            grouped(windows as u64)
        ),
        "mixing.csv: 1 row is only in this run and not compared.".to_owned(),
        "mixing.csv: 1 row is only in the earlier run and not compared.".to_owned(),
    ];
    let notes: Vec<&String> = baseline
        .notes
        .iter()
        .filter(|note| note.contains(".csv: "))
        .collect();
    assert_eq!(notes, expected.iter().collect::<Vec<_>>());
    let found: Vec<&str> = baseline
        .differences
        .iter()
        .map(|one| one.column.as_str())
        .collect();
    assert_eq!(found, ["statistic"]);
    let sentence = &words::sentences(&baseline)[0];
    assert!(
        sentence.contains("1 field differs in the") && sentence.contains("distribution.csv: keys, "),
        "{sentence}"
    );
}

#[test]
fn rows_without_a_dataset_leave_no_gap_in_the_sentence() {
    let before = measured();
    let mut now = before.clone();
    now.structured[0].collisions += 1;
    let sentence = &words::sentences(&hold_against(&before, Path::new("b"), &now))[0];
    assert!(
        sentence.contains("The first is in structured.csv: ") && !sentence.contains(": , "),
        "{sentence}"
    );
}

#[test]
fn a_file_that_an_earlier_program_did_not_know_is_told() {
    let now = measured();
    let baseline = hold_against(&of_fewer_files(&now), Path::new("b"), &now);
    let told: Vec<&String> = baseline
        .notes
        .iter()
        .filter(|note| note.contains(".csv"))
        .collect();
    let rows = grouped(now.structured.len() as u64);
    assert_eq!(
        told,
        [&format!(
            "structured.csv: the earlier run has no such file, so {rows} rows of this run are not compared."
        )]
    );
    assert_eq!(baseline.different_fields, 0);
    assert!(baseline.compared_rows > 500);
    let times = baseline.times.unwrap();
    assert!(
        times
            .rows
            .iter()
            .all(|row| row.threshold > 0.9999 * crate::advice::times::LEAST_CHANGE)
    );
}

#[test]
fn other_keys_and_seeds_are_not_compared() {
    let before = measured();
    let mut now = before.clone();
    now.run.datasets[0].sha256 = String::new();
    now.collisions[0].collisions += 1;
    let baseline = hold_against(&before, Path::new("b"), &now);
    assert_eq!(baseline.different_fields, 0);
    assert!(baseline.times.is_some_and(|times| times.rows.is_empty()));
    let mut now = before.clone();
    now.run.seed = 2;
    now.collisions[0].collisions += 1;
    // The ideal hash depends on the seed like the functions.
    let mut rows = now.false_positives.iter_mut();
    rows.find(|row| row.function == IDEAL).unwrap().false_positives += 1;
    let baseline = hold_against(&before, Path::new("b"), &now);
    // Collisions do not depend on the seed.
    let found: Vec<&str> = baseline.differences.iter().map(|one| one.file.as_str()).collect();
    assert_eq!(found, ["collisions.csv"]);
    assert!(baseline.compared_rows > 500);
    let told = |text: &str| baseline.notes.iter().any(|note| note.contains(text));
    assert!(told("The seed was 1 and is 2.") && told("not compared: false_positives.csv, "));
}
