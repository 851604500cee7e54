//! The records of one dataset, for look-ups by charts and report.

use crate::questions::{
    CollisionRow, DistributionRow, FalsePositiveRow, OccupancyRow, Records, TimingRow, WindowRow,
};
use crate::record::{DatasetSummary, EMPTY, Finding, IDEAL, Recommendation, Standing, of, on};

/// The records of one dataset, in recorded order.
#[derive(Debug, Clone)]
pub(crate) struct DatasetRows<'a> {
    /// Summary of the dataset.
    pub(crate) summary: &'a DatasetSummary,
    /// One per function.
    pub(crate) findings: Vec<&'a Finding>,
    /// One per function and width.
    pub(crate) collisions: Vec<&'a CollisionRow>,
    /// Times of independent calls.
    pub(crate) timing: Vec<&'a TimingRow>,
    /// Times of chained calls.
    pub(crate) latency: Vec<&'a TimingRow>,
    /// All records of the run, for rows that only one chart needs.
    pub(crate) records: &'a Records,
    /// Tests of buckets and bits.
    pub(crate) distribution: Vec<&'a DistributionRow>,
    /// One per function and number of bits per key.
    pub(crate) false_positives: Vec<&'a FalsePositiveRow>,
    /// One per function and window of the output.
    pub(crate) windows: Vec<&'a WindowRow>,
    /// The recommendation of the run; `None` in older runs.
    pub(crate) recommendation: Option<&'a Recommendation>,
    /// Names of the functions that the user did not request.
    folded: Vec<&'a str>,
}

impl<'a> DatasetRows<'a> {
    /// Returns the datasets of a run, in the order measured.
    pub(crate) fn all(records: &'a Records) -> Vec<Self> {
        records
            .run
            .datasets
            .iter()
            .map(|summary| Self::of(records, summary))
            .collect()
    }

    fn of(records: &'a Records, summary: &'a DatasetSummary) -> Self {
        let name = &summary.name;
        let functions = records.run.functions.iter();
        Self {
            summary,
            findings: on(&records.run.findings, name).collect(),
            collisions: on(&records.collisions, name).collect(),
            timing: on(&records.timing, name).collect(),
            latency: on(&records.latency, name).collect(),
            records,
            distribution: on(&records.distribution, name).collect(),
            false_positives: on(&records.false_positives, name).collect(),
            windows: on(&records.windows, name).collect(),
            recommendation: (records.run.recommendations.iter()).find(|r| r.dataset == *name),
            folded: functions
                .filter(|function| function.folded)
                .map(|function| function.name.as_str())
                .collect(),
        }
    }

    /// Returns the findings that charts draw, best first, and the findings that they fold away, in the same order.
    ///
    /// Only functions that the user did not request are folded, and never a published function, the function in use, or
    /// a function recommended for any dataset. So the charts of all datasets draw the same functions.
    pub(crate) fn shown_and_folded(&self) -> (Vec<&'a Finding>, Vec<&'a Finding>) {
        let best = self.best_first().into_iter();
        best.partition(|finding| self.is_shown(&finding.function))
    }

    /// Returns true if charts draw this function.
    pub(crate) fn is_shown(&self, function: &str) -> bool {
        let recommended = |told: &Recommendation| {
            let advice = told.functions.iter().find(|advice| advice.function == function);
            advice.is_some_and(|advice| advice.standing <= Standing::RunnerUp)
        };
        !self.folded.contains(&function)
            || self.mine() == Some(function)
            || self.records.run.recommendations.iter().any(recommended)
    }

    /// Returns the function in use today, if the user has named it.
    pub(crate) fn mine(&self) -> Option<&'a str> {
        let mine = self.recommendation?.mine.as_ref()?;
        Some(mine.function.as_str())
    }

    /// Returns the findings, best first.
    pub(crate) fn best_first(&self) -> Vec<&'a Finding> {
        let mut findings = self.findings.clone();
        findings.sort_by_key(|finding| finding.rank);
        findings
    }

    /// Returns the time of independent calls of `function`.
    pub(crate) fn throughput(&self, function: &str) -> Option<&'a TimingRow> {
        of(self.timing.iter().copied(), function).next()
    }

    /// Returns the time of chained calls of `function`.
    pub(crate) fn chained(&self, function: &str) -> Option<&'a TimingRow> {
        of(self.latency.iter().copied(), function).next()
    }

    /// Returns the cost of the timing loop itself, with independent calls.
    pub(crate) fn floor(&self) -> Option<&'a TimingRow> {
        self.throughput(EMPTY)
    }

    /// Returns the collisions of `function` at the widest width compared.
    pub(crate) fn full_width(&self, function: &str) -> Option<&'a CollisionRow> {
        of(self.collisions.iter().copied(), function).max_by_key(|row| row.bits)
    }

    /// Returns the collisions at the width where the function was furthest above chance.
    pub(crate) fn worst_width(&self, finding: &Finding) -> Option<&'a CollisionRow> {
        of(self.collisions.iter().copied(), &finding.function).find(|row| row.bits == finding.worst_bits)
    }

    /// Returns the false positives of `function` at `bits_per_key`.
    pub(crate) fn false_positives(&self, function: &str, bits_per_key: u32) -> Option<&'a FalsePositiveRow> {
        of(self.false_positives.iter().copied(), function).find(|row| row.bits_per_key == bits_per_key)
    }

    /// Iterates over the hash tables of these keys.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &'a OccupancyRow> {
        on(&self.records.occupancy, &self.summary.name)
    }

    /// Returns the false positives of the probe scheme with an ideal hash at `bits_per_key`.
    pub(crate) fn ideal(&self, bits_per_key: u32) -> Option<&'a FalsePositiveRow> {
        self.false_positives(IDEAL, bits_per_key)
    }
}

/// Returns the distinct names in order of first appearance.
pub(crate) fn distinct<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut out: Vec<&str> = Vec::new();
    for name in names {
        if !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

/// Joins names into a list. Names that differ only after a hyphen followed by a letter share their stem.
pub(crate) fn stems<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names {
        let is_word = |(at, _): &(usize, &str)| name[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic());
        let end = name
            .match_indices('-')
            .find(is_word)
            .map_or(name.len(), |(at, _)| at);
        let (stem, rest) = name.split_at(end);
        match groups.iter_mut().find(|(other, _)| *other == stem) {
            Some((_, others)) => others.push(rest),
            None => groups.push((stem, vec![rest])),
        }
    }
    let group = |(stem, rest): &(&str, Vec<&str>)| format!("{stem}{}", rest.join(" and "));
    groups.iter().map(group).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use crate::questions::on_dataset::stems;

    #[test]
    fn forms_of_one_function_stand_together() {
        let names = ["BPHash-full32", "SipHash-1-2", "BPHash-Partow", "FNV-0-32"];
        assert_eq!(
            stems(names.into_iter()),
            "BPHash-full32 and -Partow, SipHash-1-2, FNV-0-32"
        );
    }
}
