//! Several runs together: statements that hold on all machines, and times relative to each machine.
//!
//! Nanoseconds of two machines are never compared. A function's time is divided by the median function of its own
//! machine, and only these quotients are compared.

use crate::advice::times::unsteady;
use crate::questions::{FILES, RecordFile, Records};
use crate::record::{CallForm, EMPTY, Finding, Recommendation, Run, on};
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
    /// The greatest quotient over the least.
    pub spread: f64,
    /// The side of the median on all machines.
    pub side: Side,
}

/// The side of the median function on which a function's times lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub enum Side {
    /// Faster on every machine.
    Faster,
    /// Slower on every machine.
    Slower,
    /// Neither: the side depends on the machine.
    Depends,
}

/// Several runs together.
#[derive(Debug, Clone, PartialEq)]
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
    let mut quality = files(&all);
    quality.extend(findings(&all));
    Joined {
        machines: runs.iter().map(machine).collect(),
        quality,
        picks: picks(&all),
        times: times(runs),
    }
}

/// Returns the checksum of every file without times, equal for the same keys, functions and seed.
fn files(runs: &[&Run]) -> Vec<Statement> {
    let question = |run: &Run| {
        let sets = run
            .datasets
            .iter()
            .map(|set| [set.name.clone(), set.sha256.clone()]);
        let functions = run
            .functions
            .iter()
            .map(|one| [one.name.clone(), one.origin.clone()]);
        (run.seed, sets.collect::<Vec<_>>(), functions.collect::<Vec<_>>())
    };
    let first = runs.first().map(|run| question(run));
    let statement = |file: &RecordFile| {
        Statement::new(file.name.to_owned(), runs, |run| {
            let checksum = run.checksums.get(file.name);
            checksum.filter(|_| Some(question(run)) == first).cloned()
        })
    };
    let files = FILES.iter().filter(|file| !file.timed);
    files.map(statement).collect()
}

/// Returns the verdicts of all runs on each function of the first run, if measured on the same keys.
fn findings(runs: &[&Run]) -> Vec<Statement> {
    let Some(first) = runs.first() else {
        return Vec::new();
    };
    let keys = |run: &Run, dataset: &str| {
        let set = run.datasets.iter().find(|set| set.name == dataset);
        set.map(|set| set.sha256.clone())
    };
    let statement = |finding: &Finding| {
        let value = |run: &&Run| {
            let same =
                |one: &&Finding| (&one.dataset, &one.function) == (&finding.dataset, &finding.function);
            let one = run.findings.iter().find(same)?;
            let is_same = keys(run, &one.dataset) == keys(first, &one.dataset);
            is_same.then(|| one.verdict.to_string())
        };
        let what = format!("{} on {}", finding.function, finding.dataset);
        Statement::new(what, runs, value)
    };
    first.findings.iter().map(statement).collect()
}

/// Returns the pick of each run for each request of the first run.
fn picks(runs: &[&Run]) -> Vec<Statement> {
    let Some(first) = runs.first() else {
        return Vec::new();
    };
    let statement = |asked: &Recommendation| {
        let value = |run: &&Run| {
            let same = |one: &&Recommendation| {
                (&one.dataset, one.purpose, one.untrusted, one.stable)
                    == (&asked.dataset, asked.purpose, asked.untrusted, asked.stable)
            };
            let pick = run.recommendations.iter().find(same)?.pick();
            Some(pick.map_or_else(|| "none".to_owned(), |one| one.function.clone()))
        };
        Statement::new(format!("{}, {}", asked.dataset, asked.purpose), runs, value)
    };
    first.recommendations.iter().map(statement).collect()
}

fn times(runs: &[(String, Records)]) -> Vec<RelativeTime> {
    let Some((_, first)) = runs.first() else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for form in [CallForm::Independent, CallForm::Chained] {
        for set in &first.run.datasets {
            let time = |records: &Records, function: &str| {
                let mut rows = on(records.times(form), &set.name);
                let row = rows.find(|row| row.function == function)?;
                Some(row.median_ns_per_key).filter(|ns| *ns > 0.0)
            };
            let in_all = |function: &&str| runs.iter().all(|(_, records)| time(records, function).is_some());
            let rows = on(first.times(form), &set.name).map(|row| row.function.as_str());
            let functions: Vec<&str> = rows.filter(|name| *name != EMPTY).filter(in_all).collect();
            let middles: Vec<f64> = (runs.iter())
                .filter_map(|(_, records)| {
                    let mut known: Vec<f64> =
                        functions.iter().filter_map(|name| time(records, name)).collect();
                    median(&mut known)
                })
                .collect();
            let relative = |function: &&str| {
                let ratios = runs.iter().zip(&middles);
                let ratios: Vec<f64> = ratios
                    .filter_map(|((_, records), middle)| Some(time(records, function)? / middle))
                    .collect();
                let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
                let greatest = ratios.iter().copied().fold(0.0, f64::max);
                RelativeTime {
                    dataset: set.name.clone(),
                    function: (*function).to_owned(),
                    form,
                    spread: greatest / least,
                    side: match () {
                        () if greatest < 1.0 => Side::Faster,
                        () if least > 1.0 => Side::Slower,
                        () => Side::Depends,
                    },
                    ratios,
                }
            };
            let mut relative: Vec<RelativeTime> = functions.iter().map(relative).collect();
            let sum = |one: &RelativeTime| one.ratios.iter().sum::<f64>();
            relative.sort_by(|a, b| sum(a).total_cmp(&sum(b)));
            all.extend(relative);
        }
    }
    all
}
