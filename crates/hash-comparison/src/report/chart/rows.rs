//! The records of one dataset, as charts and report look them up.

use std::cmp::Ordering;

use crate::record::files::Records;
use crate::record::{
    CallForm, CollisionRow, CurveRow, DatasetSummary, DistributionRow, EMPTY, FailedTest, FalsePositiveRow,
    Finding, FunctionGroup, IDEAL, PlaceRow, Recommendation, TimingRow, Verdict, WindowRow,
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
    /// In the cache and out of it.
    pub(crate) places: Vec<&'a PlaceRow>,
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

/// How bad a function is whose tests failed: by collisions, or else by false positives, or else by how little chance
/// explains it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Severity {
    /// Times the collisions of chance at the worst width; 1 where chance explains them.
    collisions: f64,
    /// Times the false positives of the ideal hash, by the lower end of the interval; at least 1.
    false_positives: f64,
    /// The least of the tests.
    p_value: f64,
}

impl Severity {
    /// The worse is the greater.
    fn cmp(&self, other: &Self) -> Ordering {
        self.collisions
            .total_cmp(&other.collisions)
            .then(self.false_positives.total_cmp(&other.false_positives))
            .then(other.p_value.total_cmp(&self.p_value))
    }
}

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
        Self {
            summary,
            findings: records
                .run
                .findings
                .iter()
                .filter(|r| r.dataset == *name)
                .collect(),
            collisions: records.collisions.iter().filter(|r| r.dataset == *name).collect(),
            timing: records.timing.iter().filter(|r| r.dataset == *name).collect(),
            latency: records.latency.iter().filter(|r| r.dataset == *name).collect(),
            curves: &records.curves,
            places: records.places.iter().filter(|r| r.dataset == *name).collect(),
            distribution: records
                .distribution
                .iter()
                .filter(|r| r.dataset == *name)
                .collect(),
            false_positives: records
                .false_positives
                .iter()
                .filter(|r| r.dataset == *name)
                .collect(),
            windows: records.windows.iter().filter(|r| r.dataset == *name).collect(),
            recommendation: (records.run.recommendations.iter()).find(|r| r.dataset == *name),
            variants: records
                .run
                .functions
                .iter()
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
            harm && !will_do(finding.verdict) && !self.is_variant(finding)
        });
        let worst: Vec<&str> = harmful
            .take(WORST_DRAWN)
            .map(|finding| finding.function.as_str())
            .collect();
        let listed = self.recommendation.map_or(&[][..], |told| &told.short_list);
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

    /// Findings best first: those that chance explains by time, the others by how far they are off.
    ///
    /// Functions inside the band cannot be told apart in quality, so time alone orders them. The others are ordered by
    /// [`Severity`].
    pub(crate) fn best_first(&self) -> Vec<&'a Finding> {
        let mut order: Vec<(u8, f64, Severity, &Finding)> = self
            .findings
            .iter()
            .map(|&finding| {
                let rank = rank(finding.verdict);
                let time = if rank == 0 {
                    self.deciding_time(&finding.function)
                        .map_or(f64::INFINITY, |row| row.median_ns_per_key)
                } else {
                    0.0
                };
                (rank, time, self.severity(finding), finding)
            })
            .collect();
        // Stable: equal ones keep the recorded order.
        order.sort_by(|a, b| {
            let severity = if a.0 == 0 { Ordering::Equal } else { a.2.cmp(&b.2) };
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(severity)
        });
        order.into_iter().map(|(.., finding)| finding).collect()
    }

    fn severity(&self, finding: &Finding) -> Severity {
        let name = finding.function.as_str();
        let collisions = self.worst_width(finding).filter(|row| !will_do(row.verdict));
        let surely = |row: &FalsePositiveRow| {
            let ideal = self.ideal(row.bits_per_key)?;
            Some(row.ci_low / ideal.rate).filter(|ratio| ratio.is_finite())
        };
        let of_name = self.false_positives.iter().filter(|row| row.function == name);
        let uneven = self.distribution.iter().filter(|row| row.function == name);
        Severity {
            collisions: collisions.and_then(ratio).unwrap_or(1.0),
            false_positives: of_name.filter_map(|row| surely(row)).fold(1.0, f64::max),
            p_value: uneven
                .map(|row| row.p_value)
                .chain(collisions.map(|row| row.p_value))
                .fold(1.0, f64::min),
        }
    }

    /// The times that functions are ordered by.
    fn deciding_time(&self, function: &str) -> Option<&'a TimingRow> {
        match self.recommendation.map(|told| told.form) {
            Some(CallForm::Chained) => self.chained(function),
            Some(CallForm::Independent) | None => self.throughput(function),
        }
    }

    /// Independent calls of `function`.
    pub(crate) fn throughput(&self, function: &str) -> Option<&'a TimingRow> {
        self.timing.iter().copied().find(|row| row.function == function)
    }

    /// Chained calls of `function`.
    pub(crate) fn chained(&self, function: &str) -> Option<&'a TimingRow> {
        self.latency.iter().copied().find(|row| row.function == function)
    }

    /// What the loop itself costs, independent calls.
    pub(crate) fn floor(&self) -> Option<&'a TimingRow> {
        self.throughput(EMPTY)
    }

    /// Collisions of `function` at the widest width compared.
    pub(crate) fn full_width(&self, function: &str) -> Option<&'a CollisionRow> {
        self.collisions
            .iter()
            .copied()
            .filter(|row| row.function == function)
            .max_by_key(|row| row.bits)
    }

    /// Collisions at the width where the function was furthest above chance.
    pub(crate) fn worst_width(&self, finding: &Finding) -> Option<&'a CollisionRow> {
        let mut rows = self.collisions.iter().copied();
        rows.find(|row| row.function == finding.function && row.bits == finding.worst_bits)
    }

    /// False positives of `function` at `bits_per_key`.
    pub(crate) fn false_positives(&self, function: &str, bits_per_key: u32) -> Option<&'a FalsePositiveRow> {
        let mut rows = self.false_positives.iter().copied();
        rows.find(|row| row.function == function && row.bits_per_key == bits_per_key)
    }

    /// The probe scheme with an ideal hash at `bits_per_key`.
    pub(crate) fn ideal(&self, bits_per_key: u32) -> Option<&'a FalsePositiveRow> {
        self.false_positives(IDEAL, bits_per_key)
    }
}

/// Collisions for each one that chance gives; `None` where chance gives none.
pub(crate) fn ratio(row: &CollisionRow) -> Option<f64> {
    over_expected(row, row.collisions as f64)
}

/// `count` for each collision that chance gives; `None` where chance gives none.
pub(crate) fn over_expected(row: &CollisionRow, count: f64) -> Option<f64> {
    let ratio = count / row.expected;
    (row.expected > 0.0 && ratio.is_finite()).then_some(ratio)
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

/// Order of verdicts: the two that chance explains are one.
fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::FewerThanChance | Verdict::InBand => 0,
        Verdict::MeasurablyWorse => 1,
        Verdict::Unusable => 2,
    }
}

/// Whether a function with this verdict will do.
pub(crate) fn will_do(verdict: Verdict) -> bool {
    rank(verdict) == 0
}
