//! The results of a run, formatted for the terminal.

use filter_tools::table::{counted, labelled, table as laid_out, width, wrapped};
use plots::number::significant;
use plots::thousands::grouped;

use super::columns;
use crate::judge::baseline::words;
use crate::judge::recommend::words as recommended;
use crate::record::files::Records;
use crate::record::{
    Advice, Baseline, DatasetSummary, EMPTY, Environment, Recommendation, Standing, TimingRow, Verdict, about,
};

/// Columns of the table. False positives are of a filter with 10 bits per key.
const HEADER: &str = "function | ns/key | total ms | collisions | FP 10 bits | verdict";
/// Columns reserved for a label with its gap, and for the text after a truncated list.
const LABEL: usize = 14 + 16;

/// Returns one table for each dataset, in the layout of the published tables.
pub fn table(records: &Records) -> String {
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
            laid_out(columns(HEADER), &[1, 2, 3, 4], rows)
        ));
    }
    if !text.is_empty() {
        text.push_str("\nin band: no difference from a random function seen\n");
    }
    text
}

/// Returns the changes since an earlier run, wrapped like a table.
pub fn baseline(baseline: &Baseline) -> String {
    let heading = format!("Against the run of {} in {}:", baseline.date, baseline.folder);
    let lines = words::sentences(baseline);
    let rows = lines.into_iter().map(|line| ["-".to_owned(), line]);
    format!("{heading}\n{}\n", labelled(rows.collect()))
}

/// Returns the recommendation for one dataset: the pick in the first line, then the reasons and alternatives.
pub fn answer(records: &Records, told: &Recommendation) -> String {
    let set = records.run.datasets.iter().find(|set| set.name == told.dataset);
    let dropped = |set: &DatasetSummary| match set.duplicates_dropped {
        0 => String::new(),
        dropped => format!(", {} dropped", counted(dropped, "duplicate")),
    };
    let keys = set.map_or_else(String::new, |set| {
        format!(" ({}{})", counted(set.keys, "key"), dropped(set))
    });
    let ns = |one: &Advice| {
        one.time.map_or_else(String::new, |time| {
            format!(", {} ns per key", significant(time.ns, 2))
        })
    };
    let pick = match told.pick() {
        Some(pick) => format!("take {}{}", pick.function, ns(pick)),
        None => "nothing is recommended".to_owned(),
    };
    let heading = wrapped(format!(
        "{}{keys}: {pick}, for {}",
        told.dataset,
        recommended::asked(told)
    ));
    let mut rows: Vec<[String; 2]> = Vec::new();
    for one in told.standing(Standing::RunnerUp) {
        rows.push([
            "runner-up".to_owned(),
            format!("{}{}: {}", one.function, ns(one), one.reason),
        ]);
    }
    if let Some(mine) = &told.mine {
        rows.push(["yours".to_owned(), mine.words.clone()]);
    }
    let avoid = told.standing(Standing::Avoid);
    let mut avoid: Vec<String> = avoid
        .map(|one| format!("{} ({})", one.function, one.reason))
        .collect();
    // Costliest first: a list that does not fit is cut at its end.
    avoid.reverse();
    if let Some(avoid) = fitting(avoid) {
        rows.push(["avoid".to_owned(), avoid]);
    }
    let notes = told.attackers.iter().chain(&told.notes);
    rows.extend(notes.map(|note| ["note".to_owned(), note.clone()]));
    format!("{heading}\n{}\n", labelled(rows))
}

/// Returns a sentence that says which times the recommendations use, and why.
pub fn time(told: &Recommendation) -> String {
    wrapped(format!("times: {}", told.form_reason))
}

/// Joins as many items as fit on two lines and counts the rest. Returns `None` for an empty list.
fn fitting(all: Vec<String>) -> Option<String> {
    all.first()?;
    let room = 2 * usize::from(width()).saturating_sub(LABEL);
    let mut text = String::new();
    for (index, one) in all.iter().enumerate() {
        let rest = all.len() - index;
        if index > 0 && text.len() + one.len() + 2 > room {
            return Some(format!("{text} and {rest} more (--table, or the report)"));
        }
        if index > 0 {
            text += ", ";
        }
        text += one;
    }
    Some(text)
}

/// Returns a warning if other programs probably disturbed the timing.
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

/// Returns milliseconds for the whole set, extrapolated if only a sample was timed.
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
