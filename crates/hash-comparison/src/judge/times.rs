//! The single rule for which of two functions is measurably faster.
//!
//! The placement of code and keys in memory moves single functions by several percent from run to run, so a difference
//! counts only if the fastest reading, the lower quartile and the median all differ by [`LEAST_CHANGE`] and the
//! intervals are apart. The same least change applies between two runs of one machine
//! ([`baseline`](super::baseline::times)).

use crate::record::files::Records;
use crate::record::{CallForm, EMPTY, Environment, Interval, Place, TimingRow, about};
use plots::number::{grouped, percent};

/// The least ratio that counts as a difference, however significant. Between runs of one build with nothing else
/// changed, the largest change of all functions was 4 % in half of the pairs and 8 % in one of 400.
pub const LEAST_CHANGE: f64 = 1.11;

/// Times are unsteady if the median absolute deviation of at least half of the functions exceeds this share of the
/// median.
const UNSTEADY: f64 = 0.05;

/// The times of one function on one dataset in one form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Speed {
    median: f64,
    deviation: f64,
    /// Fastest reading and lower quartile; the median if the run has no spread.
    low: [f64; 2],
}

impl Speed {
    /// Returns the speed of a function, or `None` if the function was not timed.
    pub(super) fn of(records: &Records, dataset: &str, function: &str, form: CallForm) -> Option<Self> {
        let row = about(records.times(form), dataset, function)
            .next()
            .filter(|row| row.median_ns_per_key.is_finite())?;
        let mut spread = about(&records.spread, dataset, function);
        let median = row.median_ns_per_key;
        Some(Self {
            median,
            deviation: row.mad_ns_per_key,
            low: spread
                .find(|row| row.form == form)
                .map_or([median; 2], |row| [row.min_ns, row.q1_ns]),
        })
    }

    /// Returns the speed with keys scattered over memory, or `None` if the function was not timed there.
    pub(super) fn in_memory(
        records: &Records,
        dataset: &str,
        function: &str,
        form: CallForm,
    ) -> Option<Self> {
        let row = about(&records.places, dataset, function)
            .find(|row| (row.place, row.form) == (Place::Memory, form))
            .filter(|row| row.median_ns_per_key.is_finite())?;
        Some(Self {
            median: row.median_ns_per_key,
            deviation: row.mad_ns_per_key,
            low: [row.median_ns_per_key; 2],
        })
    }

    /// Returns the median, nanoseconds per key.
    pub(super) fn median(&self) -> f64 {
        self.median
    }

    /// Returns the median with one deviation to either side.
    pub(super) fn interval(&self) -> Interval {
        Interval {
            ns: self.median,
            low_ns: (self.median - self.deviation).max(0.0),
            high_ns: self.median + self.deviation,
        }
    }

    /// Returns true if the function is slower than `other` beyond noise.
    pub(super) fn is_slower_than(&self, other: &Self) -> bool {
        let slower = |this: f64, that: f64| that > 0.0 && this / that >= LEAST_CHANGE;
        self.interval().low_ns > other.interval().high_ns
            && slower(self.median, other.median)
            && self
                .low
                .iter()
                .zip(other.low)
                .all(|(this, that)| slower(*this, that))
    }
}

/// Returns a warning if the times of a dataset, `timing`, cannot be trusted.
pub fn unsteady<'a>(
    timing: impl IntoIterator<Item = &'a TimingRow>,
    environment: &Environment,
) -> Option<String> {
    let mut spreads: Vec<f64> = timing
        .into_iter()
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
    if environment.timing_disturbed() != Some(true) {
        return None;
    }
    let how = match environment.involuntary_switches_while_timing {
        Some(switches) => format!("took the processor {} times meanwhile", grouped(switches)),
        None => "ran meanwhile".to_owned(),
    };
    Some(format!(
        "The times are probably too high, since other programs {how}: repeat on a quiet machine."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speed(median: f64, deviation: f64, low: [f64; 2]) -> Speed {
        Speed {
            median,
            deviation,
            low,
        }
    }

    #[test]
    fn only_what_every_statistic_says_is_a_difference() {
        let base = speed(10.0, 0.1, [9.8, 9.9]);
        assert!(speed(11.2, 0.1, [11.0, 11.1]).is_slower_than(&base));
        // Eleven per cent is the least.
        assert!(!speed(11.0, 0.1, [10.8, 10.9]).is_slower_than(&base));
        // A disturbed median alone is no difference.
        assert!(!speed(20.0, 0.1, [9.8, 15.0]).is_slower_than(&base));
        // Intervals that meet are no difference.
        assert!(!speed(12.0, 2.0, [11.0, 11.5]).is_slower_than(&base));
        assert!(!base.is_slower_than(&base));
        assert!(!base.is_slower_than(&speed(0.0, 0.0, [0.0, 0.0])));
    }
}
