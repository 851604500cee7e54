//! The single rule for which of two functions is measurably faster: their intervals are apart.
//!
//! The placement of code and keys in memory moves single functions by several percent from run to run. The interval of
//! a function therefore covers what other runs of the same build would read, not only the readings of this run.

use crate::questions::{Place, Records};
use crate::record::{CallForm, EMPTY, Interval, about, on};
use terminal::number::{percent, significant};

/// The least ratio of two times that counts as a difference, however steady both were. Between runs of one build with
/// nothing else changed, the largest change of all functions was 4 % in half of the pairs and 8 % in one of 400.
pub const LEAST_CHANGE: f64 = 1.11;

/// Times are unsteady if the median absolute deviation of at least half of the functions exceeds this share of the
/// median.
const UNSTEADY: f64 = 0.05;

impl Interval {
    /// Returns the time of a function on a dataset in one place and form, or `None` if the function was not timed there.
    pub(crate) fn of(
        records: &Records,
        dataset: &str,
        function: &str,
        (place, form): (Place, CallForm),
    ) -> Option<Self> {
        let row = about(&records.timing, dataset, function).find(|row| row.is(place, form))?;
        let (median, deviation) = (row.median_ns_per_key, row.mad_ns_per_key);
        // Other programs only raise readings, so the range begins at the fastest. Half of `LEAST_CHANGE` is added at either end,
        // so that ranges of steady readings are apart from that ratio on.
        let half = libm::sqrt(LEAST_CHANGE);
        let fastest = row.fastest_ns_per_key.unwrap_or(median);
        median.is_finite().then_some(Self {
            ns: median,
            low_ns: fastest.min(median - deviation).max(0.0) / half,
            high_ns: (median + deviation) * half,
        })
    }

    /// Returns true if the function is slower than `other` beyond noise.
    pub(crate) fn is_slower_than(&self, other: &Self) -> bool {
        self.low_ns > other.high_ns
    }
}

/// Returns a sentence for each reason to distrust the times of these datasets, of calls of this form: those that the advice
/// on a dataset uses. How long other programs had the processor is told with any of them.
pub fn warnings<'a>(records: &Records, asked: impl IntoIterator<Item = (&'a str, CallForm)>) -> Vec<String> {
    let asked = asked.into_iter();
    let mut all: Vec<String> = asked
        .filter_map(|(dataset, form)| unsteady(records, dataset, form))
        .collect();
    let environment = &records.run.environment;
    let is_disturbed = environment.timing_disturbed() == Some(true);
    if let Some(waited) = environment.seconds_waited_while_timing
        && let Some(seconds) = environment.timing_seconds
        && (is_disturbed || !all.is_empty())
    {
        let effect = if is_disturbed {
            ", so all times are probably too high"
        } else {
            ""
        };
        let [waited, seconds] = [waited, seconds].map(|seconds| significant(seconds, 2));
        all.push(format!(
            "Other programs had the processor for {waited} of the {seconds} s of timing{effect}."
        ));
    }
    if !all.is_empty() {
        all.push("Repeat on a quiet machine.".to_owned());
    }
    all
}

fn unsteady(records: &Records, dataset: &str, form: CallForm) -> Option<String> {
    let rows = on(&records.timing, dataset).filter(|row| row.is(Place::Sequence, form));
    let mut spreads: Vec<f64> = rows
        .filter(|row| row.function != EMPTY && row.median_ns_per_key > 0.0)
        .map(|row| row.mad_ns_per_key / row.median_ns_per_key)
        .collect();
    spreads.sort_by(f64::total_cmp);
    // Of an even number, the higher of the two in the middle: at least half reach it.
    let typical = *spreads.get(spreads.len() / 2)?;
    let calls = match form {
        CallForm::Independent => "overlapping",
        CallForm::Chained => "chained",
    };
    (typical > UNSTEADY).then(|| {
        let typical = percent(typical);
        format!("The times of {calls} calls on {dataset} were unsteady, half of them by ±{typical} or more.")
    })
}
