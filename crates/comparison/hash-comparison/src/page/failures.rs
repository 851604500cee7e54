//! The functions that fail: the costs, two keys with the same hash, and the reasons.

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::advice::parts;
use crate::questions::on_dataset::DatasetRows;
use crate::record::{CostRow, Finding, Purpose, Standing, Verdict, on};

/// Returns the functions that are worse than chance, costliest first, with their measurable costs for any purpose.
pub(super) fn worse_than_chance(data: &DatasetRows<'_>) -> Value {
    let mut failed = data.best_first();
    failed.retain(|finding| finding.verdict > Verdict::WithinChance);
    // In this order the costliest function to avoid is last, and so is the slowest of the others.
    failed.reverse();
    let advice = |function: &str| {
        let mut advice = on(&data.records.advice, &data.summary.name);
        advice.find(|one| one.function == function)
    };
    failed.sort_by_key(|one| advice(&one.function).is_none_or(|one| one.standing != Standing::Avoid));
    let rows = failed.into_iter().map(|one| {
        let collided = data.full_width(&one.function).filter(|row| row.collisions > 0);
        let keys = collided.map(|row| Serde(differing(&row.first, &row.second)));
        let advice = advice(&one.function).map(Serde);
        let (costs, collided) = (costs(data, one), collided.map(Serde));
        let parts = parts::of(data.records, &data.summary.name, &one.function, Purpose::ALL);
        let parts = Value::from(Serde(parts));
        context! { function => &one.function, costs, advice, parts, collided, keys, why => &one.reasons }
    });
    rows.collect()
}

/// Returns the costs by which each purpose judges a function, where they are measurable.
fn costs(data: &DatasetRows<'_>, finding: &Finding) -> Value {
    let rows = data.about(&data.records.costs, &finding.function);
    let rows = rows.filter(|row| row.decides && row.measurable);
    let negligible = data.records.run.request.negligible;
    let with_effect = |row: &CostRow| {
        let effect = Value::from(Serde(row.effect(negligible)));
        context! { effect, ..Value::from(Serde(row)) }
    };
    rows.map(with_effect).collect()
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
