//! Guava's sizes, before and after it changed its rule for the probe count.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use guava_bloom::{MAX_PROBES, MAX_WORDS, ParameterError, Parameters, ProbeCountRule};
use serde::Deserialize;

mod support {
    pub(crate) mod number;
}

use support::number::number;

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

/// How many rows there are, and how many give a filter.
fn check_all(lines: &str, rule: ProbeCountRule) -> (usize, usize) {
    let mut creatable = 0;
    for line in lines.lines() {
        let row: Row = serde_json::from_str(line).unwrap();
        let fpp: f64 = number(line, "fpp").parse().unwrap();
        let insertions = row.n.max(1);
        let expected_error = if row.num_bits == 0 {
            Some(ParameterError::NoBits { insertions, fpp })
        } else if row.words > u64::from(MAX_WORDS) {
            Some(ParameterError::TooManyBits {
                insertions,
                fpp,
                bits: row.num_bits,
            })
        } else if row.k > u64::from(MAX_PROBES) {
            Some(ParameterError::TooManyProbes { probes: row.k, fpp })
        } else {
            None
        };
        assert_eq!(expected_error.is_none(), row.creatable, "{line}");
        match Parameters::with_rule(row.n, fpp, rule) {
            Err(error) => assert_eq!(Some(error), expected_error, "{line}"),
            Ok(parameters) => {
                assert_eq!(expected_error, None, "{line}");
                assert_eq!(parameters.insertions(), insertions, "{line}");
                assert_eq!(parameters.optimal_bits(), row.num_bits, "{line}");
                assert_eq!(u64::from(parameters.probes()), row.k, "{line}");
                assert_eq!(parameters.words() as u64, row.words, "{line}");
                creatable += 1;
            }
        }
    }
    (lines.lines().count(), creatable)
}

#[test]
fn sizes_of_guava_31() {
    let rows = check_all(
        include_str!("data/sizing.jsonl"),
        ProbeCountRule::FromBitsPerInsertion,
    );
    assert_eq!(rows, (408, 327));
}

#[test]
fn sizes_of_guava_33() {
    let rows = check_all(include_str!("data/newer/sizing.jsonl"), ProbeCountRule::FromFpp);
    assert_eq!(rows, (408, 327));
}
