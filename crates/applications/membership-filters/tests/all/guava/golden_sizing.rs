//! Guava's sizes, before and after the change of the rule for the probe count.

use membership_filters::guava::{Parameters, ProbeCountRule};
use serde::Deserialize;

use crate::support::samples::variant;

use super::support::number;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    n: u64,
    #[serde(rename = "fpp")]
    _fpp: f64,
    num_bits: u64,
    k: u64,
    words: u64,
    creatable: bool,
}

/// Checks all rows. Returns their number, and the number of those that give a filter.
fn check_all(lines: &str, rule: ProbeCountRule) -> (usize, usize) {
    let mut creatable = 0;
    for line in lines.lines() {
        let row: Row = serde_json::from_str(line).unwrap();
        let fpp: f64 = number(line, "fpp").parse().unwrap();
        let insertions = row.n.max(1);
        let expected_error = if row.num_bits == 0 {
            Some(("InvalidArgument", "bits must be at least 1, got 0".to_owned()))
        } else if row.words > i32::MAX as u64 {
            let text = format!("bits must be at most 137438953408, got {}", row.num_bits);
            Some(("TooLarge", text))
        } else if row.k > 255 {
            let text = format!("probe count must be between 1 and 255, got {}", row.k);
            Some(("InvalidArgument", text))
        } else {
            None
        };
        assert_eq!(expected_error.is_none(), row.creatable, "{line}");
        match Parameters::with_rule(row.n, fpp, rule) {
            Err(error) => {
                let (kind, text) = expected_error.unwrap();
                assert_eq!(variant(&error), kind, "{line}");
                let cause = format!("for {insertions} keys at a false-positive rate of {fpp:?}");
                let said = error.to_string();
                assert!(said.contains(&text) && said.ends_with(&cause), "{line}: {said}");
            }
            Ok(parameters) => {
                assert!(expected_error.is_none(), "{line}");
                assert_eq!(parameters.capacity(), insertions, "{line}");
                assert_eq!(parameters.optimal_bits(), row.num_bits, "{line}");
                assert_eq!(u64::from(parameters.probe_count()), row.k, "{line}");
                assert_eq!(parameters.word_count() as u64, row.words, "{line}");
                creatable += 1;
            }
        }
    }
    (lines.lines().count(), creatable)
}

#[test]
fn sizes_of_guava_31() {
    let rows = check_all(
        include_str!("../../data/guava/sizing.jsonl"),
        ProbeCountRule::FromBitsPerKey,
    );
    assert_eq!(rows, (408, 327));
}

#[test]
fn sizes_of_guava_33() {
    let rows = check_all(
        include_str!("../../data/guava/newer/sizing.jsonl"),
        ProbeCountRule::FromRate,
    );
    assert_eq!(rows, (408, 327));
}
