//! The sentences of the first screen.

use serde::Serialize;

use crate::chart::number::{grouped, significant};
use crate::chart::rows::{DatasetRows, ratio, will_do};
use crate::chart::scene::printable;
use crate::record::{CollisionRow, Finding, Run, Verdict};

/// Collisions that a perfect function of 32 bits has among a million keys: `n - m (1 - (1 - 1/m)^n)` with
/// n = 1,000,000 and m = 2^32 is 116.406.
const EXPECTED_AT_A_MILLION: &str = "116";

/// More of them would push the chart off the screen; the table names all.
const MOST_AVOIDED: usize = 3;

/// Likewise.
const MOST_PICKED: usize = 24;

/// All texts of the first screen for one dataset.
#[derive(Debug, Serialize)]
pub(crate) struct Sentences {
    /// The data.
    data: String,
    /// CPU, date and seed.
    run: String,
    pick: String,
    avoid: String,
    width: String,
    footer: String,
}

/// Writes them.
pub(crate) fn write(data: &DatasetRows<'_>, run: &Run) -> Sentences {
    Sentences {
        data: data_line(data),
        run: run_line(run),
        pick: pick(data, run),
        avoid: avoid(data),
        width: width(data),
        footer: footer(data),
    }
}

fn data_line(data: &DatasetRows<'_>) -> String {
    let summary = data.summary;
    let dropped = match summary.duplicates_dropped {
        0 => String::new(),
        1 => "; 1 duplicate line dropped".to_owned(),
        many => format!("; {} duplicate lines dropped", grouped(many)),
    };
    format!(
        "{}: {}, {} to {} bytes, mean {:.1}{dropped}",
        printable(&summary.name),
        plural(summary.keys, "key"),
        grouped(summary.min_len),
        grouped(summary.max_len),
        summary.mean_len,
    )
}

fn run_line(run: &Run) -> String {
    // RFC 3339 begins with the date.
    let day = run.date.split('T').next().unwrap_or_default();
    let quick = if run.quick {
        " · quick run: fewer timing samples"
    } else {
        ""
    };
    printable(&format!(
        "{} · {day} · seed {}{quick}",
        run.environment.cpu, run.seed
    ))
}

fn pick(data: &DatasetRows<'_>, run: &Run) -> String {
    let good: Vec<&Finding> = data
        .best_first()
        .into_iter()
        .filter(|f| will_do(f.verdict))
        .collect();
    if data.findings.is_empty() {
        return "nothing was measured on these keys.".to_owned();
    }
    if good.is_empty() {
        return "none of the functions measured: each does measurably worse than chance on these keys."
            .to_owned();
    }
    let stable = |finding: &Finding| {
        run.functions
            .iter()
            .any(|f| f.name == finding.function && f.stable)
    };
    let named = |finding: &&Finding| {
        let name = printable(&finding.function);
        if stable(finding) {
            name
        } else {
            format!("{name} (in memory only)")
        }
    };
    let mut names: Vec<String> = good.iter().take(MOST_PICKED).map(named).collect();
    if good.len() > MOST_PICKED {
        names.push(format!("{} more", good.len() - MOST_PICKED));
    }
    let choice = match names.as_slice() {
        [one] => format!("{one} will do: no measurable difference from chance"),
        _ => format!(
            "any of {} will do: no measurable difference in quality",
            list(&names, "or")
        ),
    };
    let mut text = format!("for a filter or table over these keys {choice}");
    // Best first is fastest first among these.
    let timed: Vec<_> = good
        .iter()
        .filter_map(|finding| Some((*finding, data.throughput(&finding.function)?)))
        .collect();
    let fastest = timed.first();
    if let Some((finding, row)) = fastest {
        let (median, mad) = (row.median_ns_per_key, row.mad_ns_per_key);
        text += &format!(
            "; {} is fastest at {} ns per key ({} to {})",
            printable(&finding.function),
            significant(median, 2),
            significant((median - mad).max(0.0), 3),
            significant(median + mad, 3),
        );
        let fixed = timed.iter().find(|(finding, _)| stable(finding));
        if let (false, Some((finding, row))) = (stable(finding), fixed) {
            let time = significant(row.median_ns_per_key, 2);
            text += &format!(
                ", {} of those fit for storage at {time}",
                printable(&finding.function)
            );
        }
    }
    text + "."
}

fn avoid(data: &DatasetRows<'_>) -> String {
    let mut groups: Vec<Group> = Vec::new();
    // Worst first. Functions with the same outcome, as two names of one function have, share a clause.
    for finding in data
        .best_first()
        .into_iter()
        .rev()
        .filter(|f| !will_do(f.verdict))
    {
        let name = printable(&finding.function);
        let outcome = outcome(data, finding);
        match groups.iter_mut().find(|group| group.outcome == outcome) {
            Some(group) => group.names.push(name),
            None => groups.push(Group {
                verdict: finding.verdict,
                names: vec![name],
                outcome,
            }),
        }
    }
    if groups.is_empty() {
        return "nothing here: no function does measurably worse than chance on these keys.".to_owned();
    }
    let (told, rest) = groups.split_at(groups.len().min(MOST_AVOIDED));
    let mut clauses: Vec<String> = told
        .iter()
        .map(|group| format!("{}: {}", list(&group.names, "and"), group.outcome))
        .collect();
    for (verdict, lead) in [
        (Verdict::Unusable, "also unusable"),
        (Verdict::MeasurablyWorse, "also measurably worse"),
    ] {
        let names: Vec<String> = rest
            .iter()
            .filter(|group| group.verdict == verdict)
            .flat_map(|group| group.names.clone())
            .collect();
        if !names.is_empty() {
            clauses.push(format!("{lead}: {}", list(&names, "and")));
        }
    }
    clauses.join("; ") + "."
}

/// Functions with the same outcome.
struct Group {
    verdict: Verdict,
    names: Vec<String>,
    outcome: String,
}

/// What a function does to the keys, in words.
fn outcome(data: &DatasetRows<'_>, finding: &Finding) -> String {
    let bad = |row: &&CollisionRow| !will_do(row.verdict);
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
        "{} of {} keys fall on the value of another",
        grouped(row.collisions),
        grouped(row.keys)
    );
    if full.is_none() {
        text += &format!(" in the low {} bits", row.bits);
    }
    if let Some(ratio) = ratio(row) {
        text += &format!(", {} times chance", significant(ratio, 2));
    }
    if let Some([one, other]) = &finding.example {
        text += &format!(" (“{}” and “{}”)", shortened(one), shortened(other));
    }
    text
}

fn width(data: &DatasetRows<'_>) -> String {
    let million = format!("{EXPECTED_AT_A_MILLION} of a million");
    let advice = "where no two keys may share a value, take 64 bits";
    let keys = data.summary.keys;
    match data.collisions.iter().find(|row| row.bits == 32) {
        Some(row) if keys > 1 && keys != 1_000_000 => format!(
            "even a perfect function of 32 bits puts {} of these {} on the value of another, on average, and {million}; \
             {advice}.",
            significant(row.expected, 2),
            plural(keys, "key"),
        ),
        _ => format!(
            "even a perfect function of 32 bits puts {million} keys on the value of another, on average; {advice}."
        ),
    }
}

fn footer(data: &DatasetRows<'_>) -> String {
    let seen = data.summary.detectable_ratio;
    let seen = if seen.is_finite() && seen > 0.0 {
        format!(
            "At full width this test would have noticed {} times the collisions of chance, and no less",
            significant(seen, 3)
        )
    } else {
        "At full width these keys are too few to tell any function from chance".to_owned()
    };
    format!(
        "{seen}. It cannot rank the functions inside the band, and it says nothing of keys that an attacker chooses."
    )
}

/// A key short enough for a sentence.
fn shortened(key: &str) -> String {
    const MOST: usize = 32;
    let key = printable(key);
    if key.chars().count() <= MOST {
        key
    } else {
        key.chars().take(MOST - 1).collect::<String>() + "…"
    }
}

fn plural(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(count))
}

/// `a`, `a or b`, `a, b or c`.
fn list(names: &[String], conjunction: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {conjunction} {last}", first.join(", ")),
    }
}
