//! Counting alarms.

use super::{CalibrationRow, LEVEL, attainable};
use crate::stats::binomial;
use crate::stats::collisions::CollisionLaw;

/// `test` of the rows that are about a whole run.
pub(super) const RUN: &str = "run";

/// Alarms by test and question, in the order first asked.
#[derive(Debug, Default)]
pub(super) struct Alarms(Vec<Count>);

#[derive(Debug)]
struct Count {
    test: String,
    question: String,
    attainable: f64,
    trials: u64,
    alarms: u64,
}

impl Alarms {
    fn count(&mut self, count: Count) {
        let same = |other: &&mut Count| (&other.test, &other.question) == (&count.test, &count.question);
        match self.0.iter_mut().find(same) {
            Some(known) => {
                known.attainable += count.attainable;
                known.trials += count.trials;
                known.alarms += count.alarms;
            }
            None => self.0.push(count),
        }
    }

    fn one(&mut self, test: &str, question: &str, attainable: f64, alarm: bool) {
        self.count(Count {
            test: test.to_owned(),
            question: question.to_owned(),
            attainable,
            trials: 1,
            alarms: u64::from(alarm),
        });
    }

    /// A single test.
    pub(super) fn single(&mut self, test: &str, question: &str, p_value: f64) {
        self.one(test, question, LEVEL, p_value < LEVEL);
    }

    /// A single test of a number of collisions.
    pub(super) fn collisions(&mut self, test: &str, question: &str, keys: u64, bits: u32, count: u64) {
        let law = CollisionLaw::new(keys, bits);
        self.one(test, question, attainable(&law), law.two_sided_p(count) < LEVEL);
    }

    /// All tests of a kind, corrected for their number.
    pub(super) fn run(&mut self, question: &str, alarm: bool) {
        self.one(RUN, question, LEVEL, alarm);
    }

    /// The counts of both.
    pub(super) fn plus(mut self, other: Self) -> Self {
        for count in other.0 {
            self.count(count);
        }
        self
    }

    /// What was counted, with intervals.
    pub(super) fn rows(self) -> Vec<CalibrationRow> {
        let confidence = 1.0 - 0.01 / self.0.len().max(1) as f64;
        let rows = self.0.into_iter().map(|count| {
            let (ci_low, ci_high) = binomial::share_interval(count.alarms, count.trials, confidence);
            CalibrationRow {
                test: count.test,
                question: count.question,
                level: LEVEL,
                attainable: count.attainable / count.trials as f64,
                trials: count.trials,
                alarms: count.alarms,
                share: count.alarms as f64 / count.trials as f64,
                ci_low,
                ci_high,
                holds: ci_low <= LEVEL,
            }
        });
        rows.collect()
    }
}
