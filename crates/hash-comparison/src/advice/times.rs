//! The single rule for which of two functions is measurably faster: their intervals are apart.
//!
//! The placement of code and keys in memory moves single functions by several percent from run to run. The interval of
//! a function therefore covers what other runs of the same build would read, not only the readings of this run.

use crate::questions::{Place, Records, TimingRow};
use crate::record::{CallForm, EMPTY, Environment, Interval, about};
use records::number::{percent, significant};

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
        let median = row.median_ns_per_key;
        Self::new(
            median,
            row.mad_ns_per_key,
            row.fastest_ns_per_key.unwrap_or(median),
        )
    }

    /// Other programs only raise readings, so the range begins at the fastest. Half of [`LEAST_CHANGE`] is added at
    /// either end, so that ranges of steady readings are apart from that ratio on.
    fn new(median: f64, deviation: f64, fastest: f64) -> Option<Self> {
        let half = libm::sqrt(LEAST_CHANGE);
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

/// Returns a warning if the times of whole datasets, among `timing`, cannot be trusted.
pub fn unsteady<'a>(
    timing: impl IntoIterator<Item = &'a TimingRow>,
    environment: &Environment,
) -> Option<String> {
    let mut spreads: Vec<f64> = timing
        .into_iter()
        .filter(|row| row.is(Place::Sequence, CallForm::Independent))
        .filter(|row| row.function != EMPTY && row.median_ns_per_key > 0.0)
        .map(|row| row.mad_ns_per_key / row.median_ns_per_key)
        .collect();
    spreads.sort_by(f64::total_cmp);
    // Of an even number, the higher of the two in the middle: at least half reach it.
    let typical = spreads[spreads.len().checked_sub(1)?.div_ceil(2)];
    if typical > UNSTEADY {
        return Some(format!(
            "The times were unsteady, half of them by ±{} or more: repeat on a quiet machine.",
            percent(typical)
        ));
    }
    disturbance(environment)
}

/// Returns a warning if other programs probably disturbed the timing.
pub fn disturbance(environment: &Environment) -> Option<String> {
    environment.timing_disturbed()?.then(|| {
        let how = match environment
            .seconds_waited_while_timing
            .zip(environment.timing_seconds)
        {
            Some((waited, all)) => format!(
                "had the processor for {} of the {} s of timing",
                significant(waited, 2),
                significant(all, 2)
            ),
            None => "took the processor often".to_owned(),
        };
        format!("The times are probably too high, since other programs {how}: repeat on a quiet machine.")
    })
}
