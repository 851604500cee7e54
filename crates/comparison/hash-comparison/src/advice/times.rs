//! The single rule for which of two functions is measurably faster: their intervals are apart.
//!
//! The placement of code and keys in memory moves single functions by several percent from run to run. The interval of
//! a function therefore covers what other runs of the same build would read, not only the readings of this run.

use crate::questions::{Place, Records};
use crate::record::{Advice, CallForm, EMPTY, about, on, stored};
use terminal::number::{percent, significant};

/// The least ratio of two times that counts as a difference, however steady both were. Between runs of one build with
/// nothing else changed, the largest change of all functions was 4 % in half of the pairs and 8 % in one of 400.
pub const LEAST_CHANGE: f64 = 1.11;

/// Times are unsteady if the median absolute deviation of at least half of the functions exceeds this share of the
/// median.
const UNSTEADY: f64 = 0.05;

stored! {
    /// A median with the range in which runs of the same build lie. Functions whose ranges overlap are not measurably
    /// different.
    #[derive(Copy)]
    pub struct Interval {
        /// Median, nanoseconds per key.
        pub ns: f64,
        /// Lower end of the range.
        pub low_ns: f64,
        /// Upper end of the range.
        pub high_ns: f64,
    }
}

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

    /// Returns the function's time in its row of advice, if it was measured.
    pub(crate) fn advised(row: &Advice) -> Option<Self> {
        Some(Self {
            ns: row.ns?,
            low_ns: row.low_ns?,
            high_ns: row.high_ns?,
        })
    }

    /// Returns true if the function is slower than `other` beyond noise.
    pub(crate) fn is_slower_than(&self, other: &Self) -> bool {
        self.low_ns > other.high_ns
    }
}

/// Returns the reasons to distrust the times of a run, one warning for all of it: every view shows it, since other programs seldom
/// disturb only the times that it shows.
pub fn warning(records: &Records) -> Option<String> {
    let mut all = Vec::new();
    let sets = records.run.datasets.iter();
    let forms = sets.flat_map(|set| [CallForm::Independent, CallForm::Chained].map(|form| (set, form)));
    let spreads = forms.filter_map(|(set, form)| Some((&set.name, unsteady(records, &set.name, form)?)));
    if let Some((set, spread)) = spreads.max_by(|a, b| a.1.total_cmp(&b.1)) {
        let spread = percent(spread);
        all.push(format!(
            "Times were unsteady: on {set} half of them by ±{spread} or more."
        ));
    }
    let environment = &records.run.environment;
    let is_disturbed = environment.timing_disturbed() == Some(true);
    if let Some(waited) = environment.seconds_waited_while_timing
        && let Some(seconds) = environment.timing_seconds
        && (is_disturbed || !all.is_empty())
    {
        let effect = match is_disturbed {
            true => ": all times are probably too high",
            false => "",
        };
        let [waited, seconds] = [waited, seconds].map(|seconds| significant(seconds, 2));
        all.push(format!(
            "Other programs had the processor for {waited} of the {seconds} s of timing{effect}."
        ));
    }
    (!all.is_empty()).then(|| all.join(" ") + " Repeat on a quiet machine.")
}

/// Returns the spread that half of the times reach, if it is large.
fn unsteady(records: &Records, dataset: &str, form: CallForm) -> Option<f64> {
    let rows = on(&records.timing, dataset).filter(|row| row.is(Place::Sequence, form));
    let mut spreads: Vec<f64> = rows
        .filter(|row| row.function != EMPTY && row.median_ns_per_key > 0.0)
        .map(|row| row.mad_ns_per_key / row.median_ns_per_key)
        .collect();
    spreads.sort_by(f64::total_cmp);
    // Of an even number, the higher of the two in the middle: at least half reach it.
    let typical = spreads.get(spreads.len() / 2).copied();
    typical.filter(|typical| *typical > UNSTEADY)
}
