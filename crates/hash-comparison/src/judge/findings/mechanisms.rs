//! Mechanisms in words: why a function fails, as far as it was measured.

use crate::record::{Finding, Mechanism, MechanismRow, Verdict};

/// Appends to the reasons of each failed finding what was measured of the way in which its function fails.
///
/// Nothing is added to a function that did not fail: a mechanism may hold and harm none of these keys.
pub fn explain(findings: &mut [Finding], mechanisms: &[MechanismRow]) {
    for finding in findings {
        if finding.verdict > Verdict::InBand {
            finding.reasons.extend(sentences(&finding.function, mechanisms));
        }
    }
}

/// The mechanisms that hold for `function`, a sentence each, in recorded order.
pub fn sentences(function: &str, mechanisms: &[MechanismRow]) -> Vec<String> {
    let holding = || {
        mechanisms
            .iter()
            .filter(|row| row.function == function && row.holds)
    };
    let ends = holding().any(|row| row.mechanism == Mechanism::LastBytes);
    holding()
        // Where the first bytes do not matter, zeroes do not either.
        .filter(|row| !(ends && row.mechanism == Mechanism::LeadingZeroes))
        .map(sentence)
        .collect()
}

fn sentence(row: &MechanismRow) -> String {
    let MechanismRow {
        parameter,
        hits,
        trials,
        ..
    } = row;
    let measured = |what: &str| {
        if hits == trials {
            format!("measured on {trials} {what}")
        } else {
            format!("measured on {hits} of {trials} {what}")
        }
    };
    let bytes = |end: &str| {
        let many = if *parameter == 1 {
            "byte".to_owned()
        } else {
            format!("{parameter} bytes")
        };
        format!(
            "only the {end} {many} of a key and its length matter: {}",
            measured("pairs of keys")
        )
    };
    match row.mechanism {
        Mechanism::XorLinear => format!(
            "the difference of two values depends on the difference of the keys alone, so one pair of keys that \
             collide gives as many as one likes: {}",
            measured("fours a, b, c, a\u{2295}b\u{2295}c whose values cancel")
        ),
        Mechanism::LowBits => {
            let bits = if *parameter == 1 {
                "bit".to_owned()
            } else {
                format!("{parameter} bits")
            };
            format!(
                "the low {bits} depend on the low {bits} of the bytes alone: {}",
                measured("pairs of keys")
            )
        }
        Mechanism::LastBytes => bytes("last"),
        Mechanism::FirstBytes => bytes("first"),
        Mechanism::ByteSum => format!(
            "the last byte but one raised by one and the last lowered by {parameter} leave the value: {}",
            measured("pairs of keys")
        ),
        Mechanism::ByteFlip => format!(
            "the lowest bit of the last byte but one and bit {parameter} of the last (counted from 0), flipped together, \
             leave the value: {}",
            measured("pairs of keys")
        ),
        Mechanism::ByteOrder => {
            format!(
                "the last two bytes exchanged leave the value: {}",
                measured("pairs of keys")
            )
        }
        Mechanism::LetterCase => {
            format!(
                "upper and lower case give one value: {}",
                measured("pairs of keys")
            )
        }
        Mechanism::LeadingZeroes => {
            format!(
                "zero bytes before a key leave the value: {}",
                measured("pairs of keys")
            )
        }
        Mechanism::FixedBits => {
            format!(
                "only {parameter} bits of the value ever change: {}",
                measured("keys")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions;
    use crate::measure::mechanism;

    fn finding(function: &str, verdict: Verdict) -> Finding {
        Finding {
            dataset: "ids".to_owned(),
            function: function.to_owned(),
            verdict,
            failed: Vec::new(),
            reasons: vec!["it failed".to_owned()],
            worst_bits: 32,
            example: None,
        }
    }

    #[test]
    fn failed_functions_get_the_reason_and_others_none() {
        let names = ["BPHash", "CRC-32", "XXH3"].map(|name| functions::find(name).unwrap());
        let mechanisms = mechanism::measure(&names);
        let mut findings = [
            finding("BPHash", Verdict::Unusable),
            finding("CRC-32", Verdict::FewerThanChance),
            finding("XXH3", Verdict::MeasurablyWorse),
        ];
        explain(&mut findings, &mechanisms);
        assert_eq!(
            findings[0].reasons[1],
            "only the last 5 bytes of a key and its length matter: measured on 128 pairs of keys"
        );
        assert_eq!((findings[1].reasons.len(), findings[2].reasons.len()), (1, 1));
        assert!(sentences("CRC-32", &mechanisms)[0].starts_with("the difference of two values depends on"));
    }
}
