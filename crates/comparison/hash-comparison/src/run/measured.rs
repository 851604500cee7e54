//! A whole run, from options to records.
//!
//! The order matters: names and files first, so that the user's mistakes do not cost a run; then the known answers;
//! then the timing, alone and before any thread pool exists; then everything that does not depend on the machine, on
//! all processors.

use super::comparison::Comparison;
use super::quality;
use crate::advice::recommend::decide;
use crate::advice::{costs, findings};
use crate::clock::{Pinned, Watch};
use crate::functions::{self, Function};
use crate::keys::{self, Dataset};
use crate::questions::{FILES, Measure, QUESTIONS, Records};
use crate::record::{FORMAT, FunctionGroup, Run, SCHEMA};
use records::document::RUN;
use records::environment;
use records::error::Error;
use terminal::progress::{Progress, go_on};

/// Makes a run of all functions and embedded datasets again, apart from its times, its machine and its date.
pub(crate) fn again(earlier: &Records, progress: &dyn Progress) -> Result<Records, Error> {
    let options = Comparison::new().all().seed(earlier.run.seed);
    measure(&options, Some(earlier), progress)
}

/// Checks the options and runs all measurements, or takes the times of an earlier run. The list of files in the records is left
/// for the writer to fill in.
pub(crate) fn measure(
    options: &Comparison,
    earlier: Option<&Records>,
    progress: &dyn Progress,
) -> Result<Records, Error> {
    let mut chosen = options.check()?;
    if earlier.is_some() {
        // What an earlier run has does not depend on the features of this build.
        chosen.functions.retain(|one| one.group != FunctionGroup::Further);
        chosen.summaries.retain(|one| one.group != FunctionGroup::Further);
    }
    let date = environment::now_utc();
    let mut environment = environment::collect();
    environment.commit.clone_from(&options.commit);
    let datasets = load(options, &chosen.datasets, progress)?;

    let functions: Vec<&Function> = chosen.functions.iter().collect();
    progress.begin("known answers", functions.len() as u64);
    for &function in &functions {
        go_on(progress)?;
        functions::gate([function])?;
        progress.step();
    }

    let seconds = seconds(earlier.is_none(), options.quick, &datasets, functions.len());
    progress.expect(&seconds);
    let mut records = match earlier {
        Some(earlier) => taken(earlier)?,
        None => {
            let pinned = Pinned::here();
            environment.pinned_cpu = pinned.as_ref().map(Pinned::cpu);
            let mut records = Records::of(Run {
                format: FORMAT.to_owned(),
                schema: SCHEMA,
                generator: format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
                command: options.command.clone(),
                date,
                seed: options.seed,
                quick: options.quick,
                environment,
                ..Run::default()
            });
            let watch = Watch::start();
            for question in QUESTIONS {
                if let Measure::Times(measure) = question.measure {
                    measure(&datasets, &functions, progress, &mut records)?;
                }
            }
            watch.stop(&mut records.run.environment);
            records
        }
    };
    records.run.functions = chosen.summaries;
    quality::fill(&mut records, &datasets, &functions, progress)?;
    records.run.datasets = datasets.iter().map(|set| set.summary.clone()).collect();
    let findings = findings::judge(&records);
    go_on(progress)?;
    records.run.findings = findings;
    records.run.bit_facts = findings::bit_facts(&records);
    records.costs = costs::judge(&records);
    decide(&mut records, &chosen.request);
    Ok(records)
}

/// Returns the expected seconds of each phase, those of a default run on two cores of an AMD EPYC by the work that they do.
fn seconds(with_times: bool, quick: bool, datasets: &[Dataset], functions: usize) -> Vec<f64> {
    let (sets, subjects) = (datasets.len() as f64, functions as f64 + 1.0);
    let keys: f64 = datasets.iter().map(|set| set.keys.len() as f64).sum();
    // A reading of the clock is of keys enough for any set to take about as long.
    let times = [0.16 * sets, 0.04, 0.10 * sets].map(|each| each * if quick { 0.3 } else { 1.0 });
    let quality = [3.5e-7 * keys, 0.06, 0.08, 0.005 * sets];
    let times = times.into_iter().filter(|_| with_times);
    times.chain(quality).map(|each| each * subjects).collect()
}

/// Returns records with the times, the machine and the date of an earlier run, and nothing else.
fn taken(earlier: &Records) -> Result<Records, Error> {
    let mut records = Records::of(Run {
        checksums: Default::default(),
        ..earlier.run.clone()
    });
    for file in FILES.iter().filter(|file| file.timed) {
        (file.parse)(&mut records, RUN.as_ref(), &(file.bytes)(earlier))?;
    }
    Ok(records)
}

/// Loads all datasets of the run: the embedded ones, then the key files.
fn load(options: &Comparison, embedded: &[String], progress: &dyn Progress) -> Result<Vec<Dataset>, Error> {
    // The user's files come first, before any work begins: mistakes are in them.
    let own = options
        .keys
        .iter()
        .map(|path| keys::load_file(path, options.seed, progress));
    let own = own.collect::<Result<Vec<_>, _>>()?;
    progress.begin("reading keys", embedded.len() as u64);
    let embedded = embedded.iter().map(|name| {
        go_on(progress)?;
        let dataset = keys::load_embedded(name, options.seed)?;
        progress.step();
        Ok(dataset)
    });
    embedded.chain(own.into_iter().map(Ok)).collect()
}
