//! Several runs together: statements that hold on all machines, and times relative to each machine.
//!
//! Nanoseconds of two machines are never compared. A function's time is divided by the median function of its own
//! machine, and only these quotients are compared.

use crate::questions::{FILES, Records};
use crate::record::{CallForm, Recommendation, Run, about};
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

/// A function's time over that of the median function of the same machine.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RelativeTime {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the function.
    pub function: String,
    /// The form of the calls.
    pub form: CallForm,
    /// The quotient on each machine.
    pub ratios: Vec<f64>,
}

/// Several runs together.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Joined {
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
    let is_shared = |one: &Statement| one.values.iter().flatten().count() > 1;
    Joined {
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
            let time = |records: &Records, function: &str| {
                let row = about(records.times(form), &set.name, function).next()?;
                Some(row.median_ns_per_key).filter(|ns| *ns > 0.0)
            };
            let functions = first.functions.iter().map(|function| function.name.as_str());
            // The times of the functions that all runs timed, run by run.
            let timed = functions.filter_map(|name| {
                let times = runs.iter().map(|(_, records)| time(records, name));
                Some((name, times.collect::<Option<Vec<f64>>>()?))
            });
            let timed: Vec<(&str, Vec<f64>)> = timed.collect();
            let middle = |run| median(&mut timed.iter().map(|(_, times)| times[run]).collect::<Vec<_>>());
            let middles: Vec<f64> = (0..runs.len()).filter_map(middle).collect();
            let relative = timed.iter().map(|(name, times)| RelativeTime {
                dataset: set.name.clone(),
                function: (*name).to_owned(),
                form,
                ratios: times
                    .iter()
                    .zip(&middles)
                    .map(|(time, middle)| time / middle)
                    .collect(),
            });
            let mut relative: Vec<RelativeTime> = relative.collect();
            let sum = |one: &RelativeTime| one.ratios.iter().sum::<f64>();
            relative.sort_by(|a, b| sum(a).total_cmp(&sum(b)));
            all.extend(relative);
        }
    }
    all
}
