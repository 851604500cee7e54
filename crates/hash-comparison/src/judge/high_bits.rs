//! The high bits of functions that pass everything else: what tables pay that choose buckets by them.

use super::windows;
use crate::record::files::Records;
use crate::record::{Choice, Finding, Verdict, WindowEnd, about};
use plots::number::significant;

/// What differs from chance in the high bits alone, in figures; `None` where they are as chance too, and where a test that
/// counts has failed anyway.
pub(crate) fn only(records: &Records, finding: &Finding) -> Option<String> {
    if finding.verdict > Verdict::InBand {
        return None;
    }
    let (dataset, function) = (&finding.dataset, &finding.function);
    let table = about(&records.occupancy, dataset, function)
        .find(|row| row.choice == Choice::HighBits && row.verdict > Verdict::InBand);
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
