//! A recommendation in words, for terminal and report.

use crate::record::{CallForm, Candidate, Ground, Interval, Purpose, Recommendation};
use plots::number::significant;

/// All purposes that can be asked for.
pub const PURPOSES: [Purpose; 4] = [Purpose::Filter, Purpose::Table, Purpose::Shard, Purpose::Checksum];

/// What counts for a purpose.
pub fn criteria(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::FilterOrTable => {
            "a filter or table, where nothing more was said: collisions, distribution and false positives as in the \
             verdicts, then the time of calls that overlap"
        }
        Purpose::Filter => {
            "a Bloom filter: false positives against an ideal hash in the same filter, and collisions; then the time of \
             calls that overlap, since filters are built and asked in batches"
        }
        Purpose::Table => {
            "a hash table in memory: collisions, evenness over buckets, every window of low bits, and chains in tables of a power of \
             two and of a prime number of buckets; then the time of calls that wait for each other, as look-ups do"
        }
        Purpose::Shard => {
            "spreading keys over shards: collisions, evenness over powers of two and primes, windows of 8 to 16 low and \
             high bits, and values that are the same for ever on every platform, since machines must agree; then the time \
             of calls that overlap"
        }
        Purpose::Checksum => {
            "checksums: collisions in all bits, 64 bits unless fewer than 0.001 pairs with one checksum are expected among \
             ten times the keys, and values that are the same for ever on every platform; then the time of calls that \
             overlap"
        }
    }
}

/// What is asked for, after "for ": `a hash table of these keys, which an attacker may choose`.
pub fn asked(recommendation: &Recommendation) -> String {
    let purpose = match recommendation.purpose {
        Purpose::FilterOrTable => "a filter or table over these keys",
        Purpose::Filter => "a filter over these keys",
        Purpose::Table => "a hash table of these keys",
        Purpose::Shard => "shards of these keys",
        Purpose::Checksum => "checksums of these keys",
    };
    let untrusted = if recommendation.untrusted {
        ", which an attacker may choose"
    } else {
        ""
    };
    let stable = if recommendation.stable {
        ", with values that never change"
    } else {
        ""
    };
    format!("{purpose}{untrusted}{stable}")
}

/// The short list in a sentence, without what comes of the function in use.
pub fn sentence(recommendation: &Recommendation) -> String {
    let asked = asked(recommendation);
    if recommendation.too_few_keys {
        return format!(
            "for {asked}: nothing can be recommended. {}",
            notes(recommendation)
        );
    }
    let Some(first) = recommendation.short_list.first() else {
        let grounds = recommendation.excluded.iter().map(|exclusion| {
            let names = exclusion
                .functions
                .iter()
                .map(|one| one.function.clone())
                .collect();
            format!("{}: {}", ground(exclusion.ground), some(names))
        });
        return format!(
            "for {asked}: none of the functions measured ({}). {}",
            grounds.collect::<Vec<_>>().join("; "),
            notes(recommendation)
        );
    };
    let (level, behind): (Vec<&Candidate>, Vec<&Candidate>) =
        (recommendation.short_list.iter()).partition(|one| one.rank == first.rank);
    let unlisted = recommendation
        .more
        .iter()
        .filter(|one| one.rank == first.rank)
        .count();
    let mut names: Vec<String> = level.iter().map(|one| name(one, recommendation)).collect();
    if unlisted > 0 {
        names.push(format!("{unlisted} more"));
    }
    let alike = if names.len() > 1 {
        ", without a measurable difference in quality or time,"
    } else {
        ""
    };
    let time = together(&level).map_or_else(String::new, |time| {
        format!(
            " at {} ns per key ({} to {}{})",
            significant(time.ns, 2),
            significant(time.low_ns, 3),
            significant(time.high_ns, 3),
            form(recommendation.form),
        )
    });
    let then = match behind.as_slice() {
        [] => String::new(),
        some => {
            let told = some.iter().map(|one| {
                let ns = one.time.map(|time| format!(" at {}", significant(time.ns, 2)));
                name(one, recommendation) + &ns.unwrap_or_default()
            });
            format!("; then {}", list(&told.collect::<Vec<_>>(), "and"))
        }
    };
    let notes = notes(recommendation);
    let gap = if notes.is_empty() { "" } else { " " };
    format!(
        "for {asked} {}{alike}{time}{then}.{gap}{notes}",
        list(&names, "or")
    )
}

/// Why functions are left out.
pub fn ground(ground: Ground) -> &'static str {
    match ground {
        Ground::Attackers => "an attacker can make keys that collide",
        Ground::Stability => "values may change",
        Ground::Width => "too few bits",
        Ground::Quality => "measurably worse than chance",
    }
}

/// Times of several functions: the least median, and the interval that holds all.
fn together(level: &[&Candidate]) -> Option<Interval> {
    let times = level.iter().filter_map(|one| one.time);
    times.reduce(|all, one| Interval {
        ns: all.ns.min(one.ns),
        low_ns: all.low_ns.min(one.low_ns),
        high_ns: all.high_ns.max(one.high_ns),
    })
}

fn form(form: CallForm) -> &'static str {
    match form {
        CallForm::Independent => "",
        CallForm::Chained => ", each call waiting for the last",
    }
}

fn name(one: &Candidate, recommendation: &Recommendation) -> String {
    if one.stable || recommendation.stable {
        one.function.clone()
    } else {
        format!("{} (in memory only)", one.function)
    }
}

/// The notes, short enough for a sentence: the first words of each are what matters.
fn notes(recommendation: &Recommendation) -> String {
    let first = |note: &String| {
        let end = note.find(". ").map_or(note.len(), |at| at + 1);
        note[..end].to_owned()
    };
    recommendation
        .notes
        .iter()
        .map(first)
        .collect::<Vec<_>>()
        .join(" ")
}

/// At most six names.
fn some(mut names: Vec<String>) -> String {
    const MOST: usize = 6;
    let left = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    if left > 0 {
        names.push(format!("{left} more"));
    }
    list(&names, "and")
}

/// `a`, `a or b`, `a, b or c`.
pub(crate) fn list(names: &[String], conjunction: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {conjunction} {last}", first.join(", ")),
    }
}

/// A sentence as part of another: without its capital and full stop.
pub(super) fn phrase(sentence: &str) -> String {
    let sentence = sentence.strip_suffix('.').unwrap_or(sentence);
    let mut letters = sentence.chars();
    match letters.next() {
        // Not of what is written in capitals.
        Some(first) if letters.clone().next().is_some_and(char::is_lowercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => sentence.to_owned(),
    }
}

/// A small number for a sentence.
pub(super) fn figure(value: f64) -> String {
    significant(value, 2)
}
