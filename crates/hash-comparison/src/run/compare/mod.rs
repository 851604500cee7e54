//! A whole run, from options to records.
//!
//! The order matters: names and files first, so that the user's mistakes do not cost a run; then the known answers;
//! then the timing, alone and before any thread pool exists; then everything that does not depend on the machine, on
//! all processors.

mod options;

use std::fs::File;
use std::path::Path;

pub use self::options::Options;
use crate::advice::recommend::decide;
use crate::advice::{costs, findings, summarise};
use crate::clock::{Pinned, Watch};
use crate::functions::{self, Function};
use crate::keys::{self, Dataset};
use crate::questions::{Measure, QUESTIONS, Records, mechanisms};
use crate::record::{FORMAT, Run, SCHEMA};
use crate::run::quality;
use records::environment;
use records::error::Error;
use records::progress::{Progress, go_on};

/// Runs all measurements. The list of files in the records is left for the writer to fill in.
///
/// # Errors
///
/// Returns an error if a dataset cannot be loaded, an answer or a timed result is wrong, or `progress` requests a stop.
pub fn run(options: &Options, progress: &dyn Progress) -> Result<Records, Error> {
    let date = environment::now_utc();
    let mut environment = environment::collect();
    let datasets = load(options, progress)?;

    let functions: Vec<&Function> = options.functions.iter().collect();
    progress.begin("known answers", functions.len() as u64);
    for &function in &functions {
        go_on(progress)?;
        functions::gate([function])?;
        progress.step();
    }

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
        functions: options.summaries(),
        ..Run::default()
    });
    let watch = Watch::start();
    for question in QUESTIONS {
        if let Measure::Times(measure) = question.measure {
            measure(&datasets, &functions, progress, &mut records)?;
        }
    }
    watch.stop(&mut records.run.environment);
    drop(pinned);
    quality::fill(&mut records, &datasets, &functions, progress)?;
    let tests = records.collisions.len();
    records.run.datasets = datasets.iter().map(|dataset| summarise(dataset, tests)).collect();
    let mut findings = findings::judge(&records);
    mechanisms::explain(&mut findings, &records.mechanisms);
    go_on(progress)?;
    records.run.findings = findings;
    records.run.bit_facts = findings::bit_facts(&records);
    records.costs = costs::judge(&records);
    decide(&mut records, &options.request);
    Ok(records)
}

/// Loads all datasets of the run: the embedded ones, then the key files.
fn load(options: &Options, progress: &dyn Progress) -> Result<Vec<Dataset>, Error> {
    // Most mistakes in key files are found here, before any work begins. Files that are not plain, such as pipes, are
    // read here too, since they can be read only once.
    let mut own: Vec<Option<Dataset>> = Vec::with_capacity(options.keys.len());
    for path in &options.keys {
        let early = if is_plain(path) {
            None
        } else {
            Some(keys::load_file(path, options.seed, progress)?)
        };
        own.push(early);
    }
    progress.begin("reading keys", (options.datasets.len() + own.len()) as u64);
    let mut datasets = Vec::with_capacity(options.datasets.len() + own.len());
    for name in &options.datasets {
        go_on(progress)?;
        datasets.push(keys::load_embedded(name, options.seed)?);
        progress.step();
    }
    for (path, early) in options.keys.iter().zip(own) {
        go_on(progress)?;
        datasets.push(early.map_or_else(|| keys::load_file(path, options.seed, progress), Ok)?);
        progress.step();
    }
    Ok(datasets)
}

/// Returns true if `path` is a file that is not empty and can be opened.
fn is_plain(path: &Path) -> bool {
    let has_bytes = path
        .metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0);
    has_bytes && File::open(path).is_ok()
}

#[cfg(test)]
mod tests;
