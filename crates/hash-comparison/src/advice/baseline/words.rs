//! Sentences on the comparison with an earlier run.

use crate::advice::baseline::times::ENOUGH_FUNCTIONS;
use crate::record::{Baseline, TimeChange};
use records::number::{grouped, significant};

/// The least change of a whole machine that is told.
const LEAST_DRIFT: f64 = 0.01;

/// Returns the sentences, most important first.
pub fn sentences(baseline: &Baseline) -> Vec<String> {
    let mut lines = quality(baseline);
    match &baseline.times {
        None => lines.push("Times are not compared: the runs are of two machines.".to_owned()),
        Some(times) => {
            let changed: Vec<&TimeChange> = times.rows.iter().filter(|row| row.changed).collect();
            let compared = grouped(times.rows.len() as u64);
            let number = match changed.len() {
                0 => "None".to_owned(),
                some => some.to_string(),
            };
            lines.push(format!(
                "{number} of {compared} times changed by more than two runs of one build differ."
            ));
            lines.extend(changed.into_iter().map(change));
            for drift in &times.drifts {
                let (set, form) = (&drift.dataset, drift.form);
                if drift.functions < ENOUGH_FUNCTIONS as u64 {
                    lines.push(format!(
                        "{set}, {form} calls: too few functions to tell a slower machine from slower functions."
                    ));
                } else if (drift.ratio - 1.0).abs() >= LEAST_DRIFT {
                    let slower = slower(drift.ratio);
                    lines.push(format!(
                        "{set}, {form} calls: the whole machine was {slower}, which is left out of the changes."
                    ));
                }
            }
            lines.push("Times by length, and of keys in memory, are not compared.".to_owned());
        }
    }
    lines.extend(baseline.notes.iter().cloned());
    lines
}

fn quality(baseline: &Baseline) -> Vec<String> {
    if baseline.compared_rows == 0 {
        return vec!["Nothing but times is compared: no row is in both runs.".to_owned()];
    }
    if !baseline.differences.is_empty() {
        return baseline.differences.clone();
    }
    let rows = grouped(baseline.compared_rows);
    vec![format!(
        "Apart from times, the {rows} rows that both runs have are equal."
    )]
}

fn change(row: &TimeChange) -> String {
    let [now, before] = [row.now_ns, row.before_ns].map(|ns| significant(ns, 3));
    let (set, function, form, slower) = (&row.dataset, &row.function, row.form, slower(row.ratio));
    format!("{set}, {function}, {form} calls: at least {slower} ({now} ns per key now, {before} before).")
}

fn slower(ratio: f64) -> String {
    if ratio >= 1.0 {
        format!("{:.1} % slower", (ratio - 1.0) * 100.0)
    } else {
        format!("{:.1} % faster", (1.0 - ratio) * 100.0)
    }
}
