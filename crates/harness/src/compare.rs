//! A whole run, from options to records.
//!
//! The order matters: names and files first, since mistakes of the user must not cost him a run; then the known
//! answers; then the timing, alone and before any thread pool exists; then everything that does not depend on the
//! machine, on all processors.

mod options;

use std::fmt;
use std::fs::File;
use std::path::Path;

use rayon::prelude::*;

pub use self::options::{DEFAULT_SEED, Options};
use crate::dataset::{self, Dataset, DatasetError};
use crate::environment;
use crate::findings::{self, Evidence, summarise};
use crate::functions::{self, Function, GateError};
use crate::measure::collisions::{self, RawCollisions};
use crate::measure::false_positives::Probes;
use crate::measure::timing::{self, TimingError};
use crate::measure::{Hashed, distribution};
use crate::names::UnknownName;
use crate::progress::{Cancelled, Progress, go_on};
use crate::record::{DistributionRow, FORMAT, FalsePositiveRow, FunctionSummary, Run, SCHEMA};
use crate::records::Records;

/// Why a run gave no records.
#[derive(Debug)]
#[non_exhaustive]
pub enum CompareError {
    /// No function or dataset has this name.
    Name(UnknownName),
    /// A dataset cannot be had.
    Dataset(DatasetError),
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
            Self::Name(_) => true,
            Self::Dataset(error) => !matches!(error, DatasetError::Mismatch { .. }),
            Self::Gate(_) | Self::Timing(_) | Self::Threads(_) | Self::Cancelled => false,
        }
    }
}

impl fmt::Display for CompareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(error) => error.fmt(f),
            Self::Dataset(error) => error.fmt(f),
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

impl From<DatasetError> for CompareError {
    fn from(error: DatasetError) -> Self {
        match error {
            DatasetError::Unknown(unknown) => Self::Name(unknown),
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

    progress.begin("known answers", options.functions.len() as u64);
    for &function in &options.functions {
        go_on(progress)?;
        functions::gate([function]).map_err(CompareError::Gate)?;
        progress.step();
    }

    let times = timing::measure(
        &datasets,
        &options.functions,
        options.seed,
        options.quick,
        progress,
    )?;
    environment.threads_while_timing = times.threads;
    let quality = measure(&datasets, &options.functions, progress)?;
    let collisions = collisions::judge(&quality.collisions);
    let findings = findings::judge(Evidence {
        datasets: &datasets,
        raw: &quality.collisions,
        collisions: &collisions,
        distribution: &quality.distribution,
        false_positives: &quality.false_positives,
    });
    go_on(progress)?;

    Ok(Records {
        run: Run {
            format: FORMAT.to_owned(),
            schema: SCHEMA,
            generator: format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
            command: options.command().to_owned(),
            date,
            seed: options.seed,
            quick: options.quick,
            files: Vec::new(),
            environment,
            datasets: datasets
                .iter()
                .map(|dataset| summarise(dataset, collisions.len()))
                .collect(),
            functions: options
                .functions
                .iter()
                .map(|function| describe(function))
                .collect(),
            findings,
        },
        collisions,
        timing: times.timing,
        latency: times.latency,
        distribution: quality.distribution,
        false_positives: quality.false_positives,
    })
}

/// Everything that does not depend on the machine, by dataset and function in the order given.
#[derive(Default)]
struct Quality {
    collisions: Vec<RawCollisions>,
    distribution: Vec<DistributionRow>,
    false_positives: Vec<FalsePositiveRow>,
}

/// Measures everything but time on all processors; the result does not depend on their number.
fn measure(
    datasets: &[Dataset],
    functions: &[&'static Function],
    progress: &dyn Progress,
) -> Result<Quality, CompareError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .build()
        .map_err(|error| CompareError::Threads(error.to_string()))?;
    progress.begin("quality", (datasets.len() * (functions.len() + 2)) as u64);
    let parts: Result<Vec<Quality>, Cancelled> = pool.install(|| {
        let probes: Vec<Probes<'_>> = datasets
            .par_iter()
            .map(|dataset| {
                go_on(progress)?;
                let probes = Probes::new(dataset);
                progress.step();
                Ok(probes)
            })
            .collect::<Result<_, Cancelled>>()?;
        // The ideal hash stands after the functions of its dataset.
        let hashes = || functions.iter().map(|&function| Some(function)).chain([None]);
        let tasks: Vec<_> = datasets
            .iter()
            .zip(&probes)
            .flat_map(|(dataset, probes)| hashes().map(move |function| (dataset, probes, function)))
            .collect();
        tasks
            .par_iter()
            .map(|&(dataset, probes, function)| {
                go_on(progress)?;
                let part = part(dataset, probes, function);
                progress.step();
                Ok(part)
            })
            .collect()
    });
    let mut quality = Quality::default();
    for part in parts? {
        quality.collisions.extend(part.collisions);
        quality.distribution.extend(part.distribution);
        quality.false_positives.extend(part.false_positives);
    }
    Ok(quality)
}

/// What one function does to one dataset; without a function, what the ideal hash does in a filter.
fn part(dataset: &Dataset, probes: &Probes<'_>, function: Option<&'static Function>) -> Quality {
    let Some(function) = function else {
        return Quality {
            false_positives: probes.measure_ideal(),
            ..Quality::default()
        };
    };
    let hashed = Hashed::new(&dataset.keys, function);
    Quality {
        collisions: vec![collisions::measure(dataset, &hashed)],
        distribution: distribution::measure(dataset, &hashed),
        false_positives: probes.measure(&hashed),
    }
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
            Some(dataset::load_file(path, options.seed)?)
        };
        own.push(early);
    }
    progress.begin("reading keys", (options.datasets.len() + own.len()) as u64);
    let mut datasets = Vec::with_capacity(options.datasets.len() + own.len());
    for name in &options.datasets {
        go_on(progress)?;
        datasets.push(dataset::load_embedded(name, options.seed)?);
        progress.step();
    }
    for (path, early) in options.keys.iter().zip(own) {
        go_on(progress)?;
        datasets.push(early.map_or_else(|| dataset::load_file(path, options.seed), Ok)?);
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

fn describe(function: &Function) -> FunctionSummary {
    FunctionSummary {
        name: function.name.to_owned(),
        group: function.group,
        bits: function.compared_bits(),
        output_bits: function.output_bits,
        origin: function.origin.to_owned(),
        year: function.year,
        author: function.author.to_owned(),
        source: function.source.to_owned(),
        weaknesses: function
            .weaknesses
            .iter()
            .map(|&weakness| weakness.to_owned())
            .collect(),
        stable: function.stable,
    }
}
