//! Times of two runs of one machine.
//!
//! Readings within a run scatter less than runs do: where the code and the keys happen to lie decides for a whole run,
//! and moves single functions by up to 6 %. So the scatter is not taken from within the runs but from between them: most
//! functions did not change, and how far they stray from each other is what noise is.
//!
//! - What all functions together did, the median ratio, is the machine's doing (clock, load). It is taken out and told,
//!   for each dataset and form of call.
//! - A function counts as changed by that one of three statistics that changed least: the fastest reading, the lower
//!   quartile, the median. Other programs spoil readings upwards, never all three of them alike.
//! - It changed beyond noise when that ratio is at least [`LEAST_CHANGE`], and beyond what the scatter explains at an
//!   error of [`FAMILY_LEVEL`] over all functions, datasets and forms of the run (Bonferroni).
//! - With fewer than [`ENOUGH_FUNCTIONS`] nothing tells a slower machine from slower functions. Then no drift is taken
//!   out, and only [`LEAST_CHANGE_OF_FEW`] counts.

use std::collections::HashMap;

use crate::record::{CallForm, Drift, EMPTY, SpreadRow, TimeChange, TimesAgainst, TimingRow};
use crate::records::Records;
use crate::stats::correction::FAMILY_LEVEL;
use crate::stats::{normal, robust};

/// Smaller changes are not told, however sure: between runs of one build and nothing else changed, the largest of all
/// functions strayed by 4 % in half of the pairs and by 8 % in one of 400.
pub const LEAST_CHANGE: f64 = 1.11;
/// The same where drift cannot be told from change.
pub const LEAST_CHANGE_OF_FEW: f64 = 1.25;
/// Fewest functions, the floor among them, whose median is the machine's.
pub const ENOUGH_FUNCTIONS: usize = 6;

/// A median absolute deviation of a normal distribution times this is its standard deviation.
const MAD_TO_DEVIATION: f64 = 1.482_602_218_505_602;

/// Holds the times on `datasets` against those of an earlier run on the same machine.
pub fn compare(before: &Records, now: &Records, datasets: &[String]) -> TimesAgainst {
    let groups: Vec<Group<'_>> = datasets
        .iter()
        .flat_map(|dataset| {
            [CallForm::Independent, CallForm::Chained].map(|form| Group::new(before, now, dataset, form))
        })
        .filter(|group| !group.pairs.is_empty())
        .collect();
    let tests: usize = groups.iter().map(|group| group.told().count()).sum();
    // Half of the error on either side.
    let deviations = normal::upper_quantile(FAMILY_LEVEL / (2 * tests.max(1)) as f64);
    let mut against = TimesAgainst {
        drifts: Vec::new(),
        rows: Vec::new(),
    };
    for group in &groups {
        let center = group.center();
        let threshold = if group.has_enough() {
            libm::log(LEAST_CHANGE).max(deviations * center.scatter)
        } else {
            libm::log(LEAST_CHANGE_OF_FEW)
        };
        against.drifts.push(Drift {
            dataset: group.dataset.to_owned(),
            form: group.form,
            ratio: libm::exp(center.drifts[MEDIAN]),
            scatter: center.scatter,
            functions: group.pairs.len() as u64,
        });
        for pair in group.told() {
            let log = pair.least_change(&center);
            against.rows.push(TimeChange {
                dataset: group.dataset.to_owned(),
                function: pair.now.function.clone(),
                form: group.form,
                before_ns: pair.before.median_ns_per_key,
                before_mad_ns: pair.before.mad_ns_per_key,
                now_ns: pair.now.median_ns_per_key,
                now_mad_ns: pair.now.mad_ns_per_key,
                ratio: libm::exp(log),
                threshold: libm::exp(threshold),
                changed: log.abs() >= threshold,
            });
        }
    }
    against
}

/// Fastest reading, lower quartile, median.
const STATISTICS: usize = 3;
const MEDIAN: usize = 2;

/// The functions that both runs timed on one dataset in one form.
struct Group<'a> {
    dataset: &'a str,
    form: CallForm,
    pairs: Vec<Pair<'a>>,
}

struct Pair<'a> {
    before: &'a TimingRow,
    now: &'a TimingRow,
    /// Logarithm of now over before, of each statistic.
    logs: [f64; STATISTICS],
}

/// What the functions of a group did together, as logarithms.
struct Center {
    drifts: [f64; STATISTICS],
    scatter: f64,
}

impl<'a> Group<'a> {
    fn new(before: &'a Records, now: &'a Records, dataset: &'a str, form: CallForm) -> Self {
        let old: HashMap<&str, &TimingRow> = rows(before, dataset, form)
            .map(|row| (row.function.as_str(), row))
            .collect();
        let pairs = rows(now, dataset, form).filter_map(|row| {
            let was = *old.get(row.function.as_str())?;
            let (then, here) = (statistics(before, was, form), statistics(now, row, form));
            let logs: [f64; STATISTICS] =
                std::array::from_fn(|index| libm::log(here[index]) - libm::log(then[index]));
            // A time of zero has no ratio.
            logs.iter().all(|log| log.is_finite()).then_some(Pair {
                before: was,
                now: row,
                logs,
            })
        });
        Self {
            dataset,
            form,
            pairs: pairs.collect(),
        }
    }

    fn has_enough(&self) -> bool {
        self.pairs.len() >= ENOUGH_FUNCTIONS
    }

    /// All but the floor.
    fn told(&self) -> impl Iterator<Item = &Pair<'a>> {
        self.pairs.iter().filter(|pair| pair.now.function != EMPTY)
    }

    fn center(&self) -> Center {
        if !self.has_enough() {
            return Center {
                drifts: [0.0; STATISTICS],
                scatter: 0.0,
            };
        }
        let of = |index: usize| self.pairs.iter().map(move |pair| pair.logs[index]);
        let drifts =
            std::array::from_fn(|index| robust::median(&mut of(index).collect::<Vec<_>>()).unwrap_or(0.0));
        let mut center = Center { drifts, scatter: 0.0 };
        let changes: Vec<f64> = self.pairs.iter().map(|pair| pair.least_change(&center)).collect();
        let spread = robust::median_absolute_deviation(&changes, 0.0).unwrap_or(0.0);
        center.scatter = MAD_TO_DEVIATION * spread;
        center
    }
}

impl Pair<'_> {
    /// The statistic that changed least, the drift taken out; none where they do not agree on the direction.
    fn least_change(&self, center: &Center) -> f64 {
        let changes: [f64; STATISTICS] = std::array::from_fn(|index| self.logs[index] - center.drifts[index]);
        let least = changes
            .into_iter()
            .fold(f64::INFINITY, |least, change| least.min(change.abs()));
        if changes.iter().all(|change| *change > 0.0) {
            least
        } else if changes.iter().all(|change| *change < 0.0) {
            -least
        } else {
            0.0
        }
    }
}

fn rows<'a>(records: &'a Records, dataset: &'a str, form: CallForm) -> impl Iterator<Item = &'a TimingRow> {
    let rows = match form {
        CallForm::Independent => &records.timing,
        CallForm::Chained => &records.latency,
    };
    rows.iter().filter(move |row| row.dataset == dataset)
}

/// Fastest reading, lower quartile and median; of runs that recorded no spread the median alone.
fn statistics(records: &Records, row: &TimingRow, form: CallForm) -> [f64; STATISTICS] {
    let is_same = |spread: &&SpreadRow| {
        spread.form == form && spread.dataset == row.dataset && spread.function == row.function
    };
    let median = row.median_ns_per_key;
    records
        .spread
        .iter()
        .find(is_same)
        .map_or([median; STATISTICS], |spread| {
            [spread.min_ns, spread.q1_ns, median]
        })
}
