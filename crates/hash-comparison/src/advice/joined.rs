//! Several runs together: statements that hold on all machines, and times relative to each machine.
//!
//! Nanoseconds of two machines are never compared. A function's time is divided by the median function of its own
//! machine, and only these quotients are compared.

use crate::advice::times::unsteady;
use crate::questions::{FILES, RecordFile, Records};
use crate::record::{CallForm, Finding, Recommendation, Run, about};
use statistics::robust::median;

/// One of the joined runs.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Machine {
    /// The folder, as given.
    pub folder: String,
    /// The processor.
    pub cpu: String,
    /// Start of the run.
    pub date: String,
    /// The command line that repeats the run.
    pub command: String,
    /// The reason to distrust the machine's times, if any.
    pub warning: Option<String>,
}

/// A statement with its value on each machine.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Statement {
    /// The subject of the statement.
    pub what: String,
    /// The value in each run; `None` if the run has none.
    pub values: Vec<Option<String>>,
}

impl Statement {
    fn new(what: String, runs: &[&Run], value: impl FnMut(&&Run) -> Option<String>) -> Self {
        let values = runs.iter().map(value).collect();
        Self { what, values }
    }

    /// Returns true if all runs with a value agree.
    pub fn holds(&self) -> bool {
        let mut known = self.values.iter().flatten();
        let first = known.next();
        known.all(|value| Some(value) == first)
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
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Joined {
    /// The runs, in the order named.
    pub machines: Vec<Machine>,
    /// Findings that must be the same on every machine, and the files that hold them.
    pub quality: Vec<Statement>,
    /// The pick of each run, which depends on its times.
    pub picks: Vec<Statement>,
    /// Functions that all runs timed, by dataset and form, fastest first.
    pub times: Vec<RelativeTime>,
}

impl Joined {
    /// Returns the number of findings and files that several runs share, and those that differ.
    pub fn compared(&self) -> (usize, Vec<&Statement>) {
        let all = || self.quality.iter();
        let shared = all().filter(|one| one.values.iter().flatten().count() > 1);
        (shared.count(), all().filter(|one| !one.holds()).collect())
    }
}

/// Joins runs, given as folder and records.
pub fn join(runs: &[(String, Records)]) -> Joined {
    let machine = |(folder, records): &(String, Records)| Machine {
        folder: folder.clone(),
        cpu: records.run.environment.cpu.clone(),
        date: records.run.date.clone(),
        command: records.run.command.clone(),
        warning: unsteady(&records.timing, &records.run.environment),
    };
    let all: Vec<&Run> = runs.iter().map(|(_, records)| &records.run).collect();
    let Some(&first) = all.first() else {
        return Joined::default();
    };
    let mut quality = files(first, &all);
    quality.extend(findings(first, &all));
    Joined {
        machines: runs.iter().map(machine).collect(),
        quality,
        picks: picks(first, &all),
        times: times(first, runs),
    }
}

/// Returns the checksum of every file without times, equal for the same keys, functions and seed.
fn files(first: &Run, runs: &[&Run]) -> Vec<Statement> {
    let same = |run: &Run| {
        let sets = |run: &Run| {
            Vec::from_iter(
                run.datasets
                    .iter()
                    .map(|set| (set.name.clone(), set.sha256.clone())),
            )
        };
        let functions = |run: &Run| {
            Vec::from_iter(
                run.functions
                    .iter()
                    .map(|one| (one.name.clone(), one.origin.clone())),
            )
        };
        run.seed == first.seed && sets(run) == sets(first) && functions(run) == functions(first)
    };
    let statement = |file: &RecordFile| {
        Statement::new(file.name.to_owned(), runs, |run| {
            run.checksums.get(file.name).filter(|_| same(run)).cloned()
        })
    };
    FILES.iter().filter(|file| !file.timed).map(statement).collect()
}

/// Returns the verdicts of all runs on each function of the first run, if measured on the same keys.
fn findings(first: &Run, runs: &[&Run]) -> Vec<Statement> {
    let keys = |run: &Run, dataset: &str| {
        let set = run.datasets.iter().find(|set| set.name == dataset);
        set.map(|set| set.sha256.clone())
    };
    let statement = |finding: &Finding| {
        let (set, function) = (&finding.dataset, &finding.function);
        Statement::new(format!("{function} on {set}"), runs, |run| {
            let one = about(&run.findings, set, function).next()?;
            (keys(run, set) == keys(first, set)).then(|| one.verdict.to_string())
        })
    };
    first.findings.iter().map(statement).collect()
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
