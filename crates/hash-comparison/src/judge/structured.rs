//! Verdicts on structured key sets.

use super::collisions::verdict;
use crate::measure::collisions::INTERVAL_LEVEL;
use crate::measure::structured::RawStructured;
use crate::record::{StructuredRow, Verdict};
use statistics::collisions::CollisionLaw;
use statistics::correction::bonferroni;

/// Whether so many collisions of `keys` keys in `bits` bits are worse than chance, among `tests` tests.
pub fn is_worse(tests: usize, keys: u64, bits: u32, collisions: u64) -> bool {
    let law = CollisionLaw::new(keys, bits);
    let p_adjusted = bonferroni(law.two_sided_p(collisions), tests);
    verdict(collisions as f64, law.expected(), 0.0, p_adjusted) > Verdict::InBand
}

/// Judges everything that was measured, in the given order, among `tests` tests.
pub fn judge(raw: Vec<RawStructured>, tests: usize) -> Vec<StructuredRow> {
    raw.into_iter()
        .map(|raw| {
            let law = CollisionLaw::new(raw.keys, raw.bits);
            let (ci_low, ci_high) = law.mean_interval(raw.collisions, INTERVAL_LEVEL);
            let p_value = law.two_sided_p(raw.collisions);
            let p_adjusted = bonferroni(p_value, tests);
            let [first, second] = raw.example.unwrap_or_default();
            StructuredRow {
                set: raw.set,
                function: raw.function,
                window: raw.window,
                bits: raw.bits,
                keys: raw.keys,
                collisions: raw.collisions,
                expected: law.expected(),
                ci_low,
                ci_high,
                p_value,
                p_adjusted,
                verdict: verdict(raw.collisions as f64, law.expected(), ci_low, p_adjusted),
                first,
                second,
            }
        })
        .collect()
}

/// Of rows about one function and set the one that is furthest above chance, where one is above.
pub(crate) fn worst<'a>(rows: impl Iterator<Item = &'a StructuredRow>) -> Option<&'a StructuredRow> {
    rows.filter(|row| row.verdict > Verdict::InBand)
        .max_by(|a, b| ratio(a).total_cmp(&ratio(b)))
}

/// Collisions for each one of chance; as many as there are where chance gives none at all.
pub(crate) fn ratio(row: &StructuredRow) -> f64 {
    row.collisions as f64 / row.expected.max(1e-300)
}
