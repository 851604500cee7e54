//! Sentences on the comparison with an earlier run.

use crate::record::{Baseline, TimeChange};
use plots::thousands::grouped;

/// Returns the sentences, most important first.
pub fn sentences(baseline: &Baseline) -> Vec<String> {
    let mut lines = vec![quality(baseline)];
    match &baseline.times {
        None => lines.push("times: not compared, the runs are of two machines".to_owned()),
        Some(times) => {
            let changed: Vec<&TimeChange> = times.rows.iter().filter(|row| row.changed).collect();
            let compared = grouped(times.rows.len() as u64);
            lines.push(match changed.len() {
                0 => format!("times of key sets: no change beyond noise in {compared}"),
                1 => format!("times of key sets: 1 of {compared} changed beyond noise"),
                many => format!("times of key sets: {many} of {compared} changed beyond noise"),
            });
            lines.extend(changed.into_iter().map(change));
            lines.push("times by length, and of keys in memory, are not compared".to_owned());
            for drift in &times.drifts {
                lines.push(
                    if drift.functions < crate::judge::baseline::times::ENOUGH_FUNCTIONS as u64 {
                        format!(
                            "{}, {} calls: too few functions to tell a slower machine from slower functions",
                            drift.dataset, drift.form
                        )
                    } else {
                        format!(
                            "{}, {} calls: the machine ran {}; corrected",
                            drift.dataset,
                            drift.form,
                            times_as_long(drift.ratio)
                        )
                    },
                );
            }
        }
    }
    lines.extend(baseline.notes.iter().cloned());
    lines
}

fn quality(baseline: &Baseline) -> String {
    if baseline.compared_rows == 0 {
        return "everything but times: not compared, no row is in both runs".to_owned();
    }
    let rows = grouped(baseline.compared_rows);
    let Some(first) = baseline.differences.first() else {
        return format!("everything but times: no difference in the {rows} rows that both runs have");
    };
    // Some files are about no dataset.
    let about = [&first.dataset, &first.function, &first.question];
    let about: Vec<&str> = about
        .into_iter()
        .map(String::as_str)
        .filter(|name| !name.is_empty())
        .collect();
    format!(
        "everything but times: {} in the {rows} rows that both runs have, the first in {}: {}: {} was {} and is {}",
        match baseline.different_fields {
            1 => "1 field differs".to_owned(),
            many => format!("{} fields differ", grouped(many)),
        },
        first.file,
        about.join(", "),
        first.column,
        first.before,
        first.now
    )
}

fn change(row: &TimeChange) -> String {
    format!(
        "{}, {}, {} calls: {:.2} ± {:.2} ns now, {:.2} ± {:.2} before; {} beyond what the machine did",
        row.dataset,
        row.function,
        row.form,
        row.now_ns,
        row.now_mad_ns,
        row.before_ns,
        row.before_mad_ns,
        times_as_long(row.ratio)
    )
}

fn times_as_long(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent.abs() < 0.05 {
        "as fast as before".to_owned()
    } else if percent > 0.0 {
        format!("{percent:.1} % slower")
    } else {
        format!("{:.1} % faster", -percent)
    }
}
