//! A comparison to be made, checked before anything is measured.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::{Args as _, FromArgMatches as _};

use super::measured;
use super::report::Report;
use crate::functions::{self, Function};
use crate::keys::{self, DEFAULT_SEED, Manifest};
use crate::program::typed;
use crate::questions::Records;
use crate::questions::files::{MAX_DATASETS, MAX_FUNCTIONS};
use crate::record::{FunctionSummary, Request};
use records::error::Error;
use terminal::bar::Terminal;
use terminal::failure::Failure;
use terminal::progress::Progress;

/// A comparison of hash functions: the functions, the keys, and what a function is wanted for.
///
/// Without keys it takes the embedded key sets, and without built-in functions those of a default run.
///
/// ```no_run
/// use hash_comparison::{Comparison, Failure, Function, Purpose, Request};
///
/// fn sum(key: &[u8]) -> u64 {
///     key.iter().fold(0, |sum, &byte| sum.wrapping_add(byte.into()))
/// }
///
/// # fn main() -> Result<(), Failure> {
/// let table = Request {
///     purpose: Purpose::Table,
///     mine: Some("Sum".to_owned()),
///     ..Request::default()
/// };
/// let comparison = Comparison::new()
///     .function(Function::custom("Sum", 64, sum, &[(b"abc", 294)]))
///     .built_in("XXH3")
///     .keys("my-keys.txt")
///     .request(table);
/// let report = comparison.run()?;
/// println!("{} rows of collisions", report.records.collisions.len());
/// report.write("my-report")?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, clap::Args)]
pub struct Comparison {
    /// An embedded dataset; may be given several times [default: all, or none with --keys]
    #[arg(long = "dataset", value_name = "NAME")]
    datasets: Vec<String>,

    /// A function, or a group of them: published, anchors, variants or further; may be given several times
    #[arg(long = "function", value_name = "NAME")]
    functions: Vec<String>,

    /// Measure every function; charts and lists fold those that are not named
    #[arg(long)]
    all: bool,

    /// A file of your own keys, one per line; may be given several times
    ///
    /// A key is the bytes of a line without its end (LF or CR LF). An empty line is the empty key; duplicate lines are counted
    /// and dropped. The dataset is named after the file, without its extension.
    #[arg(long = "keys", value_name = "FILE")]
    pub(super) keys: Vec<PathBuf>,

    /// Seed of every random choice, from 0 to 2^64 - 1
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED, value_parser = seed, allow_negative_numbers = true)]
    pub(super) seed: u64,

    /// Take fewer timing samples; all other results are the same
    #[arg(long)]
    pub(super) quick: bool,

    /// User-defined functions, measured after the others.
    #[arg(skip)]
    own: Vec<Function>,

    #[arg(skip)]
    pub(crate) request: Request,

    /// The command line that repeats the run.
    #[arg(skip = typed())]
    pub(crate) command: String,

    /// The commit of the workspace, for its own command.
    #[arg(skip)]
    pub(crate) commit: Option<String>,
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("must be a whole number between 0 and {}", u64::MAX))
}

/// The datasets and functions that a comparison stands for, each once.
#[derive(Debug)]
pub struct Chosen {
    /// The embedded datasets.
    pub datasets: Vec<String>,
    /// The functions, in the order in which they are measured.
    pub functions: Vec<Function>,
    /// Their entries in the records.
    pub summaries: Vec<FunctionSummary>,
    pub(super) request: Request,
}

impl Default for Comparison {
    fn default() -> Self {
        let nothing = Self::augment_args(clap::Command::new("")).get_matches_from([""]);
        Self::from_arg_matches(&nothing).expect("every option has a default")
    }
}

impl Comparison {
    /// Creates a comparison with the defaults of the command line.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a function of your own, built by [`Function::custom`]. The first stands beside the pick, unless the request names another
    /// function in use today.
    pub fn function(mut self, own: Function) -> Self {
        self.own.push(own);
        self
    }

    /// Adds a built-in function, or the group `published`, `anchors`, `variants` or `further`, by its name in any case.
    pub fn built_in(mut self, name: impl Into<String>) -> Self {
        self.functions.push(name.into());
        self
    }

    /// Adds a file of keys, one per line.
    pub fn keys(mut self, file: impl Into<PathBuf>) -> Self {
        self.keys.push(file.into());
        self
    }

    /// Adds an embedded key set.
    pub fn dataset(mut self, name: impl Into<String>) -> Self {
        self.datasets.push(name.into());
        self
    }

    /// Sets what a function is wanted for. The function in use today is measured even if it was not added.
    pub fn request(self, request: Request) -> Self {
        Self { request, ..self }
    }

    /// Sets the seed of every random choice.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Measures every built-in function. Charts and lists fold those that were not added by name.
    pub fn all(self) -> Self {
        Self { all: true, ..self }
    }

    /// Takes fewer timing samples. All other results stay the same.
    pub fn quick(self) -> Self {
        Self { quick: true, ..self }
    }

    /// Measures all functions on all keys. Progress goes to standard error.
    ///
    /// # Errors
    ///
    /// [`Failure::Input`] for an unknown name, an unreadable key file, or a function of your own that breaks the rules of
    /// [`Function::custom`]; [`Failure::Internal`] for one with a wrong answer; [`Failure::Interrupted`] after Ctrl-C.
    pub fn run(&self) -> Result<Report, Failure> {
        let terminal = Terminal::listen()?;
        let records = self.measure(&terminal)?;
        Ok(Report { records, terminal })
    }

    /// Measures all functions on all keys, and returns the records alone. Steps are reported to `progress`, which may stop the run.
    ///
    /// # Errors
    ///
    /// The errors of [`run`](Self::run), and one of the kind `Cancelled` if `progress` requests a stop.
    pub fn measure(&self, progress: &dyn Progress) -> Result<Records, Error> {
        measured::measure(self, None, progress)
    }

    /// Returns a sentence for each name given that is not the function's own.
    pub(crate) fn meanings(&self) -> impl Iterator<Item = String> {
        let given = self.functions.iter().chain(&self.request.mine);
        given.filter_map(|name| functions::meaning(name))
    }

    /// Looks up the names, and checks custom functions and the dataset names of the key files.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is unknown, two datasets or functions would have the same name, a function breaks the
    /// rules of [`Function::custom`], or there are too many datasets or functions for one report.
    pub fn check(&self) -> Result<Chosen, Error> {
        let mut datasets: Vec<String> = Vec::new();
        for name in &self.datasets {
            datasets.push(Manifest::find(name)?.name.clone());
        }
        if self.datasets.is_empty() && self.keys.is_empty() {
            datasets.extend(keys::embedded_names().map(str::to_owned));
        }
        let mut seen = HashSet::new();
        datasets.retain(|name| seen.insert(name.clone()));
        let count = datasets.len() + self.keys.len();
        if count > MAX_DATASETS {
            return Err(Error::input(format!(
                "a run must have at most {MAX_DATASETS} datasets and key files, got {count}: make several runs"
            )));
        }
        keys::file_names(&self.keys)?;

        let is_among = |all: &[Function], name: &str| all.iter().any(|one| one.name == name);
        let mut named: Vec<Function> = Vec::new();
        for name in &self.functions {
            named.extend(functions::select(name)?);
        }
        if named.is_empty() {
            named.extend(functions::default_set());
        }
        let mut seen = HashSet::new();
        named.retain(|function| seen.insert(function.name));
        let mut functions = if self.all {
            functions::all().to_vec()
        } else {
            named.clone()
        };
        for function in &self.own {
            function.check_custom()?;
            let same = |other: &&Function| other.name.eq_ignore_ascii_case(function.name);
            if let Some(other) = functions.iter().find(same) {
                return Err(other.has_the_name(function.name));
            }
            functions.push(*function);
            named.push(*function);
        }
        let mut request = self.request.clone();
        let first = self.own.first().map(|function| function.name.to_owned());
        request.mine = request.mine.or(first);
        if let Some(mine) = &mut request.mine {
            let own = self.own.iter().find(|one| one.name.eq_ignore_ascii_case(mine));
            let function = *own.map_or_else(|| functions::find(mine), Ok)?;
            if !is_among(&functions, function.name) {
                functions.push(function);
            }
            named.push(function);
            function.name.clone_into(mine);
        }
        let count = functions.len();
        if count > MAX_FUNCTIONS {
            return Err(Error::input(format!(
                "a run must have at most {MAX_FUNCTIONS} functions, got {count}: name the built-in ones that you need"
            )));
        }
        let summary = |function: &Function| FunctionSummary {
            folded: !is_among(&named, function.name),
            ..function.summary()
        };
        Ok(Chosen {
            datasets,
            summaries: functions.iter().map(summary).collect(),
            functions,
            request,
        })
    }
}
