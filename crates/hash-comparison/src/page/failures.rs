//! The functions that fail: the costs, two keys with the same hash, and the reasons.

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::advice::recommend::words;
use crate::questions::Records;
use crate::questions::on_dataset::DatasetRows;
use crate::record::{Choice, CostRow, End, Finding, Standing, Verdict, about};
use records::number::significant;

/// Number of costs in a row.
const COSTS: usize = 2;

/// Returns the functions that are worse than chance, costliest first.
pub(super) fn worse_than_chance(data: &DatasetRows<'_>) -> Value {
    let mut failed = data.best_first();
    failed.retain(|finding| finding.verdict > Verdict::WithinChance);
    // In this order the costliest function to avoid is last, and so is the slowest of the others.
    failed.reverse();
    let avoid = |finding: &Finding| {
        let advice = data.advice(&finding.function);
        advice.is_some_and(|advice| advice.standing == Standing::Avoid)
    };
    failed.sort_by_key(|finding| !avoid(finding));
    let rows = failed.into_iter().map(|one| {
        let collided = data.full_width(&one.function).filter(|row| row.collisions > 0);
        let keys = collided.map(|row| Serde(differing(&row.first, &row.second)));
        let advice = data.advice(&one.function).map(Serde);
        let collided = collided.map(Serde);
        context! { function => &one.function, cost => costs(data, one), advice, collided, keys, why => &one.reasons }
    });
    rows.collect()
}

/// Lists the functions that differ from chance only in the high bits, and by how much; `None` without any.
pub(super) fn high_bits(data: &DatasetRows<'_>) -> Option<String> {
    let all = data.best_first().into_iter().filter_map(|finding| {
        let words = only_in_high_bits(data.records, finding)?;
        Some(format!("{} ({words})", finding.function))
    });
    let all: Vec<String> = all.collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// Returns the figures of a defect that only the high bits have, or `None` if the high bits are as chance or a test
/// that counts has failed anyway.
fn only_in_high_bits(records: &Records, finding: &Finding) -> Option<String> {
    if finding.verdict > Verdict::WithinChance {
        return None;
    }
    let (dataset, function) = (&finding.dataset, &finding.function);
    let table = about(&records.occupancy, dataset, function)
        .find(|row| row.choice == Choice::HighBits && row.is_worse());
    if let Some(row) = table {
        let [measured, chance] = [row.value, row.expected].map(|value| significant(value, 3));
        return Some(format!("{measured} comparisons per look-up; chance: {chance}"));
    }
    let failed =
        about(&records.windows, dataset, function).filter(|row| row.end == End::High && row.is_worse());
    let worst = failed.min_by(|a, b| a.p_value.total_cmp(&b.p_value))?;
    let chance = significant(worst.expected, 3);
    Some(format!(
        "{} collide in {}; chance: {chance}",
        worst.collisions,
        worst.place()
    ))
}

/// Describes the highest measurable costs in figures, those for the requested use first.
fn costs(data: &DatasetRows<'_>, finding: &Finding) -> String {
    let of_function = data.about(&data.records.costs, &finding.function);
    let mut costs: Vec<_> = of_function.filter(|row| row.measurable).collect();
    let asked = data.recommendation.purpose.parts();
    let is_asked = |row: &CostRow| asked.contains(&row.purpose);
    costs.sort_by(|a, b| is_asked(b).cmp(&is_asked(a)).then(b.cost.total_cmp(&a.cost)));
    costs.truncate(COSTS);
    let told = data.recommendation.negligible;
    let costs: Vec<String> = costs.iter().map(|row| words::cost(row, told)).collect();
    if costs.is_empty() {
        "nothing measurable in filters, tables, shards or checksums".to_owned()
    } else {
        costs.join("; ")
    }
}

/// Maximum lengths of the common text before and after the difference of two keys, and of the difference.
const BEFORE: usize = 14;
const BEHIND: usize = 8;
const DIFFERENT: usize = 24;

/// Shows two recorded keys with their difference marked and their common parts shortened.
fn differing(one: &str, other: &str) -> Vec<(String, bool)> {
    let (one, other) = (pieces(one), pieces(other));
    let before = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let shorter = one.len().min(other.len()) - before;
    let behind = one.iter().rev().zip(other.iter().rev()).take(shorter);
    let behind = behind.take_while(|(a, b)| a == b).count();
    let mut parts = Vec::new();
    for (lead, key) in [("“", &one), ("” and “", &other)] {
        let (start, rest) = key.split_at(before);
        let (middle, end) = rest.split_at(rest.len() - behind);
        let cut = |pieces: &[&str], most: usize| if pieces.len() > most { "…" } else { "" };
        let shown = &start[start.len().saturating_sub(BEFORE)..];
        parts.push((format!("{lead}{}{}", cut(start, BEFORE), shown.concat()), false));
        let shown = middle[..middle.len().min(DIFFERENT)].concat();
        parts.push((shown + cut(middle, DIFFERENT), true));
        let shown = end[..end.len().min(BEHIND)].concat();
        parts.push((shown + cut(end, BEHIND), false));
    }
    parts.push(("”".to_owned(), false));
    parts.retain(|(text, _)| !text.is_empty());
    parts
}

/// Splits text into characters and escapes such as `\xff` and `\n`.
fn pieces(mut escaped: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    while let Some(first) = escaped.chars().next() {
        let hexadecimal = escaped.starts_with("\\x")
            && escaped
                .get(2..4)
                .is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let length = match first {
            '\\' if hexadecimal => 4,
            '\\' => 1 + escaped[1..].chars().next().map_or(0, char::len_utf8),
            other => other.len_utf8(),
        };
        let (piece, rest) = escaped.split_at(length);
        pieces.push(piece);
        escaped = rest;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats two keys with the marked pieces in brackets.
    fn shown(one: &str, other: &str) -> String {
        let parts = differing(one, other).into_iter();
        parts
            .map(|(text, is_marked)| if is_marked { format!("[{text}]") } else { text })
            .collect()
    }

    #[test]
    fn whatever_a_record_holds_is_shown_without_a_panic() {
        for odd in ["", "\\", "\\x", "\\x0é", "\\é", "…", "… (", "é…\\xq", "\u{202e}…"] {
            assert!(
                [1, 40]
                    .map(|times| shown(&odd.repeat(times), "é"))
                    .iter()
                    .all(|text| text.contains('é'))
            );
        }
    }
}
