//! Defects of the high bits only, and their cost for tables that choose buckets by high bits.

use crate::questions::{Records, WindowEnd, windows};
use crate::record::{Choice, Finding, Verdict, about};
use records::number::significant;

/// Returns the figures of a defect that only the high bits have, or `None` if the high bits are as chance or a test
/// that counts has failed anyway.
pub(crate) fn only(records: &Records, finding: &Finding) -> Option<String> {
    if finding.verdict > Verdict::WithinChance {
        return None;
    }
    let (dataset, function) = (&finding.dataset, &finding.function);
    let table = about(&records.occupancy, dataset, function)
        .find(|row| row.choice == Choice::HighBits && row.verdict > Verdict::WithinChance);
    if let Some(row) = table {
        let [measured, chance] = [row.hit, row.hit_expected].map(|value| significant(value, 3));
        return Some(format!("{measured} comparisons per look-up; chance: {chance}"));
    }
    let failed = about(&records.windows, dataset, function)
        .filter(|row| row.end == WindowEnd::High && windows::failed(row));
    let worst = failed.min_by(|a, b| a.p_value.total_cmp(&b.p_value))?;
    let chance = significant(worst.expected, 3);
    Some(format!(
        "{} collide in {}; chance: {chance}",
        worst.collisions,
        windows::place(worst)
    ))
}
