//! What to take.

use super::{list, plural, too_few};
use crate::judge::baseline::times::LEAST_CHANGE;
use crate::judge::findings::FEWEST_KEYS;
use crate::record::{EMPTY, Finding, Run, TimingRow};
use crate::report::chart::rows::{DatasetRows, will_do};
use plots::number::{grouped, percent, significant};
use plots::scene::printable;

/// More of them would push the chart off the screen; the table names all.
const MOST_PICKED: usize = 12;
/// Likewise.
const MOST_FASTEST: usize = 4;

/// Times are unsteady where the median absolute deviation of at least half of the functions is more than this share of
/// the median.
const UNSTEADY: f64 = 0.05;

/// Which functions will do, and which of them is fastest.
pub(super) fn write(data: &DatasetRows<'_>, run: &Run) -> String {
    let good: Vec<&Finding> = data
        .best_first()
        .into_iter()
        .filter(|f| will_do(f.verdict))
        .collect();
    if data.findings.is_empty() {
        return "nothing was measured on these keys.".to_owned();
    }
    if too_few(data) {
        return format!(
            "too few keys to tell functions apart: choose by a larger sample of such keys, at least {}, better tens of \
             thousands.",
            plural(FEWEST_KEYS, "key")
        );
    }
    if good.is_empty() {
        return "none of the functions measured: each does measurably worse than chance on these keys."
            .to_owned();
    }
    let named = |finding: &&Finding| {
        let name = printable(&finding.function);
        if stable(run, finding) {
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
    format!(
        "for a filter or table over these keys {choice}{}.{}",
        fastest(data, run, &good),
        unsteady(data, run)
    )
}

/// Whether the values are promised to stay.
fn stable(run: &Run, finding: &Finding) -> bool {
    run.functions
        .iter()
        .any(|f| f.name == finding.function && f.stable)
}

/// The fastest of `good`, which are in the order of their times, and those that are as fast.
fn fastest(data: &DatasetRows<'_>, run: &Run, good: &[&Finding]) -> String {
    let timed: Vec<(&Finding, &TimingRow)> = good
        .iter()
        .filter_map(|finding| Some((*finding, data.throughput(&finding.function)?)))
        .collect();
    let Some((first, fastest)) = timed.first() else {
        return String::new();
    };
    let low = |row: &TimingRow| (row.median_ns_per_key - row.mad_ns_per_key).max(0.0);
    let high = |row: &TimingRow| row.median_ns_per_key + row.mad_ns_per_key;
    let equal: Vec<&(&Finding, &TimingRow)> = timed
        .iter()
        .take_while(|(_, row)| {
            low(row) <= high(fastest) || row.median_ns_per_key < LEAST_CHANGE * fastest.median_ns_per_key
        })
        .collect();
    let ends = format!(
        "({} to {})",
        significant(
            equal
                .iter()
                .map(|(_, row)| low(row))
                .fold(f64::INFINITY, f64::min),
            3
        ),
        significant(equal.iter().map(|(_, row)| high(row)).fold(0.0, f64::max), 3),
    );
    let time = significant(fastest.median_ns_per_key, 2);
    let mut text = match equal.as_slice() {
        [_] => format!(
            "; {} is fastest at {time} ns per key {ends}",
            printable(&first.function)
        ),
        several => {
            let mut names: Vec<String> = several
                .iter()
                .take(MOST_FASTEST)
                .map(|(finding, _)| printable(&finding.function))
                .collect();
            if several.len() > MOST_FASTEST {
                names.push(format!("{} more", several.len() - MOST_FASTEST));
            }
            format!(
                "; {} are fastest, and equally fast, at {time} ns per key {ends}",
                list(&names, "and")
            )
        }
    };
    let fixed = timed.iter().find(|(finding, _)| stable(run, finding));
    if let Some((finding, row)) = fixed
        && equal.iter().all(|(finding, _)| !stable(run, finding))
    {
        let time = significant(row.median_ns_per_key, 2);
        text += &format!(
            ", {} of those fit for storage at {time}",
            printable(&finding.function)
        );
    }
    text
}

/// A warning where the times cannot be trusted.
fn unsteady(data: &DatasetRows<'_>, run: &Run) -> String {
    let mut spreads: Vec<f64> = data
        .timing
        .iter()
        .filter(|row| row.function != EMPTY && row.median_ns_per_key > 0.0)
        .map(|row| row.mad_ns_per_key / row.median_ns_per_key)
        .collect();
    spreads.sort_by(f64::total_cmp);
    // Of an even number the lower of the two in the middle: at least half reach it.
    let typical = spreads
        .len()
        .checked_sub(1)
        .map_or(0.0, |last| spreads[last.div_ceil(2)]);
    if typical > UNSTEADY {
        return format!(
            " The times were unsteady, half of them by ±{} or more: repeat on a quiet machine.",
            percent(typical)
        );
    }
    if run.environment.timing_disturbed() != Some(true) || spreads.is_empty() {
        return String::new();
    }
    let how = match run.environment.involuntary_switches_while_timing {
        Some(switches) => format!("took the processor {} times meanwhile", grouped(switches)),
        None => "ran meanwhile".to_owned(),
    };
    format!(" The times are probably too high, since other programs {how}: repeat on a quiet machine.")
}
