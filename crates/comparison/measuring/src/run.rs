//! A run, in its order: load, verify, time, count.
//!
//! Names and files come first, so that the user's mistakes do not cost a run; then the known answers; then the timing, alone and
//! before any thread pool exists; then everything that does not depend on the machine, on all processors.

use std::path::PathBuf;

use rayon::prelude::*;

use crate::clock::{Pinned, Stopwatch, Watch};
use crate::functions::library::STACK;
use crate::functions::{self, Function};
use crate::keys::{self, Dataset, KeySet, structured};
use crate::questions::collisions::width;
use crate::questions::{FILES, Hashed, Measure, OnKeys, QUESTIONS, Records};
use crate::record::Run;
use records::document::RUN;
use records::environment;
use terminal::failure::Failure;
use terminal::progress::{Cancelled, Progress, go_on};

/// A checked comparison: what its names stand for, each once.
#[derive(Debug)]
pub struct Plan {
    /// The start of the records: functions, request, seed, command and date.
    pub run: Run,
    /// The embedded datasets.
    pub datasets: Vec<String>,
    /// The functions, in the order in which they are measured.
    pub functions: Vec<Function>,
    /// The files of keys, with the names of their datasets.
    pub key_files: Vec<(String, PathBuf)>,
    /// A sentence for each given name that is not the function's own.
    pub meanings: Vec<String>,
    /// The commit of the workspace.
    pub commit: Option<String>,
}

/// Measures. Times, machine and date are those of an `earlier` run, if there is one. The report fills in the list of
/// files.
pub fn measure(plan: &Plan, earlier: Option<&Records>, progress: &dyn Progress) -> Result<Records, Failure> {
    let watch = Stopwatch::start();
    let datasets = load(plan, progress)?;
    let functions: Vec<&Function> = plan.functions.iter().collect();
    verify(&functions, progress)?;
    progress.expect(&seconds(plan, earlier.is_none(), &datasets));
    let mut records = match earlier {
        Some(earlier) => times_of(earlier, plan)?,
        None => time(plan, &datasets, &functions, progress)?,
    };
    records.run.datasets = datasets.iter().map(|set| set.summary.clone()).collect();
    count(&mut records, &datasets, &functions, progress)?;
    go_on(progress)?;
    if earlier.is_none() {
        records.run.environment.run_seconds = Some(watch.seconds());
    }
    Ok(records)
}

/// Loads the embedded datasets, then the key files.
fn load(plan: &Plan, progress: &dyn Progress) -> Result<Vec<Dataset>, Failure> {
    let seed = plan.run.seed;
    // The user's files are read before any work begins, because mistakes are in them.
    let form = &plan.run.request.key_form;
    let own = plan.key_files.iter();
    let own = own.map(|file| keys::load_file(file, form, seed, progress));
    let own = own.collect::<Result<Vec<_>, Failure>>()?;
    let steps = plan.datasets.len() + plan.functions.len();
    progress.begin("reading keys", steps as u64);
    let embedded = plan.datasets.iter().map(|name| {
        go_on(progress)?;
        let dataset = keys::load_embedded(name, seed)?;
        progress.step();
        Ok(dataset)
    });
    embedded.chain(own.into_iter().map(Ok)).collect()
}

/// Checks the known answers of all functions.
fn verify(functions: &[&Function], progress: &dyn Progress) -> Result<(), Failure> {
    for &function in functions {
        go_on(progress)?;
        functions::gate([function])?;
        progress.step();
    }
    Ok(())
}

/// Returns the expected seconds of each phase from here on, those of a default run on two cores of an AMD EPYC by the work that they
/// do.
fn seconds(plan: &Plan, with_times: bool, datasets: &[Dataset]) -> Vec<f64> {
    let (sets, subjects) = (datasets.len() as f64, plan.functions.len() as f64 + 1.0);
    let keys = || datasets.iter().map(|set| set.keys.len());
    // Larger sets are counted in filters of fewer sizes.
    let in_filters: usize = keys().map(|keys| keys.min(350_000)).sum();
    let of_keys = 2.7e-7 * in_filters as f64 + 4.2e-8 * keys().sum::<usize>() as f64;
    // Readings of the clock cover as many keys as make any set take about as long.
    let times = [0.16 * sets, 0.04, 0.03 * sets].map(|each| each * if plan.run.quick { 0.3 } else { 1.0 });
    let quality = [of_keys, 0.028, 0.032, 0.012 * sets];
    let times = times.into_iter().filter(|_| with_times);
    times.chain(quality).map(|each| each * subjects).collect()
}

/// Takes all times, on one processor if the system allows it.
fn time(
    plan: &Plan,
    datasets: &[Dataset],
    functions: &[&Function],
    progress: &dyn Progress,
) -> Result<Records, Failure> {
    let mut records = Records::of(plan.run.clone());
    records.run.environment = environment::collect();
    let pinned = Pinned::here();
    records.run.environment.commit.clone_from(&plan.commit);
    records.run.environment.pinned_cpu = pinned.as_ref().map(Pinned::cpu);
    let watch = Watch::start();
    for question in QUESTIONS {
        if let Measure::Times(measure) = question.measure {
            measure(datasets, functions, progress, &mut records)?;
        }
    }
    watch.stop(&mut records.run.environment);
    Ok(records)
}

/// Returns records with the times, the machine and the date of an earlier run.
fn times_of(earlier: &Records, plan: &Plan) -> Result<Records, Failure> {
    let mut records = Records::of(Run {
        checksums: Default::default(),
        functions: plan.run.functions.clone(),
        request: plan.run.request.clone(),
        ..earlier.run.clone()
    });
    for file in FILES.iter().filter(|file| file.timed) {
        (file.parse)(&mut records, RUN.as_ref(), &(file.bytes)(earlier))?;
    }
    Ok(records)
}

/// Measures everything that does not depend on the machine, and corrects the tests of each question. Uses one thread per
/// processor, or `RAYON_NUM_THREADS` threads; the result does not depend on it.
pub fn count(
    records: &mut Records,
    datasets: &[Dataset],
    functions: &[&Function],
    progress: &dyn Progress,
) -> Result<(), Failure> {
    let pool = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK)
        .build()
        .map_err(|error| Failure::internal(format!("cannot start threads: {error}")))?;
    pool.install(|| -> Result<_, Cancelled> {
        count_values("quality", records, datasets, functions, progress)?;
        let structured = structured::datasets(records.run.seed);
        count_values(
            "quality on structured keys",
            records,
            &structured,
            functions,
            progress,
        )?;
        for question in QUESTIONS {
            if let Measure::Functions(measure) = question.measure {
                measure(functions, progress, records)?;
            }
        }
        let sample = width::sample();
        let summaries = records.run.functions.par_iter_mut().zip(functions);
        summaries.try_for_each(|(summary, function)| {
            let values = hash(&sample, function, progress)?.values;
            let bits = width::effective_bits(&values, summary.output_bits);
            summary.effective_bits = Some(bits).filter(|bits| *bits < summary.output_bits);
            Ok(())
        })
    })?;
    for question in QUESTIONS {
        (question.judge)(records);
    }
    Ok(())
}

/// Measures the values of keys: of the functions one by one, then of the ideal hash, on each dataset.
pub fn count_values(
    phase: &'static str,
    records: &mut Records,
    datasets: &[Dataset],
    functions: &[&Function],
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    progress.begin(phase, (datasets.len() * (functions.len() + 2)) as u64);
    let prepared: Vec<Vec<OnKeys<'_>>> = datasets
        .par_iter()
        .map(|dataset| {
            go_on(progress)?;
            let applicable = QUESTIONS.iter().filter(|question| question.applies_to(dataset));
            let questions = applicable.filter_map(|question| on_keys(&question.measure, dataset));
            let questions = questions.collect();
            progress.step();
            Ok(questions)
        })
        .collect::<Result<_, Cancelled>>()?;
    let hashes = || functions.iter().map(|&function| Some(function)).chain([None]);
    let tasks: Vec<_> = (datasets.iter().zip(&prepared))
        .flat_map(|(dataset, questions)| hashes().map(move |function| (dataset, questions, function)))
        .collect();
    let parts: Vec<Records> = tasks
        .par_iter()
        .map(|&(dataset, questions, function)| {
            go_on(progress)?;
            let mut part = Records::of(Run::default());
            let hashed = function.map(|function| hash(&dataset.keys, function, progress));
            let hashed = hashed.transpose()?;
            for question in questions {
                question(hashed.as_ref(), progress, &mut part)?;
            }
            progress.step();
            Ok(part)
        })
        .collect::<Result<_, Cancelled>>()?;
    parts.into_iter().for_each(|part| records.append(part));
    Ok(())
}

/// Hashes every key, unless `progress` requests a stop.
pub fn hash<'a>(
    keys: &KeySet,
    function: &'a Function,
    progress: &dyn Progress,
) -> Result<Hashed<'a>, Cancelled> {
    let mut values = Vec::with_capacity(keys.len());
    for key in keys.watched(progress) {
        values.push((function.hash)(key?));
    }
    Ok(Hashed { function, values })
}

/// Prepares a question about the values of a dataset's keys.
fn on_keys<'a>(measure: &Measure, dataset: &'a Dataset) -> Option<OnKeys<'a>> {
    match *measure {
        Measure::Prepared(prepare) => Some(prepare(dataset)),
        Measure::Values(measure) => Some(Box::new(move |hashed, progress, records| {
            if let Some(hashed) = hashed {
                // With ten million keys a question takes a good part of a second.
                go_on(progress)?;
                measure(dataset, hashed, records);
            }
            Ok(())
        })),
        Measure::Times(_) | Measure::Functions(_) => None,
    }
}
