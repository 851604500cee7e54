//! What a run found, as the terminal shows it.

use filter_tools::table::{counted, labelled, table, wrapped};
use plots::thousands::grouped;

use super::columns;
use crate::judge::baseline::words;
use crate::judge::recommend::words as recommended;
use crate::record::files::Records;
use crate::record::{Baseline, EMPTY, Environment, Recommendation, Standing, TimingRow, Verdict, about};

/// Columns of the summary; the false positives are those of a filter of ten bits per key.
const HEADER: &str = "function | ns/key | total ms | collisions | FP 10 bits | verdict";
/// Most functions that are told each on a line of its own.
const MOST_LISTED: usize = 5;

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
    let mut rows: Vec<[String; 2]> = Vec::new();
    for one in recommendation.suited().take(MOST_LISTED) {
        let ns = one.time.map(|time| {
            format!(
                "{:.2} ns per key ({:.2} to {:.2})",
                time.ns, time.low_ns, time.high_ns
            )
        });
        let why: Vec<String> = ns.into_iter().chain([one.reason.clone()]).collect();
        rows.push([format!("{}. {}", one.rank, one.function), why.join("; ")]);
    }
    if rows.is_empty() {
        rows.push(["none".to_owned(), "no function is recommended".to_owned()]);
    } else {
        rows.push(["time".to_owned(), recommendation.form_reason.clone()]);
    }
    if let Some(mine) = &recommendation.mine {
        rows.push(["yours".to_owned(), mine.words.clone()]);
    }
    let more: Vec<&str> = (recommendation.suited().skip(MOST_LISTED))
        .map(|one| one.function.as_str())
        .collect();
    if !more.is_empty() {
        rows.push(["also suited".to_owned(), more.join(", ")]);
    }
    for (standing, label) in [(Standing::Avoid, "avoid"), (Standing::Lacking, "left out")] {
        let told = recommendation.standing(standing);
        let told: Vec<String> = told
            .map(|one| format!("{} ({})", one.function, one.reason))
            .collect();
        if !told.is_empty() {
            rows.push([label.to_owned(), told.join("; ")]);
        }
    }
    let notes = recommendation.attackers.iter().chain(&recommendation.notes);
    rows.extend(notes.map(|note| ["note".to_owned(), note.clone()]));
    format!("{heading}\n{}\n", labelled(rows))
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
