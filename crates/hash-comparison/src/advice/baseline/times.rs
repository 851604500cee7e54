//! Comparison of times between two runs on one machine.
//!
//! Readings scatter less within a run than between runs: the placement of code and keys in memory is fixed for a run,
//! and moves single functions by up to 6 %. Noise is therefore estimated between the runs: most functions did not
//! change, and their deviations from each other are noise.
//!
//! - Drift is the median ratio of all functions, which the machine causes (clock, load). Drift is removed and reported,
//!   for each dataset and form of call.
//! - The change of a function is the smallest change of four statistics: the fastest reading, the lower quartile and
//!   the median of the whole set, and the median of the sample in the cache (`places.csv`), which lies elsewhere in
//!   memory. Other programs only raise readings, never all alike, and a lucky placement of keys does not occur twice.
//! - A change is beyond noise if its ratio is at least [`LEAST_CHANGE_IN_PLACES`] and exceeds the scatter at an error
//!   of [`FAMILY_LEVEL`] over all functions, datasets and forms of the run (Bonferroni).
//! - If either run lacks the sample in the cache, or has one too small for the clock, three statistics are left, and
//!   the ratio must be at least [`LEAST_CHANGE`].
//! - If the runs have different seeds, or only one was quick, keys lie in another order and the fastest reading is of
//!   fewer: the ratio must be at least [`LEAST_CHANGE_OF_OTHER_SAMPLES`].
//! - If other programs disturbed a run, the ratio must be at least [`LEAST_CHANGE_IF_DISTURBED`].
//! - With fewer than [`ENOUGH_FUNCTIONS`] functions, a slower machine looks like slower functions. No drift is removed,
//!   and only [`LEAST_CHANGE_OF_FEW`] counts.
//!
//! Times by length (`curves.csv`) and of keys in memory are not compared: the former have few readings, the latter
//! mostly measure the memory.

use std::collections::HashMap;

use crate::advice::times::LEAST_CHANGE;
use crate::questions::{Place, Records, TimingRow};
use crate::record::{CallForm, Drift, EMPTY, TimeChange, TimesAgainst, about, on};
use statistics::correction::FAMILY_LEVEL;
use statistics::{normal, robust};

/// The least ratio of a change that the sample in the cache confirms. On a busy machine the largest deviation of any
/// function was 2 % in half of the pairs and 5 % in the worst of 105; luck in one place said nothing about the other.
pub const LEAST_CHANGE_IN_PLACES: f64 = 1.08;
/// The least ratio of a change between runs of different seeds, or between a quick and a whole run. `embedded/` has
/// repeated runs of one build, with which a test compares it.
pub const LEAST_CHANGE_OF_OTHER_SAMPLES: f64 = 1.25;
/// The least ratio of a change if other programs disturbed either run.
pub const LEAST_CHANGE_IF_DISTURBED: f64 = 2.0;
/// The least ratio of a change if drift cannot be separated from change.
pub const LEAST_CHANGE_OF_FEW: f64 = 1.25;
/// The fewest functions, including the empty one, whose median counts as drift of the machine.
pub const ENOUGH_FUNCTIONS: usize = 6;

/// The shortest usable reading, nanoseconds: reading the clock takes about 20 ns.
const SHORTEST_READING_NS: f64 = 1_000.0;

/// Standard deviation of a normal distribution, divided by its median absolute deviation.
const MAD_TO_DEVIATION: f64 = 1.482_602_218_505_602;

/// Compares the times on `datasets` with those of an earlier run on the same machine.
pub fn compare(before: &Records, now: &Records, datasets: &[String]) -> TimesAgainst {
    let groups: Vec<Group<'_>> = datasets
        .iter()
        .flat_map(|dataset| {
            [CallForm::Independent, CallForm::Chained].map(|form| Group::new(before, now, dataset, form))
        })
        .filter(|group| !group.pairs.is_empty())
        .collect();
    let tests: usize = groups.iter().map(|group| group.told().count()).sum();
    let disturbed = [before, now].map(|records| records.run.environment.timing_disturbed());
    let (old, new) = (&before.run, &now.run);
    let least_of_runs = if disturbed.contains(&Some(true)) {
        LEAST_CHANGE_IF_DISTURBED
    } else if (old.seed, old.quick) != (new.seed, new.quick) {
        LEAST_CHANGE_OF_OTHER_SAMPLES
    } else {
        1.0
    };
    // Half of the error on either side.
    let deviations = normal::upper_quantile(FAMILY_LEVEL / (2 * tests.max(1)) as f64);
    let mut against = TimesAgainst {
        drifts: Vec::new(),
        rows: Vec::new(),
    };
    for group in &groups {
        let center = group.center();
        let threshold = if group.has_enough() {
            libm::log(group.least_change()).max(deviations * center.scatter)
        } else {
            libm::log(LEAST_CHANGE_OF_FEW)
        };
        let threshold = threshold.max(libm::log(least_of_runs));
        against.drifts.push(Drift {
            dataset: group.dataset.to_owned(),
            form: group.form,
            ratio: libm::exp(center.drifts[MEDIAN]),
            functions: group.pairs.len() as u64,
        });
        for pair in group.told() {
            let log = pair.least_change(&center);
            against.rows.push(TimeChange {
                dataset: group.dataset.to_owned(),
                function: pair.now.function.clone(),
                form: group.form,
                before_ns: pair.before.median_ns_per_key,
                now_ns: pair.now.median_ns_per_key,
                ratio: libm::exp(log),
                threshold: libm::exp(threshold),
                changed: log.abs() >= threshold,
            });
        }
    }
    against
}

/// Fastest reading, lower quartile, median; median in the cache.
const STATISTICS: usize = 4;
const MEDIAN: usize = 2;
const IN_CACHE: usize = 3;

/// The functions that both runs timed on one dataset in one form.
struct Group<'a> {
    dataset: &'a str,
    form: CallForm,
    pairs: Vec<Pair<'a>>,
    /// Set if both runs timed all pairs in the cache too; otherwise that statistic repeats the median.
    in_places: bool,
}

struct Pair<'a> {
    before: &'a TimingRow,
    now: &'a TimingRow,
    /// Logarithms of the ratio of now to before, one for each statistic.
    logs: [f64; STATISTICS],
}

/// The drifts and the scatter of a group, as logarithms.
struct Center {
    drifts: [f64; STATISTICS],
    scatter: f64,
}

impl<'a> Group<'a> {
    fn new(before: &'a Records, now: &'a Records, dataset: &'a str, form: CallForm) -> Self {
        let old: HashMap<&str, &TimingRow> = on(before.times(form), dataset)
            .map(|row| (row.function.as_str(), row))
            .collect();
        let pairs =
            || on(now.times(form), dataset).filter_map(|row| Some((*old.get(row.function.as_str())?, row)));
        let cached = |(was, is)| in_cache(before, was, form).zip(in_cache(now, is, form));
        let in_places = pairs().all(|pair| cached(pair).is_some());
        let pairs = pairs().filter_map(|(was, is)| {
            let (mut then, mut here) = (statistics(before, was, form), statistics(now, is, form));
            if let Some(both) = cached((was, is)).filter(|_| in_places) {
                (then[IN_CACHE], here[IN_CACHE]) = both;
            }
            let logs: [f64; STATISTICS] =
                std::array::from_fn(|index| libm::log(here[index]) - libm::log(then[index]));
            // A time of zero has no ratio.
            logs.iter().all(|log| log.is_finite()).then_some(Pair {
                before: was,
                now: is,
                logs,
            })
        });
        Self {
            dataset,
            form,
            pairs: pairs.collect(),
            in_places,
        }
    }

    fn least_change(&self) -> f64 {
        if self.in_places {
            LEAST_CHANGE_IN_PLACES
        } else {
            LEAST_CHANGE
        }
    }

    fn has_enough(&self) -> bool {
        self.pairs.len() >= ENOUGH_FUNCTIONS
    }

    /// Returns all pairs except that of the empty function.
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
    /// Returns the smallest change of any statistic after drift, or 0 if the statistics disagree on the direction.
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

/// Returns the fastest reading, the lower quartile, and the median twice; without recorded spread, four medians.
fn statistics(records: &Records, row: &TimingRow, form: CallForm) -> [f64; STATISTICS] {
    let median = row.median_ns_per_key;
    about(&records.spread, &row.dataset, &row.function)
        .find(|spread| spread.form == form)
        .map_or([median; STATISTICS], |spread| {
            [spread.min_ns, spread.q1_ns, median, median]
        })
}

/// Returns the median of the sample in the cache if its readings are long enough for the clock.
fn in_cache(records: &Records, row: &TimingRow, form: CallForm) -> Option<f64> {
    let place = about(&records.places, &row.dataset, &row.function)
        .find(|place| place.place == Place::Cache && place.form == form)?;
    let median = place.median_ns_per_key;
    (median * place.keys as f64 >= SHORTEST_READING_NS).then_some(median)
}
