//! Several runs together: files that must be the same in all, and times relative to each run.
//!
//! Nanoseconds of two runs are never compared, only shown if all ran on one processor: a machine may be faster than another,
//! or than it was. A function's time, with its interval, is divided by that of the median function of its own run, and only
//! these quotients are compared.

use super::times::Interval;
use crate::questions::{FILES, Place, Records};
use crate::record::{CallForm, DatasetSummary, FunctionSummary, Run};
use statistics::robust::median;

/// A function's time over that of the median function of the same run.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RelativeTime {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the function.
    pub function: String,
    /// The form of the calls.
    pub form: CallForm,
    /// The quotient in each run.
    pub ratios: Vec<f64>,
    /// Nanoseconds per key in each run.
    pub ns: Vec<f64>,
    /// Set if the intervals of two runs, so divided, lie apart.
    pub differs: bool,
}

/// Several runs together.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Joined {
    /// The processor, if all runs name the same with the same features.
    pub cpu: Option<String>,
    /// Number of files that several runs share, which must be the same on every machine.
    pub compared: usize,
    /// The names of those that differ.
    pub differing: Vec<&'static str>,
    /// Functions that all runs timed, by dataset and form, fastest first.
    pub times: Vec<RelativeTime>,
}

/// Joins runs, given as folder and records.
pub fn join(runs: &[(String, Records)]) -> Joined {
    let all: Vec<&Run> = runs.iter().map(|(_, records)| &records.run).collect();
    let Some(&first) = all.first() else {
        return Joined::default();
    };
    // Processors of one name may differ in what they can do.
    let of = |run: &Run| (run.environment.cpu.clone(), run.environment.cpu_features.clone());
    let cpu = all
        .iter()
        .all(|run| of(run) == of(first))
        .then(|| first.environment.cpu.clone());
    let (mut compared, mut differing) = (0, Vec::new());
    for file in FILES.iter().filter(|file| !file.timed) {
        let same = all.iter().filter(|run| is_of_same(run, first));
        let sums: Vec<&String> = same.filter_map(|run| run.checksums.get(file.name)).collect();
        compared += usize::from(sums.len() > 1);
        differing.extend((sums.iter().any(|sum| *sum != sums[0])).then_some(file.name));
    }
    Joined {
        cpu,
        compared,
        differing,
        times: times(first, runs),
    }
}

/// Returns true if two runs are of the same keys, functions and seed, so that their files without times must be the same.
fn is_of_same(run: &Run, other: &Run) -> bool {
    let set = |set: &DatasetSummary| (set.name.clone(), set.sha256.clone());
    let function = |one: &FunctionSummary| (one.name.clone(), one.origin.clone());
    run.seed == other.seed
        && run.datasets.iter().map(set).eq(other.datasets.iter().map(set))
        && run
            .functions
            .iter()
            .map(function)
            .eq(other.functions.iter().map(function))
}

fn times(first: &Run, runs: &[(String, Records)]) -> Vec<RelativeTime> {
    let mut all = Vec::new();
    for form in [CallForm::Independent, CallForm::Chained] {
        for set in &first.datasets {
            let functions = first.functions.iter().map(|function| function.name.as_str());
            // The times of the functions that all runs timed, run by run.
            let timed = functions.filter_map(|name| {
                let time = |(_, records): &(String, Records)| {
                    Interval::of(records, &set.name, name, (Place::Sequence, form))
                        .filter(|time| time.ns > 0.0)
                };
                Some((name, runs.iter().map(time).collect::<Option<Vec<Interval>>>()?))
            });
            let timed: Vec<(&str, Vec<Interval>)> = timed.collect();
            let middle =
                |run: usize| median(&mut timed.iter().map(|(_, times)| times[run].ns).collect::<Vec<f64>>());
            let middles: Vec<f64> = (0..runs.len()).filter_map(middle).collect();
            let relative = timed.iter().map(|(name, times)| {
                let divided = |of: fn(&Interval) -> f64| {
                    let quotients = times.iter().zip(&middles).map(|(time, middle)| of(time) / middle);
                    quotients.collect::<Vec<f64>>()
                };
                let highest_low = divided(|time| time.low_ns).into_iter().fold(0.0, f64::max);
                let lowest_high = divided(|time| time.high_ns)
                    .into_iter()
                    .fold(f64::INFINITY, f64::min);
                RelativeTime {
                    dataset: set.name.clone(),
                    function: (*name).to_owned(),
                    form,
                    ratios: divided(|time| time.ns),
                    ns: times.iter().map(|time| time.ns).collect(),
                    differs: highest_low > lowest_high,
                }
            });
            let mut relative: Vec<RelativeTime> = relative.collect();
            let sum = |one: &RelativeTime| one.ratios.iter().sum::<f64>();
            relative.sort_by(|a, b| sum(a).total_cmp(&sum(b)));
            all.extend(relative);
        }
    }
    all
}
