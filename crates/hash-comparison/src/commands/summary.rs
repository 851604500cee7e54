//! What a run found, as the terminal shows it.

use filter_tools::table::{counted, labelled, table, wrapped};
use plots::thousands::grouped;

use super::columns;
use crate::judge::baseline::words;
use crate::judge::recommend::words as recommended;
use crate::record::files::Records;
use crate::record::{
    Baseline, EMPTY, Environment, Exclusion, Other, Recommendation, TimingRow, Verdict, about,
};

/// Columns of the summary; the false positives are those of a filter of ten bits per key.
const HEADER: &str = "function | ns/key | total ms | collisions | FP 10 bits | verdict";
/// What a run found, one table a dataset, in the layout of the published ones.
pub fn summary(records: &Records) -> String {
    let mut text = String::new();
    for dataset in &records.run.datasets {
        let rows = records.run.functions.iter().map(|function| {
            let name = function.name.as_str();
            let time = about(&records.timing, &dataset.name, name).next();
            let collisions =
                about(&records.collisions, &dataset.name, name).find(|row| row.bits == function.bits);
            let rate =
                about(&records.false_positives, &dataset.name, name).find(|row| row.bits_per_key == 10);
            let finding = about(&records.run.findings, &dataset.name, name).next();
            [
                name.to_owned(),
                time.map_or_else(String::new, |row| format!("{:.2}", row.median_ns_per_key)),
                time.map_or_else(String::new, |row| total(row, dataset.keys)),
                collisions.map_or_else(String::new, |row| grouped(row.collisions)),
                rate.map_or_else(String::new, |row| format!("{:.3} %", row.rate * 100.0)),
                finding.map_or_else(String::new, |finding| verdict(finding.verdict).to_owned()),
            ]
        });
        let floor = about(&records.timing, &dataset.name, EMPTY).next();
        text.push_str(&format!(
            "\n{}: {}, {}{}{}\n{}\n",
            dataset.name,
            counted(dataset.keys, "key"),
            counted(dataset.bytes, "byte"),
            match dataset.duplicates_dropped {
                0 => String::new(),
                dropped => format!(", {} dropped", counted(dropped, "duplicate")),
            },
            floor.map_or_else(String::new, |row| format!(
                "; the empty function takes {:.2} ns",
                row.median_ns_per_key
            )),
            table(columns(HEADER), &[1, 2, 3, 4], rows)
        ));
    }
    if !text.is_empty() {
        text.push_str("\nin band: no difference from a random function seen\n");
    }
    text
}

/// What changed since an earlier run, wrapped like a table.
pub fn baseline(baseline: &Baseline) -> String {
    let heading = format!("Against the run of {} in {}:", baseline.date, baseline.folder);
    let lines = words::sentences(baseline);
    let rows = lines.into_iter().map(|line| ["-".to_owned(), line]);
    format!("{heading}\n{}\n", labelled(rows.collect()))
}

/// What to take for one dataset, and why, wrapped like a table.
pub fn recommendation(recommendation: &Recommendation) -> String {
    let asked = recommended::asked(recommendation);
    let heading = wrapped(format!("{}: for {asked}", recommendation.dataset));
    let mut rows: Vec<[String; 2]> = recommendation
        .short_list
        .iter()
        .map(|one| {
            let ns = one.time.map(|time| {
                format!(
                    "{:.2} ns per key ({:.2} to {:.2})",
                    time.ns, time.low_ns, time.high_ns
                )
            });
            let why: Vec<String> = ns.into_iter().chain(one.reasons.clone()).collect();
            [format!("{}. {}", one.rank, one.function), why.join("; ")]
        })
        .collect();
    let ranks: Vec<u64> = (recommendation.short_list.iter().map(|one| one.rank))
        .chain(recommendation.more.iter().map(|one| one.rank))
        .collect();
    if rows.is_empty() {
        rows.push(["none".to_owned(), "no function is recommended".to_owned()]);
    } else if ranks.windows(2).any(|pair| pair[0] == pair[1]) {
        rows.push(["equal ranks".to_owned(), "no measurable difference".to_owned()]);
    }
    if let Some(mine) = &recommendation.mine {
        rows.push(["yours".to_owned(), mine.words.clone()]);
    }
    if !recommendation.more.is_empty() {
        rows.push(["also suited".to_owned(), also_suited(&recommendation.more)]);
    }
    rows.extend(
        recommendation
            .excluded
            .iter()
            .map(|group| ["left out".to_owned(), left_out(group)]),
    );
    rows.extend(
        recommendation
            .notes
            .iter()
            .map(|note| ["note".to_owned(), note.clone()]),
    );
    format!("{heading}\n{}\n", labelled(rows))
}

/// Those that the short list has no room for, each rank once.
fn also_suited(more: &[Other]) -> String {
    let ranks = more.chunk_by(|a, b| a.rank == b.rank).map(|group| {
        let names: Vec<&str> = group.iter().map(|one| one.function.as_str()).collect();
        format!("rank {}: {}", group[0].rank, names.join(", "))
    });
    ranks.collect::<Vec<_>>().join("; ")
}

/// The functions that lack one thing, those of one reason together, the first reasons with them.
fn left_out(group: &Exclusion) -> String {
    /// The report has the others.
    const MAX_REASONS: usize = 3;
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in &group.functions {
        match reasons.iter_mut().find(|(reason, _)| *reason == one.reason) {
            Some((_, names)) => names.push(&one.function),
            None => reasons.push((&one.reason, vec![&one.function])),
        }
    }
    let (told, untold) = reasons.split_at(reasons.len().min(MAX_REASONS));
    let told = told
        .iter()
        .map(|(reason, names)| format!("{} ({})", names.join(", "), reason.trim_end_matches('.')));
    let mut told: Vec<String> = told.collect();
    if !untold.is_empty() {
        let names: Vec<&str> = untold.iter().flat_map(|(_, names)| names.clone()).collect();
        told.push(format!("for reasons that the report gives: {}", names.join(", ")));
    }
    format!("{}: {}", recommended::ground(group.ground), told.join("; "))
}

/// What to say of times that other programs probably disturbed.
pub fn disturbance(environment: &Environment) -> Option<String> {
    let switches = environment.involuntary_switches_while_timing?;
    let seconds = environment.timing_seconds?;
    environment.timing_disturbed()?.then(|| {
        format!(
            "the times are probably too high: in {seconds:.1} s of timing other programs took the\n\
             processor {} times; repeat on a quiet machine",
            grouped(switches)
        )
    })
}

/// Milliseconds for the whole set, also where a sample was timed.
fn total(row: &TimingRow, keys: u64) -> String {
    let milliseconds = row.median_ns_per_key * keys as f64 / 1e6;
    if milliseconds < 100.0 {
        format!("{milliseconds:.3}")
    } else {
        format!("{milliseconds:.1}")
    }
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::FewerThanChance => "fewer than chance",
        Verdict::InBand => "in band",
        Verdict::MeasurablyWorse => "measurably worse",
        Verdict::Unusable => "unusable",
    }
}

#[cfg(test)]
mod tests;
