//! What is deterministic, held against an earlier run.

use super::*;

/// Files that runs of schema 1 do not have, without their ending.
const SINCE_SCHEMA_2: [&str; 6] = [
    "windows",
    "avalanche",
    "mixing",
    "structured",
    "occupancy",
    "mechanisms",
];

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
        ("collisions.csv", "collisions", "32 bits")
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
    // With other functions in the run there are other tests, and other bands.
    let gone = now.run.functions.pop().unwrap().name;
    now.collisions.retain(|row| row.function != gone);
    for row in &mut now.structure.as_mut().unwrap().mechanisms {
        row.parameter += 1;
    }
    let baseline = hold_against(&before, Path::new("b"), &now);
    assert_eq!(baseline.different_fields, 2);
    assert!(
        baseline
            .notes
            .contains(&format!("only in the earlier run: {gone}"))
    );
}

#[test]
fn rows_that_only_one_run_has_are_told() {
    let before = measured();
    let mut now = before.clone();
    let windows = now.bits.as_ref().unwrap().windows.len();
    now.collisions.pop();
    let bits = now.bits.as_mut().unwrap();
    bits.windows.clear();
    bits.mixing[0].key_bytes = 99;
    now.structure = None;
    // One test less, and other bands for the rest.
    now.collisions[0].band_high += 1.0;
    now.distribution[0].statistic += 1.0;
    let baseline = hold_against(&before, Path::new("b"), &now);
    let structured = before.structure.as_ref().unwrap().structured.len();
    let expected = [
        "collisions.csv: 1 row is only in the earlier run, and not compared".to_owned(),
        format!(
            "windows.csv: {} rows are only in the earlier run, and not compared",
            grouped(windows as u64)
        ),
        "mixing.csv: 1 row is only in this run, and not compared".to_owned(),
        "mixing.csv: 1 row is only in the earlier run, and not compared".to_owned(),
        format!(
            "structured.csv: this run has no such file; {} rows of the earlier run are not compared",
            grouped(structured as u64)
        ),
    ];
    let notes: Vec<&String> = baseline
        .notes
        .iter()
        .filter(|note| note.contains(".csv: "))
        .collect();
    assert_eq!(notes[..5], expected.iter().collect::<Vec<_>>());
    // Occupancy and mechanisms are gone as well.
    assert_eq!(notes.len(), 7, "{notes:?}");
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
fn every_deterministic_file_is_compared() {
    let before = measured();
    let mut now = before.clone();
    let bits = now.bits.as_mut().unwrap();
    bits.windows[0].collisions += 1;
    bits.avalanche[0].flips += 1;
    bits.mixing[0].worst_count += 1;
    let structure = now.structure.as_mut().unwrap();
    structure.structured[0].collisions += 1;
    structure.occupancy[0].longest += 1;
    structure.mechanisms[0].hits += 1;
    let baseline = hold_against(&before, Path::new("b"), &now);
    let found: Vec<&str> = baseline.differences.iter().map(|one| one.file.as_str()).collect();
    assert_eq!(found, SINCE_SCHEMA_2.map(|name| format!("{name}.csv")));
    // Rows of no dataset leave no gap in the sentence.
    now.bits = before.bits.clone();
    let sentence = &words::sentences(&hold_against(&before, Path::new("b"), &now))[0];
    assert!(sentence.contains("the first in structured.csv: "), "{sentence}");
    assert!(!sentence.contains(": , "), "{sentence}");
}

#[test]
fn a_run_of_an_older_schema_is_named_and_what_it_lacks() {
    let now = measured();
    let baseline = hold_against(&of_schema_1(&now), Path::new("b"), &now);
    let told = |text: &str| baseline.notes.iter().any(|note| note == text);
    assert!(told(
        "the earlier run was written with schema 1, this one with schema 2"
    ));
    assert!(told(
        "the earlier run tells of its readings the medians alone, and nothing of places"
    ));
    for file in SINCE_SCHEMA_2 {
        let start = format!("{file}.csv: the earlier run has no such file; ");
        assert!(
            baseline.notes.iter().any(|note| note.starts_with(&start)),
            "{start}: {:?}",
            baseline.notes
        );
    }
    assert_eq!(baseline.different_fields, 0);
    assert!(baseline.compared_rows > 500);
    let times = baseline.times.unwrap();
    assert!(
        times
            .rows
            .iter()
            .all(|row| row.threshold > 0.9999 * times::LEAST_CHANGE)
    );
    let older = of_schema_1(&now);
    let same = hold_against(&older, Path::new("b"), &older).notes;
    assert!(!same.iter().any(|note| note.contains("schema")), "{same:?}");
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
    // What stands beside the functions depends on the seed like them.
    let mut rows = now.false_positives.iter_mut();
    rows.find(|row| row.function == IDEAL).unwrap().false_positives += 1;
    let baseline = hold_against(&before, Path::new("b"), &now);
    assert_eq!((baseline.different_fields, baseline.compared_rows), (0, 0));
    assert_eq!(
        words::sentences(&baseline)[0],
        "everything but times: not compared, no row is in both runs"
    );
}
