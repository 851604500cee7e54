//! Several runs together: files that must be the same in all, and times relative to each run.
//!
//! Nanoseconds of two runs are never compared, only shown if all ran on one processor: a machine may be faster than another,
//! or than it was. A function's time, with its interval, is divided by that of the median function of its own run, and only
//! these quotients are compared.

use crate::questions::{FILES, Place, Records};
use crate::record::{CallForm, Interval, Recommendation, Run};
use statistics::robust::median;

/// A statement with its value on each machine.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Statement {
    /// The subject of the statement.
    pub what: String,
    /// The value in each run; `None` if the run has none.
    pub values: Vec<Option<String>>,
    /// Set if all runs with a value agree.
    pub holds: bool,
}

impl Statement {
    fn new(what: String, runs: &[&Run], value: impl FnMut(&&Run) -> Option<String>) -> Self {
        let values: Vec<_> = runs.iter().map(value).collect();
        let known = || values.iter().flatten();
        let holds = known().all(|value| Some(value) == known().next());
        Self { what, values, holds }
    }
}

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
    /// The processor, if all runs name the same.
    pub cpu: Option<String>,
    /// Number of files that several runs share, which must be the same on every machine.
    pub compared: usize,
    /// Those that differ.
    pub differing: Vec<Statement>,
    /// The pick of each run, which depends on its times.
    pub picks: Vec<Statement>,
    /// Functions that all runs timed, by dataset and form, fastest first.
    pub times: Vec<RelativeTime>,
}

/// Joins runs, given as folder and records.
pub fn join(runs: &[(String, Records)]) -> Joined {
    let all: Vec<&Run> = runs.iter().map(|(_, records)| &records.run).collect();
    let Some(&first) = all.first() else {
        return Joined::default();
    };
    let quality = || files(first, &all);
    let cpu = Some(&first.environment.cpu).filter(|cpu| all.iter().all(|run| run.environment.cpu == **cpu));
    let is_shared = |one: &Statement| one.values.iter().flatten().count() > 1;
    Joined {
        cpu: cpu.cloned(),
        compared: quality().filter(is_shared).count(),
        differing: quality().filter(|one| !one.holds).collect(),
        picks: picks(first, &all),
        times: times(first, runs),
    }
}

/// Returns the checksum of every file without times, equal for the same keys, functions and seed.
fn files(first: &Run, runs: &[&Run]) -> impl Iterator<Item = Statement> {
    let sources = |run: &Run| {
        let sets = run
            .datasets
            .iter()
            .map(|set| (set.name.clone(), set.sha256.clone()));
        let functions = run
            .functions
            .iter()
            .map(|one| (one.name.clone(), one.origin.clone()));
        (run.seed, sets.chain(functions).collect::<Vec<_>>())
    };
    let files = FILES.iter().filter(|file| !file.timed);
    files.map(move |file| {
        Statement::new(file.name.to_owned(), runs, |run| {
            let sum = run.checksums.get(file.name);
            sum.filter(|_| sources(run) == sources(first)).cloned()
        })
    })
}

/// Returns the pick of each run for each request of the first run.
fn picks(first: &Run, runs: &[&Run]) -> Vec<Statement> {
    let request = |one: &Recommendation| (one.dataset.clone(), one.purpose, one.untrusted, one.stable);
    let statement = |asked: &Recommendation| {
        Statement::new(format!("{}, {}", asked.dataset, asked.purpose), runs, |run| {
            let mut told = run.recommendations.iter();
            let pick = told.find(|one| request(one) == request(asked))?.pick();
            Some(pick.map_or_else(|| "none".to_owned(), |one| one.function.clone()))
        })
    };
    first.recommendations.iter().map(statement).collect()
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
