//! What was measured of one function on one dataset, as far as it counts for a purpose.
// tidy: long file: what counts, and its figures in words, side by side.

use crate::judge::collisions::ratio;
use crate::judge::findings::{folds, more_than, unevenness};
use crate::judge::windows;
use crate::record::files::Records;
use crate::record::{
    Choice, CollisionRow, DatasetKind, DatasetSummary, DistributionKind, DistributionRow, FailedTest,
    FalsePositiveRow, Finding, FunctionSummary, IDEAL, OccupancyRow, Purpose, Verdict, WindowEnd, WindowRow,
    about,
};
use plots::number::{grouped, percent, significant};
use statistics::correction::{FAMILY_LEVEL, bonferroni};

/// Bits per key of the filter whose rate stands among the reasons.
const BITS_PER_KEY: u32 = 10;
/// Shards are few: wider windows are not asked of them.
const SHARD_BITS: u32 = 16;

/// A test that a function failed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Flaw {
    /// Whether it counts for the purpose.
    pub(super) counts: bool,
    /// In figures.
    pub(super) reason: String,
}

/// The rows about one function on one dataset.
pub(super) struct Evidence<'a> {
    pub(super) function: &'a FunctionSummary,
    pub(super) keys: u64,
    finding: Option<&'a Finding>,
    collisions: Vec<&'a CollisionRow>,
    distribution: Vec<&'a DistributionRow>,
    /// Tests of distribution in the run.
    distribution_tests: usize,
    rates: Vec<(&'a FalsePositiveRow, Option<&'a FalsePositiveRow>)>,
    /// Tests of false positives in the run.
    rate_tests: usize,
    /// Filters that were built from the keys, one after the other.
    folds: f64,
    occupancy: Vec<&'a OccupancyRow>,
    windows: Vec<&'a WindowRow>,
}

impl<'a> Evidence<'a> {
    pub(super) fn of(records: &'a Records, set: &DatasetSummary, function: &'a FunctionSummary) -> Self {
        let dataset = set.name.as_str();
        let name = function.name.as_str();
        let rates = &records.false_positives;
        let ideal = |bits| about(rates, dataset, IDEAL).find(|row| row.bits_per_key == bits);
        Self {
            function,
            keys: set.keys,
            finding: about(&records.run.findings, dataset, name).next(),
            collisions: about(&records.collisions, dataset, name).collect(),
            distribution: about(&records.distribution, dataset, name).collect(),
            distribution_tests: records.distribution.len(),
            rates: about(rates, dataset, name)
                .map(|row| (row, ideal(row.bits_per_key)))
                .collect(),
            rate_tests: rates.iter().filter(|row| row.function != IDEAL).count(),
            folds: folds(set.kind == DatasetKind::Generated),
            occupancy: about(&records.occupancy, dataset, name).collect(),
            windows: about(&records.windows, dataset, name).collect(),
        }
    }

    /// Collisions at the widest width compared.
    pub(super) fn full_width(&self) -> Option<&'a CollisionRow> {
        self.collisions.iter().copied().max_by_key(|row| row.bits)
    }

    /// How far from chance, for an order among the bad: the greatest ratio of collisions.
    pub(super) fn severity(&self) -> f64 {
        let ratios = self.collisions.iter().filter_map(|row| ratio(row));
        ratios.fold(0.0, f64::max)
    }

    /// Every test that the function failed, those that count first.
    pub(super) fn flaws(&self, purpose: Purpose) -> Vec<Flaw> {
        let mut flaws = self.verdicts(purpose);
        flaws.extend(self.tables(purpose));
        flaws.extend(self.low_and_high(purpose));
        flaws.sort_by_key(|flaw| !flaw.counts);
        flaws
    }

    /// The three kinds of test behind the verdict.
    fn verdicts(&self, purpose: Purpose) -> Vec<Flaw> {
        let Some(finding) = self.finding.filter(|finding| finding.verdict > Verdict::InBand) else {
            return Vec::new();
        };
        let recorded = || finding.reasons.first().cloned();
        let flaw = |test: &FailedTest| Flaw {
            counts: counts(purpose, *test)
                && !(*test == FailedTest::Distribution && self.is_of_bits_alone(purpose)),
            reason: self
                .in_figures(*test)
                .or_else(recorded)
                .unwrap_or_else(|| "measurably worse than chance".to_owned()),
        };
        finding.failed.iter().map(flaw).collect()
    }

    /// Failed tests of distribution.
    fn uneven(&self) -> impl Iterator<Item = &&'a DistributionRow> {
        let failed =
            |row: &&&DistributionRow| bonferroni(row.p_value, self.distribution_tests) < FAMILY_LEVEL;
        self.distribution.iter().filter(failed)
    }

    /// Failed tests of false positives, each with the ideal hash's row: where few are expected, a ratio is mostly chance.
    fn too_many(&self) -> impl Iterator<Item = (&'a FalsePositiveRow, &'a FalsePositiveRow)> {
        let pairs = self.rates.iter().filter_map(|&(row, ideal)| Some((row, ideal?)));
        pairs.filter(|(row, ideal)| {
            bonferroni(more_than(row, ideal, self.folds), self.rate_tests) < FAMILY_LEVEL
        })
    }

    /// Whether buckets are even, so that uneven bits do no harm: the low ones, which tables take, are windows too.
    fn is_of_bits_alone(&self, purpose: Purpose) -> bool {
        let mut failed = self.uneven().peekable();
        matches!(purpose, Purpose::Table | Purpose::Shard)
            && failed.peek().is_some()
            && failed.all(|row| row.kind == DistributionKind::BitShare)
    }

    fn in_figures(&self, test: FailedTest) -> Option<String> {
        match test {
            FailedTest::Collisions => {
                let failed = self.collisions.iter().filter(|row| row.verdict > Verdict::InBand);
                let row = failed.max_by(|a, b| over(ratio(a)).total_cmp(&over(ratio(b))))?;
                Some(collided(
                    row.collisions,
                    row.keys,
                    row.expected,
                    &format!("{} bits", row.bits),
                ))
            }
            FailedTest::FalsePositives => {
                let (row, ideal) = self
                    .too_many()
                    .max_by(|a, b| (a.0.rate / a.1.rate).total_cmp(&(b.0.rate / b.1.rate)))?;
                Some(rate(row, Some(ideal)))
            }
            FailedTest::Distribution => {
                let worst = |a: &&&DistributionRow, b: &&&DistributionRow| {
                    (b.p_value.total_cmp(&a.p_value)).then(unevenness(a).total_cmp(&unevenness(b)))
                };
                let buckets = self.uneven().filter(|row| row.kind != DistributionKind::BitShare);
                let row = buckets
                    .max_by(worst)
                    .or_else(|| self.distribution.iter().max_by(worst));
                row.map(|row| spread(row))
            }
        }
    }

    /// Hash tables that keys fill worse than chance; tables take low bits or remainders.
    fn tables(&self, purpose: Purpose) -> Vec<Flaw> {
        if purpose != Purpose::Table {
            return Vec::new();
        }
        let failed = self.occupancy.iter().filter(|row| row.verdict > Verdict::InBand);
        failed
            .map(|row| Flaw {
                counts: matches!(row.choice, Choice::LowBits | Choice::Prime),
                reason: comparisons(row),
            })
            .collect()
    }

    /// The worst window of either end, and of all bits, that has more collisions than chance.
    fn low_and_high(&self, purpose: Purpose) -> Vec<Flaw> {
        let ends = match purpose {
            Purpose::Table => &[(WindowEnd::Low, true), (WindowEnd::High, false)][..],
            Purpose::Shard => &[(WindowEnd::Low, true), (WindowEnd::High, true)],
            Purpose::Checksum => &[(WindowEnd::Full, true)],
            Purpose::Filter | Purpose::FilterOrTable => &[],
        };
        let asked = |row: &WindowRow| purpose != Purpose::Shard || row.bits <= SHARD_BITS;
        let over_chance = |row: &WindowRow| row.collisions as f64 / row.expected;
        let worst = |end: WindowEnd| {
            let failed = self.windows.iter();
            let failed = failed.filter(|row| row.end == end && asked(row) && windows::failed(row));
            failed.max_by(|a, b| over_chance(a).total_cmp(&over_chance(b)))
        };
        ends.iter()
            .filter_map(|(end, counts)| {
                let row = worst(*end)?;
                let place = windows::place(row);
                Some(Flaw {
                    counts: *counts,
                    reason: collided(row.collisions, row.keys, row.expected, &place),
                })
            })
            .collect()
    }

    /// What speaks for the function, in figures.
    pub(super) fn figures(&self, purpose: Purpose) -> Vec<String> {
        match purpose {
            Purpose::FilterOrTable => self
                .collision_figure()
                .into_iter()
                .chain(self.rate_figure())
                .collect(),
            Purpose::Filter => self.rate_figure().into_iter().collect(),
            Purpose::Table => {
                let counting = |row: &&&OccupancyRow| matches!(row.choice, Choice::LowBits | Choice::Prime);
                let figures: Vec<String> = self
                    .occupancy
                    .iter()
                    .filter(counting)
                    .map(|row| comparisons(row))
                    .collect();
                if figures.is_empty() {
                    self.collision_figure().into_iter().collect()
                } else {
                    figures
                }
            }
            Purpose::Shard => [
                DistributionKind::PowerOfTwoBuckets,
                DistributionKind::PrimeBuckets,
            ]
            .into_iter()
            .filter_map(|kind| {
                let rows = self.distribution.iter().filter(|row| row.kind == kind);
                rows.min_by(|a, b| a.p_value.total_cmp(&b.p_value))
                    .map(|row| spread(row))
            })
            .collect(),
            Purpose::Checksum => {
                let full = self.windows.iter().find(|row| row.end == WindowEnd::Full);
                let figure = match full {
                    Some(row) => Some(format!(
                        "{} of {} keys collide at all {} bits",
                        none_or(row.collisions),
                        grouped(row.keys),
                        row.bits
                    )),
                    None => self.collision_figure(),
                };
                figure.into_iter().chain([self.undetected()]).collect()
            }
        }
    }

    fn collision_figure(&self) -> Option<String> {
        let row = self.full_width()?;
        Some(format!(
            "{} of {} keys collide at {} bits, where chance gives {}",
            none_or(row.collisions),
            grouped(row.keys),
            row.bits,
            expectation(row.expected)
        ))
    }

    fn rate_figure(&self) -> Option<String> {
        let mut rates = self.rates.iter();
        rates
            .find(|(row, _)| row.bits_per_key == BITS_PER_KEY)
            .map(|(row, ideal)| rate(row, *ideal))
    }

    /// What a checksum of this width misses, at this number of keys and at ten times as many.
    fn undetected(&self) -> String {
        let bits = self.function.output_bits;
        let at = |keys| significant(equal_pairs(keys, bits), 2);
        let ten_times = self.keys.saturating_mul(10);
        format!(
            "with {bits} bits {} pairs of different contents with one checksum are expected among {}, {} among {}; of {} \
             accidental changes {} go unnoticed",
            at(self.keys),
            grouped(self.keys),
            at(ten_times),
            grouped(ten_times),
            grouped(self.keys),
            significant(libm::ldexp(self.keys as f64, -(bits as i32)), 2),
        )
    }
}

/// Whether a failure of `test` matters for `purpose`.
fn counts(purpose: Purpose, test: FailedTest) -> bool {
    match purpose {
        Purpose::FilterOrTable => true,
        Purpose::Filter => test != FailedTest::Distribution,
        Purpose::Table | Purpose::Shard => test != FailedTest::FalsePositives,
        Purpose::Checksum => test == FailedTest::Collisions,
    }
}

/// Expected pairs of equal values among `keys` random ones of `bits` bits: n (n - 1) / 2^(bits + 1).
pub(super) fn equal_pairs(keys: u64, bits: u32) -> f64 {
    let keys = keys as f64;
    libm::ldexp(keys * (keys - 1.0).max(0.0), -(bits as i32 + 1))
}

fn over(ratio: Option<f64>) -> f64 {
    ratio.unwrap_or(0.0)
}

fn none_or(count: u64) -> String {
    if count == 0 {
        "none".to_owned()
    } else {
        grouped(count)
    }
}

fn collided(collisions: u64, keys: u64, expected: f64, place: &str) -> String {
    let chance = if expected > 0.0 {
        format!(" ({} times)", significant(collisions as f64 / expected, 2))
    } else {
        String::new()
    };
    format!(
        "{} of {} keys collide at {place}, where chance gives {}{chance}",
        grouped(collisions),
        grouped(keys),
        expectation(expected)
    )
}

/// As many digits as it takes to hold a count beside it.
fn expectation(expected: f64) -> String {
    significant(expected, if expected < 10.0 { 2 } else { 4 })
}

fn rate(row: &FalsePositiveRow, ideal: Option<&FalsePositiveRow>) -> String {
    let beside = ideal.map_or_else(String::new, |ideal| {
        format!(" against {} of an ideal hash", percent(ideal.rate))
    });
    format!(
        "false positives {}{beside} at {} bits per key",
        percent(row.rate),
        row.bits_per_key
    )
}

fn spread(row: &DistributionRow) -> String {
    match row.kind {
        DistributionKind::BitShare => {
            format!(
                "output bit {} is one for {} of the keys",
                row.parameter,
                percent(row.statistic)
            )
        }
        DistributionKind::PowerOfTwoBuckets | DistributionKind::PrimeBuckets => format!(
            "{} buckets by {}: chi-square {} times its degrees of freedom",
            grouped(row.parameter),
            if row.kind == DistributionKind::PrimeBuckets {
                "remainder"
            } else {
                "the low bits"
            },
            significant(unevenness(row), 3),
        ),
    }
}

fn comparisons(row: &OccupancyRow) -> String {
    let by = match row.choice {
        Choice::LowBits => "the low bits",
        Choice::HighBits => "the high bits",
        Choice::Fibonacci => "multiplication",
        Choice::Prime => "remainder",
    };
    format!(
        "a key is found in {} comparisons ({} by chance) in {} buckets by {by}, the fullest of which holds {}",
        significant(row.hit, 3),
        significant(row.hit_expected, 3),
        grouped(row.buckets),
        grouped(row.longest),
    )
}
