//! Verdicts on structured key sets.

use std::collections::BTreeSet;

use crate::chance::verdict;
use crate::keys::Manifest;
use crate::keys::structured::{self, StructuredSet};
use crate::questions::{Records, StructuredRow, Window};
use crate::record::{DatasetKind, DatasetSummary, KeyShape, Verdict};
use statistics::correction::bonferroni;

/// Returns true if a row is worse than chance, among `tests` tests.
pub fn is_worse(row: &StructuredRow, tests: usize) -> bool {
    of(row, tests).1 > Verdict::WithinChance
}

fn of(row: &StructuredRow, tests: usize) -> (f64, Verdict) {
    let p_adjusted = bonferroni(row.p_value, tests);
    (
        p_adjusted,
        verdict(row.collisions as f64, row.expected, row.ci_low, p_adjusted),
    )
}

/// Judges all rows, among `tests` tests.
pub fn judge(rows: &mut [StructuredRow], tests: usize) {
    for row in rows {
        (row.p_adjusted, row.verdict) = of(row, tests);
    }
}

/// Returns the row furthest above chance among rows about one function and set, if any is above.
pub(crate) fn worst<'a>(rows: impl Iterator<Item = &'a StructuredRow>) -> Option<&'a StructuredRow> {
    rows.filter(|row| row.verdict > Verdict::WithinChance)
        .max_by(|a, b| ratio(a).total_cmp(&ratio(b)))
}

/// The sets on which a function collides more than by chance.
pub(crate) struct SetsFailed {
    pub(crate) failed: usize,
    /// The failed sets that fail only in their high bits.
    pub(crate) high_only: usize,
    pub(crate) tried: usize,
}

/// Returns the results of `function` on structured keys, or `None` if it was tried on none.
pub(crate) fn sets_failed(records: &Records, function: &str) -> Option<SetsFailed> {
    let rows = || crate::record::of(&records.structured, function);
    let sets = |counts: &dyn Fn(&StructuredRow) -> bool| {
        let names = rows().filter(|row| counts(row)).map(|row| row.set.as_str());
        names.collect::<BTreeSet<&str>>().len()
    };
    let fails = |row: &StructuredRow| row.verdict > Verdict::WithinChance;
    let (failed, tried) = (sets(&fails), sets(&|_| true));
    let elsewhere = sets(&|row| fails(row) && row.window != Window::High);
    (tried > 0).then_some(SetsFailed {
        failed,
        high_only: failed - elsewhere,
        tried,
    })
}

/// Returns the structured set most like the keys of a dataset, if there is one.
pub(crate) fn nearest(dataset: &DatasetSummary) -> Option<&'static StructuredSet> {
    let entries = &Manifest::embedded().datasets;
    let name = match (dataset.kind, dataset.looks_like) {
        (DatasetKind::File, Some(KeyShape::Urls)) => "urls",
        (DatasetKind::File, Some(KeyShape::Uuids)) => "uuid-7",
        (DatasetKind::File, _) => return None,
        _ => {
            let entry = entries.iter().find(|entry| entry.name == dataset.name)?;
            entry.nearest_structured.as_deref()?
        }
    };
    structured::ALL.iter().find(|set| set.name == name)
}

/// Returns the ratio of collisions to chance, which is huge if chance gives none.
pub(crate) fn ratio(row: &StructuredRow) -> f64 {
    row.collisions as f64 / row.expected.max(1e-300)
}
