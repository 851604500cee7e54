//! Verdicts on structured key sets.

use std::collections::BTreeSet;

use super::collisions::verdict;
use crate::record::files::Records;
use crate::record::{StructuredRow, Verdict};
use statistics::correction::bonferroni;

/// Whether a row is worse than chance, among `tests` tests.
pub fn is_worse(row: &StructuredRow, tests: usize) -> bool {
    of(row, tests).1 > Verdict::InBand
}

fn of(row: &StructuredRow, tests: usize) -> (f64, Verdict) {
    let p_adjusted = bonferroni(row.p_value, tests);
    (
        p_adjusted,
        verdict(row.collisions as f64, row.expected, row.ci_low, p_adjusted),
    )
}

/// Judges everything that was measured, among `tests` tests.
pub fn judge(rows: &mut [StructuredRow], tests: usize) {
    for row in rows {
        (row.p_adjusted, row.verdict) = of(row, tests);
    }
}

/// Of rows about one function and set the one that is furthest above chance, where one is above.
pub(crate) fn worst<'a>(rows: impl Iterator<Item = &'a StructuredRow>) -> Option<&'a StructuredRow> {
    rows.filter(|row| row.verdict > Verdict::InBand)
        .max_by(|a, b| ratio(a).total_cmp(&ratio(b)))
}

/// On how many sets `function` collides more than by chance, and how many were asked; `None` where it was asked of none.
pub(crate) fn sets_failed(records: &Records, function: &str) -> Option<(usize, usize)> {
    let rows = || crate::record::of(&records.structured, function);
    let sets = |rows: &mut dyn Iterator<Item = &StructuredRow>| {
        rows.map(|row| row.set.clone())
            .collect::<BTreeSet<String>>()
            .len()
    };
    let asked = sets(&mut rows());
    let failed = sets(&mut rows().filter(|row| row.verdict > Verdict::InBand));
    (asked > 0).then_some((failed, asked))
}

/// Collisions for each one of chance; as many as there are where chance gives none at all.
pub(crate) fn ratio(row: &StructuredRow) -> f64 {
    row.collisions as f64 / row.expected.max(1e-300)
}
