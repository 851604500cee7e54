//! A whole run, from options to records.
//!
//! The order matters: names and files first, since mistakes of the user must not cost him a run; then the known
//! answers; then the timing, alone and before any thread pool exists; then everything that does not depend on the
//! machine, on all processors.

use std::fmt;
use std::path::PathBuf;

use rayon::prelude::*;

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

/// Seed of a run that names none; the manifest's checksums are for it.
pub const DEFAULT_SEED: u64 = 1;

/// What to compare, checked.
#[derive(Debug, Clone)]
pub struct Options {
    datasets: Vec<String>,
    keys: Vec<PathBuf>,
    functions: Vec<&'static Function>,
    seed: u64,
    quick: bool,
    command: String,
}

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

impl Options {
    /// Looks up the names, in any case and each once, and checks what the key files would be called.
    ///
    /// Without functions, all; without datasets and key files, all embedded datasets.
    ///
    /// # Errors
    ///
    /// When a name is unknown, and when two datasets would have one name.
    pub fn new(
        datasets: &[String],
        functions: &[String],
        keys: Vec<PathBuf>,
        seed: u64,
        quick: bool,
    ) -> Result<Self, CompareError> {
        let mut command = vec!["cargo xtask compare".to_owned()];

        let mut chosen: Vec<String> = Vec::new();
        for name in datasets {
            let known = dataset::embedded_names()
                .find(|known| known.eq_ignore_ascii_case(name))
                .ok_or_else(|| {
                    CompareError::Name(UnknownName::new("dataset", name, dataset::embedded_names()))
                })?;
            if !chosen.iter().any(|other| other == known) {
                command.push(format!("--dataset {known}"));
                chosen.push(known.to_owned());
            }
        }
        if chosen.is_empty() && keys.is_empty() {
            chosen.extend(dataset::embedded_names().map(str::to_owned));
        }
        dataset::file_names(&keys)?;
        command.extend(
            keys.iter()
                .map(|path| format!("--keys {}", quoted(&path.to_string_lossy()))),
        );

        let mut wanted: Vec<&'static Function> = Vec::new();
        for name in functions {
            let function = functions::find(name).map_err(CompareError::Name)?;
            if !wanted.iter().any(|other| other.name == function.name) {
                command.push(format!("--function {}", function.name));
                wanted.push(function);
            }
        }
        if wanted.is_empty() {
            wanted.extend(functions::all());
        }

        command.push(format!("--seed {seed}"));
        if quick {
            command.push("--quick".to_owned());
        }
        Ok(Self {
            datasets: chosen,
            keys,
            functions: wanted,
            seed,
            quick,
            command: command.join(" "),
        })
    }

    /// The command line that repeats the run.
    pub fn command(&self) -> &str {
        &self.command
    }
}

/// `text` as one word of a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=+,@%:".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
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
            command: options.command.clone(),
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
    progress.begin(
        "reading keys",
        (options.datasets.len() + options.keys.len()) as u64,
    );
    let mut datasets = Vec::with_capacity(options.datasets.len() + options.keys.len());
    // The user's files first: if one is wrong, it shows at once.
    for path in &options.keys {
        go_on(progress)?;
        datasets.push(dataset::load_file(path, options.seed)?);
        progress.step();
    }
    for (index, name) in options.datasets.iter().enumerate() {
        go_on(progress)?;
        datasets.insert(index, dataset::load_embedded(name, options.seed)?);
        progress.step();
    }
    Ok(datasets)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn options(datasets: &[&str], functions: &[&str], keys: &[&str]) -> Result<Options, CompareError> {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let keys = keys.iter().map(PathBuf::from).collect();
        Options::new(&owned(datasets), &owned(functions), keys, 7, true)
    }

    #[test]
    fn names_are_taken_once_and_in_any_case() {
        let options = options(&["VIDEO-ids", "video-ids"], &["xxh3", "XXH3-64", "crc-32"], &[]).unwrap();
        assert_eq!(
            options.command(),
            "cargo xtask compare --dataset video-ids --function XXH3 --function CRC-32 --seed 7 --quick"
        );
        assert_eq!(options.datasets, ["video-ids"]);
        assert_eq!(options.functions.len(), 2);
    }

    #[test]
    fn own_keys_stand_instead_of_the_embedded_sets() {
        let own = options(&[], &[], &["my keys.txt"]).unwrap();
        assert!(own.datasets.is_empty());
        assert_eq!(own.functions.len(), functions::all().len());
        assert_eq!(
            own.command(),
            "cargo xtask compare --keys 'my keys.txt' --seed 7 --quick"
        );
        let both = options(&["video-ids"], &[], &["it's"]).unwrap();
        assert_eq!(both.datasets, ["video-ids"]);
        assert_eq!(
            both.command(),
            r"cargo xtask compare --dataset video-ids --keys 'it'\''s' --seed 7 --quick"
        );
        assert_eq!(
            options(&[], &[], &[]).unwrap().datasets.len(),
            dataset::embedded_names().count()
        );
    }

    #[test]
    fn mistakes_are_the_users() {
        for wrong in [
            options(&["video"], &[], &[]),
            options(&[], &["murmur"], &[]),
            options(&[], &[], &["a.txt", "x/a.keys"]),
            options(&[], &[], &["video-ids.txt"]),
        ] {
            assert!(wrong.unwrap_err().is_input());
        }
    }
}
