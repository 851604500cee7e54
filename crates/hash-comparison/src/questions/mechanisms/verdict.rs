//! Mechanisms: the measured reasons why a function fails.

use crate::keys::printed;
use crate::questions::mechanisms::{RawMechanisms, TRIALS, Tried};
use crate::questions::{Mechanism, MechanismRow};
use crate::record::{Finding, Verdict};
use statistics::binomial;
use statistics::correction::{FAMILY_LEVEL, bonferroni};

/// The least share of trials in which a mechanism must occur, whatever the chance.
const LEAST_SHARE: f64 = 0.75;

/// Returns one row for each function and [`Mechanism`], in the order given.
pub fn judge(raw: &[RawMechanisms]) -> Vec<MechanismRow> {
    raw.iter().flat_map(|one| of(one, raw.len())).collect()
}

/// Returns the rows of one function among `functions`.
fn of(raw: &RawMechanisms, functions: usize) -> Vec<MechanismRow> {
    let tests = raw.tried.len() * functions;
    let judged = |one: &Tried| {
        let p = binomial::at_least(one.hits as f64, TRIALS as f64, one.chance);
        let p_adjusted = bonferroni(p, tests);
        let often = one.hits as f64 >= LEAST_SHARE * TRIALS as f64;
        (p_adjusted, often && p_adjusted < FAMILY_LEVEL)
    };
    raw.tried
        .chunk_by(|a, b| a.mechanism == b.mechanism)
        .filter_map(|same| {
            let holding = same.iter().find(|one| judged(one).1);
            let most = || same.iter().min_by(|a, b| judged(a).0.total_cmp(&judged(b).0));
            let one = holding.or_else(most)?;
            let (p_adjusted, holds) = judged(one);
            let [first, second] = match &one.example {
                Some(pair) if holds => pair.each_ref().map(|key| printed(key)),
                _ => Default::default(),
            };
            Some(MechanismRow {
                function: raw.function.clone(),
                mechanism: one.mechanism,
                parameter: one.parameter,
                trials: TRIALS,
                hits: one.hits,
                chance: one.chance,
                p_adjusted,
                holds,
                first,
                second,
            })
        })
        .collect()
}

/// Appends the measured mechanisms to the reasons of each failed finding.
///
/// A function that did not fail gets no reasons: a mechanism may hold and harm none of these keys.
pub fn explain(findings: &mut [Finding], mechanisms: &[MechanismRow]) {
    for finding in findings {
        if finding.verdict > Verdict::WithinChance {
            finding.reasons.extend(sentences(&finding.function, mechanisms));
        }
    }
}

/// Returns the mechanisms that hold for `function`, one sentence each, in recorded order.
pub fn sentences(function: &str, mechanisms: &[MechanismRow]) -> Vec<String> {
    sentences_on(function, mechanisms, None)
}

/// Returns the result of [`sentences`]. For a pair of colliding keys, sentences that explain the pair come first, and
/// sentences about other keys last.
pub(crate) fn sentences_on(
    function: &str,
    mechanisms: &[MechanismRow],
    pair: Option<&[String; 2]>,
) -> Vec<String> {
    let holding = mechanisms
        .iter()
        .filter(|row| row.function == function && row.holds);
    let mut holding: Vec<&MechanismRow> = holding.collect();
    // If the first bytes do not matter, leading zeroes do not either.
    if holding.iter().any(|row| row.mechanism == Mechanism::LastBytes) {
        holding.retain(|row| row.mechanism != Mechanism::LeadingZeroes);
    }
    if let Some([one, other]) = pair {
        holding.sort_by_key(|row| match row.mechanism {
            Mechanism::LetterCase if one.eq_ignore_ascii_case(other) => 0,
            Mechanism::FirstBytes | Mechanism::LastBytes if one.len() != other.len() => 2,
            _ => 1,
        });
    }
    holding.into_iter().map(sentence).collect()
}

fn sentence(row: &MechanismRow) -> String {
    let (parameter, hits, trials) = (row.parameter, row.hits, row.trials);
    let counted = |noun: &str| match parameter {
        1 => noun.to_owned(),
        many => format!("{many} {noun}s"),
    };
    let ends = |end: &str| {
        let bytes = counted("byte");
        format!("among keys of one length only the {end} {bytes} matter")
    };
    let what = match row.mechanism {
        Mechanism::XorLinear => {
            "linear: the difference of two values depends only on that of the keys, so one colliding pair yields any \
             number of others"
                .to_owned()
        }
        Mechanism::LowBits => {
            let bits = counted("bit");
            format!("the low {bits} of the value depend only on the low {bits} of each byte")
        }
        Mechanism::LastBytes => ends("last"),
        Mechanism::FirstBytes => ends("first"),
        Mechanism::ByteSum => {
            format!("raising the last byte but one by 1 and lowering the last by {parameter} leaves the value unchanged")
        }
        Mechanism::ByteFlip => format!(
            "flipping the lowest bit of the last byte but one together with bit {parameter} of the last (counted from 0) \
             leaves the value unchanged"
        ),
        Mechanism::ByteOrder => "exchanging the last two bytes leaves the value unchanged".to_owned(),
        Mechanism::LetterCase => "upper and lower case give the same value".to_owned(),
        Mechanism::LeadingZeroes => "zero bytes before a key leave the value unchanged".to_owned(),
        Mechanism::FixedBits => format!("only {parameter} bits of the value ever change"),
    };
    let on = match row.mechanism {
        Mechanism::XorLinear => "quadruples a, b, c, a\u{2295}b\u{2295}c",
        Mechanism::FixedBits => "keys",
        _ => "pairs of keys",
    };
    format!("{what} ({hits} of {trials} {on})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::{self, Function};
    use crate::questions::mechanisms;

    #[test]
    fn failed_functions_get_the_reason_and_others_none() {
        let names = ["BPHash", "CRC-32", "XXH3"];
        let functions = names.map(|name| functions::find(name).unwrap());
        let mechanisms = judge(&mechanisms::measure(&functions));
        use Verdict::{FarWorseThanChance, FewerThanChance, WorseThanChance};
        let verdicts = [FarWorseThanChance, FewerThanChance, WorseThanChance];
        let finding = |(function, verdict): (&str, _)| Finding {
            dataset: "ids".to_owned(),
            function: function.to_owned(),
            verdict,
            failed: Vec::new(),
            reasons: Vec::new(),
            worst_bits: 32,
            rank: 0,
            example: None,
        };
        let mut findings: Vec<Finding> = names.into_iter().zip(verdicts).map(finding).collect();
        explain(&mut findings, &mechanisms);
        let first = "among keys of one length only the last 5 bytes matter (128 of 128 pairs of keys)";
        assert_eq!(findings[0].reasons[0], first);
        assert!(findings[1].reasons.is_empty() && findings[2].reasons.is_empty());
        // Keys of two lengths do not collide because of their ends.
        let long = ["aback", "piggyback"].map(str::to_owned);
        let linear = "linear: the difference of two values";
        assert!(sentences_on("BPHash", &mechanisms, Some(&long))[0].starts_with(linear));
    }

    fn holding(function: &Function) -> Vec<(Mechanism, u32)> {
        let rows = of(&mechanisms::measure(&[function])[0], 64);
        assert_eq!(rows.len(), 10);
        assert!(
            rows.iter()
                .all(|row| row.hits <= row.trials && (row.holds || row.first.is_empty()))
        );
        let holding = rows.into_iter().filter(|row| row.holds);
        holding.map(|row| (row.mechanism, row.parameter)).collect()
    }

    #[test]
    #[rustfmt::skip]
    fn the_classics_give_their_reasons_and_good_functions_none() {
        use Mechanism::{ByteFlip, ByteSum, FixedBits, LastBytes, LeadingZeroes, LetterCase, LowBits, XorLinear};
        let cases: [(&str, &[(Mechanism, u32)]); 11] = [
            ("BPHash", &[(LastBytes, 5), (XorLinear, 0), (LowBits, 7), (ByteFlip, 7), (LeadingZeroes, 0), (FixedBits, 31)]),
            ("PJW", &[(LowBits, 4), (ByteSum, 16), (LeadingZeroes, 0), (FixedBits, 28)]),
            ("ELFHash", &[(LowBits, 4), (ByteSum, 16), (LeadingZeroes, 0), (FixedBits, 28)]),
            ("DEKHash", &[(XorLinear, 0), (ByteFlip, 5)]),
            ("CRC-32", &[(XorLinear, 0)]),
            ("SDBMHash", &[(LowBits, 7), (LeadingZeroes, 0)]),
            ("BKDRHash", &[(LowBits, 7), (ByteSum, 131), (LeadingZeroes, 0), (FixedBits, 31)]),
            ("SipHashNoCase", &[(LetterCase, 0)]),
            ("SipHash", &[]),
            ("MurMurHash2", &[]),
            ("XXH3", &[]),
        ];
        for (name, expected) in cases {
            assert_eq!(holding(functions::find(name).unwrap()), expected, "{name}");
        }
    }

    #[test]
    fn functions_made_to_fail_do() {
        let own = |hash, output_bits| holding(&Function::custom("own", output_bits, hash, &[]));
        let sum = own(|key| key.iter().map(|&byte| u64::from(byte)).sum(), 32);
        for expected in [
            (Mechanism::ByteSum, 1),
            (Mechanism::ByteOrder, 0),
            (Mechanism::LowBits, 7),
        ] {
            assert!(sum.contains(&expected), "{sum:?}");
        }
        let first = own(
            |key| key.first().map_or(0, |&byte| u64::from(byte)) * 0x0101_0101,
            32,
        );
        assert!(first.contains(&(Mechanism::FirstBytes, 1)), "{first:?}");
        // Eight bits that repeat; all 32 take part, so no bit is fixed.
        let fixed = |(mechanism, _): &(Mechanism, u32)| *mechanism == Mechanism::FixedBits;
        assert!(!first.iter().any(fixed));
        assert!(own(|_| 7, 64).contains(&(Mechanism::FixedBits, 0)));
    }
}
