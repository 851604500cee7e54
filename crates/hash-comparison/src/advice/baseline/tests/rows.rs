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
    assert!(baseline.differences.is_empty());
    assert!(baseline.compared_rows > 500);
}

#[test]
fn every_file_that_differs_is_named() {
    let before = measured();
    let mut now = before.clone();
    now.collisions[0].collisions += 1;
    now.false_positives[1].false_positives += 1;
    now.structured[0].collisions += 1;
    let differences = hold_against(&before, Path::new("b"), &now).differences;
    assert_eq!(differences.len(), 3);
    let (was, rows) = (before.collisions[0].collisions, before.collisions.len());
    let (set, function) = (&now.collisions[0].dataset, &now.collisions[0].function);
    assert_eq!(
        differences[0],
        format!(
            "collisions.csv: 1 of {rows} rows differ, which they must not. The first: {set}, {function}, bits 32: collisions \
             was {was} and is {}.",
            was + 1
        )
    );
    assert!(differences[1].starts_with("false_positives.csv: 1 of "));
    // Rows about no dataset leave no gap.
    let expected = format!("The first: set {}, ", now.structured[0].set);
    assert!(differences[2].contains(&expected), "{differences:?}");
    now.structured.clone_from(&before.structured);

    for row in &mut now.collisions {
        row.band_high += 1.0;
    }
    let differences = hold_against(&before, Path::new("b"), &now).differences;
    assert!(
        differences[0].contains(&format!("{rows} of {rows} rows")),
        "{differences:?}"
    );
    // With other functions in the run, the number of tests and the bands differ.
    let gone = now.run.functions.pop().unwrap().name;
    now.collisions.retain(|row| row.function != gone);
    for row in &mut now.mechanisms {
        row.parameter += 1;
    }
    let baseline = hold_against(&before, Path::new("b"), &now);
    assert_eq!(baseline.differences.len(), 2);
    assert!(baseline.differences[0].contains("collisions.csv: 1 of "));
    let gone = format!("Only in the earlier run: {gone}.");
    assert_eq!(baseline.notes, [gone]);
    assert_eq!(words::sentences(&baseline)[..2], baseline.differences);
}

#[test]
fn rows_that_only_one_run_has_are_told() {
    let before = measured();
    let mut now = before.clone();
    now.collisions.pop();
    now.windows.clear();
    now.mixing[0].key_bytes = 99;
    // One test fewer, so the bands of the others change.
    now.collisions[0].band_high += 1.0;
    now.distribution[0].statistic += 1.0;
    let baseline = hold_against(&before, Path::new("b"), &now);
    let windows = grouped(before.windows.len() as u64);
    let expected = [
        "collisions.csv: 1 row of only one run, not compared.".to_owned(),
        format!("windows.csv: {windows} rows of only one run, not compared."),
        "mixing.csv: 2 rows of only one run, not compared.".to_owned(),
    ];
    assert_eq!(baseline.notes, expected);
    let found = &baseline.differences;
    assert!(
        found.len() == 1
            && found[0].starts_with("distribution.csv: 1 of ")
            && found[0].contains(": statistic was "),
        "{found:?}"
    );
}

#[test]
fn a_file_that_an_earlier_program_did_not_know_is_told() {
    let now = measured();
    let baseline = hold_against(&of_fewer_files(&now), Path::new("b"), &now);
    assert!(
        baseline
            .notes
            .contains(&"Only in this run: spread.csv, places.csv, structured.csv.".to_owned()),
        "{:?}",
        baseline.notes
    );
    assert!(baseline.differences.is_empty());
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
    assert!(baseline.differences.is_empty());
    assert!(baseline.times.is_some_and(|times| times.rows.is_empty()));
    let mut now = before.clone();
    now.run.seed = 2;
    now.collisions[0].collisions += 1;
    // The ideal hash depends on the seed like the functions.
    let mut rows = now.false_positives.iter_mut();
    rows.find(|row| row.function == IDEAL).unwrap().false_positives += 1;
    let baseline = hold_against(&before, Path::new("b"), &now);
    // Collisions do not depend on the seed.
    let found = &baseline.differences;
    assert!(
        found.len() == 1 && found[0].starts_with("collisions.csv: 1 of "),
        "{found:?}"
    );
    assert!(baseline.compared_rows > 500);
    let told = |text: &str| baseline.notes.iter().any(|note| note.contains(text));
    assert!(told("The seed was 1 and is 2.") && told("not compared: false_positives.csv, "));
}
