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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_whose_high_bits_alone_fail_are_told() {
        let records = crate::property::committed();
        let mut told = Vec::new();
        for finding in &records.run.findings {
            let mut tables = about(&records.occupancy, &finding.dataset, &finding.function);
            let fails =
                tables.any(|row| row.choice == Choice::HighBits && row.verdict > Verdict::WithinChance);
            let only = only(&records, finding);
            let failed = finding.verdict > Verdict::WithinChance;
            assert!(failed || only.is_some() == fails, "{finding:?}: {only:?}");
            if only.is_some() && finding.dataset == "app-accounts" {
                told.push(finding.function.as_str());
            }
        }
        let expected = ["FNVHash", "FNV-1a 64", "RSHash", "XXH3", "BPHash"].map(|name| told.contains(&name));
        assert_eq!(expected, [true, true, true, false, false], "{told:?}");
    }
}
