//! The order of the functions on a dataset, for charts and tables.
//!
//! Functions inside the band cannot be told apart in quality, so time alone orders them. The others are ordered by how far
//! they are off. What to take is another question: see [`recommend`](super::recommend).

use std::cmp::Ordering;

use super::collisions::ratio;
use crate::record::files::Records;
use crate::record::{CallForm, Finding, IDEAL, Verdict, about};

/// How bad a function is whose tests failed, the worse the greater: how many times the collisions of chance it has at the
/// worst width, else how many times the false positives of the ideal hash, surely, else how little chance explains it.
fn severity(records: &Records, finding: &Finding) -> [f64; 3] {
    let (dataset, function) = (finding.dataset.as_str(), finding.function.as_str());
    let collisions = about(&records.collisions, dataset, function)
        .find(|row| row.bits == finding.worst_bits && row.verdict > Verdict::InBand);
    let rates = &records.false_positives;
    let surely = about(rates, dataset, function).filter_map(|row| {
        let ideal = about(rates, dataset, IDEAL).find(|ideal| ideal.bits_per_key == row.bits_per_key)?;
        Some(row.ci_low / ideal.rate).filter(|ratio| ratio.is_finite())
    });
    let uneven = about(&records.distribution, dataset, function).map(|row| row.p_value);
    let p_value = uneven
        .chain(collisions.map(|row| row.p_value))
        .fold(1.0, f64::min);
    [
        collisions.and_then(ratio).unwrap_or(1.0),
        surely.fold(1.0, f64::max),
        -p_value,
    ]
}

/// Numbers the findings of each dataset, best first.
pub fn rank(records: &mut Records) {
    let key = |finding: &Finding| {
        // The two verdicts that chance explains are one: there time decides.
        let verdict = finding.verdict.max(Verdict::InBand);
        if verdict == Verdict::InBand {
            (verdict, deciding_time(records, finding), [0.0; 3])
        } else {
            (verdict, 0.0, severity(records, finding))
        }
    };
    let keys: Vec<_> = records.run.findings.iter().map(key).collect();
    let mut order: Vec<usize> = (0..keys.len()).collect();
    // Stable: equal ones keep the recorded order. Records hold no numbers that cannot be compared.
    order.sort_by(|&a, &b| keys[a].partial_cmp(&keys[b]).unwrap_or(Ordering::Equal));
    let findings = &mut records.run.findings;
    for (place, &index) in order.iter().enumerate() {
        let dataset = &findings[index].dataset;
        let before = order[..place].iter();
        let before = before.filter(|&&one| findings[one].dataset == *dataset).count();
        findings[index].rank = before as u64 + 1;
    }
}

/// The time that functions are ordered by, infinite where there is none.
fn deciding_time(records: &Records, finding: &Finding) -> f64 {
    let mut told = records.run.recommendations.iter();
    let told = told.find(|told| told.dataset == finding.dataset);
    let times = records.times(told.map_or(CallForm::Independent, |told| told.form));
    let row = about(times, &finding.dataset, &finding.function).next();
    row.map_or(f64::INFINITY, |row| row.median_ns_per_key)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_ranks_of_the_committed_run_are_those_of_its_rows() {
        let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/reference");
        let stored = Records::read(&run).unwrap();
        let mut ranked = stored.clone();
        rank(&mut ranked);
        assert_eq!(ranked.run.findings, stored.run.findings);
        let best = stored.run.findings.iter().filter(|finding| finding.rank == 1);
        assert_eq!(best.count(), stored.run.datasets.len());
    }
}
