//! What not to take.

use super::key::shortened;
use super::too_few;
use crate::judge::collisions::ratio;
use crate::judge::recommend::words::list;
use crate::record::{CollisionRow, FailedTest, Finding, Verdict};
use crate::report::chart::drawn_and_folded;
use crate::report::chart::rows::DatasetRows;
use plots::number::{grouped, significant};
use plots::scene::printable;

/// More of them would push the chart off the screen; the table names all.
const MAX_AVOIDED: usize = 3;

/// Functions with the same outcome.
struct Group {
    verdict: Verdict,
    /// The most telling test that failed, where the record tells.
    test: Option<FailedTest>,
    names: Vec<String>,
    outcome: String,
}

/// Which functions do worse than chance and how, worst first.
pub(super) fn write(data: &DatasetRows<'_>) -> String {
    let mut groups: Vec<Group> = Vec::new();
    // Functions with the same outcome, as two names of one function have, share a clause.
    for finding in data
        .best_first()
        .into_iter()
        .rev()
        .filter(|f| f.verdict > Verdict::InBand)
    {
        let name = printable(&finding.function);
        let outcome = outcome(data, finding);
        match groups.iter_mut().find(|group| group.outcome == outcome) {
            Some(group) => group.names.push(name),
            None => groups.push(Group {
                verdict: finding.verdict,
                test: finding.failed.first().copied(),
                names: vec![name],
                outcome,
            }),
        }
    }
    if groups.is_empty() && too_few(data) {
        return "nothing can be said: on so few keys a bad function looks as good as any.".to_owned();
    }
    if groups.is_empty() {
        return "nothing here: no function does measurably worse than chance on these keys.".to_owned();
    }
    // What is uneven and does no harm that was seen is told in a clause of its own.
    let (uneven, mut harmful): (Vec<Group>, Vec<Group>) = groups
        .into_iter()
        .partition(|group| group.test == Some(FailedTest::Distribution));
    // What the chart below the sentence draws is told before others of the same verdict.
    let (drawn, _) = drawn_and_folded(data);
    let drawn: Vec<String> = drawn.iter().map(|finding| printable(&finding.function)).collect();
    for group in &mut harmful {
        group.names.sort_by_key(|name| !drawn.contains(name));
    }
    harmful.sort_by_key(|group| {
        let is_drawn = group.names.iter().any(|name| drawn.contains(name));
        (group.verdict != Verdict::Unusable, !is_drawn)
    });
    let (told, rest) = harmful.split_at(harmful.len().min(MAX_AVOIDED));
    let mut clauses: Vec<String> = told
        .iter()
        .map(|group| format!("{}: {}", list(&group.names, "and"), group.outcome))
        .collect();
    for (verdict, lead) in [
        (Verdict::Unusable, "also unusable"),
        (Verdict::MeasurablyWorse, "also measurably worse"),
    ] {
        for (test, why) in [
            (Some(FailedTest::Collisions), " by collisions"),
            (Some(FailedTest::FalsePositives), " by false positives"),
            (None, ""),
        ] {
            let names: Vec<String> = rest
                .iter()
                .filter(|group| group.verdict == verdict && group.test == test)
                .flat_map(|group| group.names.clone())
                .collect();
            if !names.is_empty() {
                clauses.push(format!("{lead}{why}: {}", list(&names, "and")));
            }
        }
    }
    let names: Vec<String> = uneven.iter().flat_map(|group| group.names.clone()).collect();
    match (names.as_slice(), uneven.first()) {
        ([one], Some(group)) => clauses.push(format!("{one}: no harm seen but {}", group.outcome)),
        ([_, ..], _) => clauses.push(format!(
            "uneven output bits or buckets only: {}",
            list(&names, "and")
        )),
        _ => {}
    }
    clauses.join("; ") + "."
}

/// What a function does to the keys, in words.
fn outcome(data: &DatasetRows<'_>, finding: &Finding) -> String {
    let bad = |row: &&CollisionRow| row.verdict > Verdict::InBand;
    let full = data.full_width(&finding.function).filter(bad);
    let narrow = data.worst_width(finding).filter(bad);
    let Some(row) = full.or(narrow) else {
        return printable(
            finding
                .reasons
                .first()
                .map_or("measurably worse than chance", String::as_str),
        );
    };
    let mut text = format!(
        "{} of {} keys {} on a value already taken",
        grouped(row.collisions),
        grouped(row.keys),
        if row.collisions == 1 { "falls" } else { "fall" },
    );
    if full.is_none() {
        text += &format!(" in the low {} bits", row.bits);
    }
    if let Some(ratio) = ratio(row) {
        text += &format!(", {} times ", significant(ratio, 2));
        text += &match full.and_then(|row| beside_32_bits(data, row)) {
            Some(beside) => format!(
                "what {} random bits give and {} times what 32 give",
                row.bits,
                significant(beside, 2)
            ),
            None => "chance".to_owned(),
        };
    }
    if let Some([one, other]) = &finding.example {
        let folded = if one.eq_ignore_ascii_case(other) {
            ", which differ only in case"
        } else {
            ""
        };
        text += &format!(" (“{}” and “{}”{folded})", shortened(one), shortened(other));
    }
    text
}

/// For a function that has fewer bits: its collisions over those of a random function that has all 32.
fn beside_32_bits(data: &DatasetRows<'_>, row: &CollisionRow) -> Option<f64> {
    let all = data.collisions.iter().find(|other| other.bits == 32)?;
    (row.bits < 32 && all.expected > 0.0).then(|| row.collisions as f64 / all.expected)
}
