//! The records of one dataset, as charts and report look them up.

use crate::record::files::Records;
use crate::record::{
    CollisionRow, CurveRow, DatasetSummary, DistributionRow, EMPTY, FailedTest, FalsePositiveRow, Finding,
    FunctionGroup, IDEAL, Recommendation, TimingRow, Verdict, WindowRow, of, on,
};

/// The records of one dataset, in recorded order.
#[derive(Debug, Clone)]
pub(crate) struct DatasetRows<'a> {
    /// What the dataset is.
    pub(crate) summary: &'a DatasetSummary,
    /// One a function.
    pub(crate) findings: Vec<&'a Finding>,
    /// Of each function and width.
    pub(crate) collisions: Vec<&'a CollisionRow>,
    /// Independent calls.
    pub(crate) timing: Vec<&'a TimingRow>,
    /// Chained calls.
    pub(crate) latency: Vec<&'a TimingRow>,
    /// Keys of one length, of no dataset.
    pub(crate) curves: &'a [CurveRow],
    /// All records of the run, for rows that one chart alone needs.
    pub(crate) records: &'a Records,
    /// Buckets and bits.
    pub(crate) distribution: Vec<&'a DistributionRow>,
    /// Of each function and number of bits per key.
    pub(crate) false_positives: Vec<&'a FalsePositiveRow>,
    /// Of each function and window of the output.
    pub(crate) windows: Vec<&'a WindowRow>,
    /// What the run recommends; older runs do not tell.
    pub(crate) recommendation: Option<&'a Recommendation>,
    /// Names of the functions that are another form of a published one.
    variants: Vec<&'a str>,
}

/// Of functions that do harm, so many of the worst are drawn where there is no room for all: the sentence on what to avoid
/// names them.
const WORST_DRAWN: usize = 8;

/// The best that are drawn before others.
const LISTED: usize = 5;

impl<'a> DatasetRows<'a> {
    /// The datasets of a run, in the order measured.
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
            curves: &records.curves,
            records,
            distribution: on(&records.distribution, name).collect(),
            false_positives: on(&records.false_positives, name).collect(),
            windows: on(&records.windows, name).collect(),
            recommendation: (records.run.recommendations.iter()).find(|r| r.dataset == *name),
            variants: functions
                .filter(|function| function.group == FunctionGroup::Variant)
                .map(|function| function.name.as_str())
                .collect(),
        }
    }

    /// `most` findings, best first, and the others in the same order.
    ///
    /// Where there is no room for all, the function in use today and the short list stay, then the worst of those that do
    /// harm, then the best; other forms of a published function give way before anything else.
    pub(crate) fn best_and_rest(&self, most: usize) -> (Vec<&'a Finding>, Vec<&'a Finding>) {
        let best = self.best_first();
        let harmful = best.iter().rev().filter(|finding| {
            let harm = finding.failed.first() != Some(&FailedTest::Distribution);
            harm && finding.verdict > Verdict::InBand && !self.is_variant(finding)
        });
        let worst: Vec<&str> = harmful
            .take(WORST_DRAWN)
            .map(|finding| finding.function.as_str())
            .collect();
        let listed = self.recommendation.map_or(&[][..], |told| &told.functions);
        let listed = &listed[..listed.len().min(LISTED)];
        let importance = |finding: &Finding| {
            let name = finding.function.as_str();
            match () {
                () if self.mine() == Some(name) => 0,
                () if listed.iter().any(|one| one.function == name) => 1,
                () if worst.contains(&name) => 2,
                () if !self.is_variant(finding) => 3,
                () => 4,
            }
        };
        let mut order: Vec<usize> = (0..best.len()).collect();
        // Stable: the best first among equally important ones.
        order.sort_by_key(|index| importance(best[*index]));
        order.truncate(most);
        let (drawn, rest): (Vec<_>, Vec<_>) = best
            .iter()
            .enumerate()
            .partition(|(index, _)| order.contains(index));
        let findings =
            |some: Vec<(usize, &&'a Finding)>| some.into_iter().map(|(_, finding)| *finding).collect();
        (findings(drawn), findings(rest))
    }

    /// The function in use today, where the user has named it.
    pub(crate) fn mine(&self) -> Option<&'a str> {
        let mine = self.recommendation?.mine.as_ref()?;
        Some(mine.function.as_str())
    }

    /// Whether the function is another form of a published one.
    pub(crate) fn is_variant(&self, finding: &Finding) -> bool {
        self.variants.contains(&finding.function.as_str())
    }

    /// Findings best first.
    pub(crate) fn best_first(&self) -> Vec<&'a Finding> {
        let mut findings = self.findings.clone();
        findings.sort_by_key(|finding| finding.rank);
        findings
    }

    /// Independent calls of `function`.
    pub(crate) fn throughput(&self, function: &str) -> Option<&'a TimingRow> {
        of(self.timing.iter().copied(), function).next()
    }

    /// Chained calls of `function`.
    pub(crate) fn chained(&self, function: &str) -> Option<&'a TimingRow> {
        of(self.latency.iter().copied(), function).next()
    }

    /// What the loop itself costs, independent calls.
    pub(crate) fn floor(&self) -> Option<&'a TimingRow> {
        self.throughput(EMPTY)
    }

    /// Collisions of `function` at the widest width compared.
    pub(crate) fn full_width(&self, function: &str) -> Option<&'a CollisionRow> {
        of(self.collisions.iter().copied(), function).max_by_key(|row| row.bits)
    }

    /// Collisions at the width where the function was furthest above chance.
    pub(crate) fn worst_width(&self, finding: &Finding) -> Option<&'a CollisionRow> {
        of(self.collisions.iter().copied(), &finding.function).find(|row| row.bits == finding.worst_bits)
    }

    /// False positives of `function` at `bits_per_key`.
    pub(crate) fn false_positives(&self, function: &str, bits_per_key: u32) -> Option<&'a FalsePositiveRow> {
        of(self.false_positives.iter().copied(), function).find(|row| row.bits_per_key == bits_per_key)
    }

    /// The probe scheme with an ideal hash at `bits_per_key`.
    pub(crate) fn ideal(&self, bits_per_key: u32) -> Option<&'a FalsePositiveRow> {
        self.false_positives(IDEAL, bits_per_key)
    }
}

/// The names in `names`, each once, in order of first appearance.
pub(crate) fn distinct<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut out: Vec<&str> = Vec::new();
    for name in names {
        if !out.contains(&name) {
            out.push(name);
        }
    }
    out
}
