//! Counting alarms.

use super::{CalibrationRow, LEVEL};
use statistics::binomial;
use statistics::collisions::CollisionLaw;

/// The `test` of rows about a whole run.
pub(super) const RUN: &str = "run";

/// Alarms by test and question, in order of first use. Every seed has the same questions on the same keys.
#[derive(Debug, Default)]
pub(super) struct Alarms {
    seeds: u64,
    counts: Vec<Count>,
}

#[derive(Debug, Default)]
struct Count {
    test: String,
    question: String,
    /// Trials per seed.
    trials: u64,
    /// Sum over the trials of one seed. A sum over the seeds would depend on the order in which threads finish.
    attainable: f64,
    /// Alarms of all seeds.
    alarms: u64,
}

impl Alarms {
    /// Creates empty counts for one seed.
    pub(super) fn of_a_seed() -> Self {
        Self {
            seeds: 1,
            ..Self::default()
        }
    }

    /// Counts a test with this p-value, or all tests of a kind as one. A p-value of whole numbers is below [`LEVEL`] with
    /// probability `attainable`.
    pub(super) fn count(&mut self, test: &str, question: &str, attainable: f64, p_value: f64) {
        let same = |count: &Count| count.test == test && count.question == question;
        let at = self.counts.iter().position(same).unwrap_or_else(|| {
            self.counts.push(Count {
                test: test.to_owned(),
                question: question.to_owned(),
                ..Count::default()
            });
            self.counts.len() - 1
        });
        let count = &mut self.counts[at];
        count.trials += 1;
        count.attainable += attainable;
        count.alarms += u64::from(p_value < LEVEL);
    }

    /// Adds the counts of other seeds.
    pub(super) fn plus(mut self, other: Self) -> Self {
        if self.seeds == 0 {
            return other;
        }
        for (count, theirs) in self.counts.iter_mut().zip(other.counts) {
            count.alarms += theirs.alarms;
        }
        self.seeds += other.seeds;
        self
    }

    /// Returns the counts as rows with intervals.
    pub(super) fn rows(self) -> Vec<CalibrationRow> {
        let confidence = 1.0 - 0.01 / self.counts.len().max(1) as f64;
        let rows = self.counts.into_iter().map(|count| {
            let trials = count.trials * self.seeds;
            let (ci_low, ci_high) = binomial::proportion_interval(count.alarms, trials, confidence);
            CalibrationRow {
                test: count.test,
                question: count.question,
                level: LEVEL,
                attainable: count.attainable / count.trials as f64,
                trials,
                alarms: count.alarms,
                share: count.alarms as f64 / trials as f64,
                ci_low,
                ci_high,
                holds: ci_low <= LEVEL,
            }
        });
        rows.collect()
    }
}

/// Returns the probability that a random function's count has a p-value below [`LEVEL`].
pub(super) fn attainable(law: &CollisionLaw) -> f64 {
    let (low, high) = law.band(1);
    let below = low.checked_sub(1).map_or(0.0, |count| law.two_sided_p(count));
    (below + law.two_sided_p(high + 1)) / 2.0
}
