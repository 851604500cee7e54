//! A whole run, from options to records.
//!
//! The order matters: names and files first, since mistakes of the user must not cost him a run; then the known
//! answers; then the timing, alone and before any thread pool exists; then everything that does not depend on the
//! machine, on all processors.

mod options;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::path::Path;

pub use self::options::Options;
use crate::functions::{self, Function, GateError, OwnFunctionError};
use crate::judge::findings::{self, Evidence, summarise};
use crate::judge::mechanisms;
use crate::judge::rank::rank;
use crate::judge::recommend::recommend;
use crate::keys::{self, Dataset, DatasetError};
use crate::measure::timing::{Pinned, TimingError, Watch};
use crate::measure::{self, environment};
use crate::names::UnknownName;
use crate::progress::{Cancelled, Progress, go_on};
use crate::record::files::{MOST_DATASETS, Records};
use crate::record::{FORMAT, Run, SCHEMA, significant};
use crate::run::quality;

/// Why a run gave no records.
#[derive(Debug)]
#[non_exhaustive]
pub enum CompareError {
    /// No function or dataset has this name.
    Name(UnknownName),
    /// More datasets were asked for than a report has room for.
    TooManyDatasets(usize),
    /// A dataset cannot be had.
    Dataset(DatasetError),
    /// A function of the user's own cannot be measured.
    Own(OwnFunctionError),
    /// A function is not what its name says.
    Gate(GateError),
    /// There are no times.
    Timing(TimingError),
    /// The system gave no threads.
    Threads(String),
    /// The run was asked to stop.
    Cancelled,
}

impl CompareError {
    /// Whether the user can mend it: by other arguments, or other files.
    pub fn is_input(&self) -> bool {
        match self {
            Self::Name(_) | Self::TooManyDatasets(_) | Self::Own(_) => true,
            Self::Dataset(error) => error.is_input(),
            Self::Gate(_) | Self::Timing(_) | Self::Threads(_) | Self::Cancelled => false,
        }
    }
}

impl fmt::Display for CompareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(error) => error.fmt(f),
            Self::TooManyDatasets(count) => write!(
                f,
                "{count} datasets and key files; one run takes at most {MOST_DATASETS}: make several runs"
            ),
            Self::Dataset(error) => error.fmt(f),
            Self::Own(error) => error.fmt(f),
            Self::Gate(error) => error.fmt(f),
            Self::Timing(error) => error.fmt(f),
            Self::Threads(error) => write!(f, "cannot start threads: {error}"),
            Self::Cancelled => Cancelled.fmt(f),
        }
    }
}

impl std::error::Error for CompareError {}

impl From<Cancelled> for CompareError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl From<TimingError> for CompareError {
    fn from(error: TimingError) -> Self {
        match error {
            TimingError::Cancelled(_) => Self::Cancelled,
            wrong => Self::Timing(wrong),
        }
    }
}

impl From<OwnFunctionError> for CompareError {
    fn from(error: OwnFunctionError) -> Self {
        Self::Own(error)
    }
}

impl From<DatasetError> for CompareError {
    fn from(error: DatasetError) -> Self {
        match error {
            DatasetError::Unknown(unknown) => Self::Name(unknown),
            DatasetError::Cancelled(_) => Self::Cancelled,
            other => Self::Dataset(other),
        }
    }
}

/// Measures; the list of files in the records is left for the writer to fill in.
///
/// # Errors
///
/// When a dataset cannot be had, a known answer does not come out, a timed result is wrong, or `progress` asks to stop.
pub fn run(options: &Options, progress: &dyn Progress) -> Result<Records, CompareError> {
    let date = environment::now_utc();
    let mut environment = environment::collect();
    let datasets = load(options, progress)?;

    let functions: Vec<&Function> = options.functions.iter().collect();
    progress.begin("known answers", functions.len() as u64);
    for &function in &functions {
        go_on(progress)?;
        functions::gate([function]).map_err(CompareError::Gate)?;
        progress.step();
    }

    let pinned = Pinned::here();
    environment.pinned_cpu = pinned.as_ref().map(Pinned::cpu);
    let mut records = Records::of(Run {
        format: FORMAT.to_owned(),
        schema: SCHEMA,
        generator: format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
        command: options.command().to_owned(),
        date,
        seed: options.seed,
        quick: options.quick,
        files: Vec::new(),
        checksums: BTreeMap::new(),
        environment,
        datasets: Vec::new(),
        functions: functions.iter().map(|function| function.summary()).collect(),
        findings: Vec::new(),
        bit_facts: Vec::new(),
        recommendations: Vec::new(),
        baseline: None,
    });
    let watch = Watch::start(progress);
    measure::times(&mut records, &datasets, &functions, &watch)?;
    let watched = watch.stop();
    drop(pinned);
    let environment = &mut records.run.environment;
    environment.threads_while_timing = watched.threads;
    environment.timing_seconds = Some(significant::round(watched.duration.as_secs_f64()));
    environment.involuntary_switches_while_timing = watched.involuntary_switches;
    environment.seconds_waited_while_timing = watched
        .waited
        .map(|waited| significant::round(waited.as_secs_f64()));
    let raw = quality::fill(&mut records, &datasets, &functions, progress)?;
    let mut findings = findings::judge(Evidence {
        datasets: &datasets,
        raw: &raw,
        collisions: &records.collisions,
        distribution: &records.distribution,
        false_positives: &records.false_positives,
    });
    mechanisms::explain(&mut findings, &records.mechanisms);
    go_on(progress)?;
    records.run.findings = findings;
    records.run.datasets = datasets
        .iter()
        .map(|dataset| summarise(dataset, records.collisions.len()))
        .collect();
    records.run.bit_facts = findings::bit_facts(&records.windows, &records.avalanche, &records.mixing);
    records.run.recommendations = recommend(&records, &options.request);
    rank(&mut records);
    Ok(records)
}

/// All datasets of the run: the embedded ones, then the key files.
fn load(options: &Options, progress: &dyn Progress) -> Result<Vec<Dataset>, CompareError> {
    // What is wrong with a key file mostly shows at a glance: then nothing is begun. What is no plain file, a pipe for
    // one, is read here too, since it can be read only once.
    let mut own: Vec<Option<Dataset>> = Vec::with_capacity(options.keys.len());
    for path in &options.keys {
        let early = if is_plain(path) {
            None
        } else {
            Some(keys::load_file_watched(path, options.seed, progress)?)
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
        datasets.push(early.map_or_else(|| keys::load_file_watched(path, options.seed, progress), Ok)?);
        progress.step();
    }
    Ok(datasets)
}

/// Whether `path` is a file that has bytes and opens.
fn is_plain(path: &Path) -> bool {
    let has_bytes = path
        .metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0);
    has_bytes && File::open(path).is_ok()
}

#[cfg(test)]
mod forged;
#[cfg(test)]
mod tests;
