//! What `run.json` may say of an earlier run.

use std::collections::HashSet;

use super::{MOST_FUNCTIONS, NANOSECONDS, Wrong, dataset, function, within};
use crate::record::{Baseline, Run};

/// Times over other times: they are positive.
const RATIOS: std::ops::RangeInclusive<f64> = 1e-20..=1e20;
/// Ratio and threshold are stored with nine digits.
const ROUNDING: f64 = 1e-8;

pub(super) fn check(run: &Run, baseline: &Baseline) -> Result<(), Wrong> {
    let told = baseline.differences.len() as u64;
    within(
        "baseline.different_fields",
        baseline.different_fields,
        told..=u64::MAX,
    )?;
    if told == 0 {
        within("baseline.different_fields", baseline.different_fields, 0..=0)?;
    }
    let Some(times) = &baseline.times else {
        return Ok(());
    };
    let mut drifts = HashSet::new();
    for (index, drift) in times.drifts.iter().enumerate() {
        let of = format!("baseline.times.drifts[{index}]");
        let field = |name| format!("{of}.{name}");
        dataset(&field("dataset"), &drift.dataset, run)?;
        within(field("ratio"), drift.ratio, RATIOS)?;
        within(field("scatter"), drift.scatter, 0.0..=1e3)?;
        // The floor is one.
        within(field("functions"), drift.functions, 1..=MOST_FUNCTIONS as u64 + 1)?;
        if !drifts.insert((&drift.dataset, drift.form)) {
            return Err(format!(
                "{of}: a second one of {} and {} calls; one is allowed",
                drift.dataset,
                drift.form.word()
            ));
        }
    }
    let mut rows = HashSet::new();
    for (index, row) in times.rows.iter().enumerate() {
        let of = format!("baseline.times.rows[{index}]");
        let field = |name| format!("{of}.{name}");
        dataset(&field("dataset"), &row.dataset, run)?;
        function(&field("function"), &row.function, run)?;
        within(field("before_ns"), row.before_ns, NANOSECONDS)?;
        within(field("before_mad_ns"), row.before_mad_ns, NANOSECONDS)?;
        within(field("now_ns"), row.now_ns, NANOSECONDS)?;
        within(field("now_mad_ns"), row.now_mad_ns, NANOSECONDS)?;
        within(field("ratio"), row.ratio, RATIOS)?;
        within(field("threshold"), row.threshold, 1.0..=*RATIOS.end())?;
        let change = libm::fabs(libm::log(row.ratio)) - libm::log(row.threshold);
        if libm::fabs(change) > ROUNDING && row.changed != (change > 0.0) {
            return Err(format!(
                "field {}: {} is not allowed where ratio is {:?} and threshold {:?}, only {}",
                field("changed"),
                row.changed,
                row.ratio,
                row.threshold,
                change > 0.0
            ));
        }
        if !rows.insert((&row.dataset, &row.function, row.form)) {
            return Err(format!(
                "{of}: a second one of {}, {} and {} calls; one is allowed",
                row.dataset,
                row.function,
                row.form.word()
            ));
        }
    }
    Ok(())
}
