//! A comparison to be made, and the plan that its names stand for.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::functions::{self, Function};
use crate::keys::{DEFAULT_SEED, Manifest, embedded_names};
use crate::program::typed;
use crate::questions::Records;
use crate::record::{FORMAT, FunctionGroup, FunctionSummary, Request, Run, SCHEMA};
use crate::report::{MAX_DATASETS, MAX_FUNCTIONS, Report};
use crate::run::measure;
use records::environment;
use records::error::Error;
use terminal::bar::Terminal;
use terminal::failure::Failure;
use terminal::progress::Progress;

/// A comparison of hash functions: the functions, the keys, and the request.
///
/// Without keys it measures the embedded key sets, and without built-in functions those of a default run.
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
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    datasets: Vec<String>,
    key_files: Vec<PathBuf>,
    functions: Vec<String>,
    all: bool,
    /// User-defined functions, measured after the others.
    own: Vec<Function>,
    request: Request,
    /// The seed of every random choice, if it is not [`DEFAULT_SEED`].
    seed: Option<u64>,
    quick: bool,
    /// The command line that repeats the run, if it is not that of this process.
    command: Option<String>,
    /// The commit of the workspace, for its own command.
    commit: Option<String>,
}

impl Comparison {
    /// Creates a comparison with the defaults of the command line.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a function of your own, built by [`Function::custom`]. The first is shown next to the pick, unless the request names
    /// another function in use today.
    pub fn function(mut self, own: Function) -> Self {
        self.own.push(own);
        self
    }

    /// Adds a built-in function, or the group `published`, `anchors`, `variants` or `further`, by its name in any case.
    pub fn built_in(mut self, name: impl Into<String>) -> Self {
        self.functions.push(name.into());
        self
    }

    /// Adds a file of keys, or standard input as `-`. They are written as [`Request::key_form`] describes.
    pub fn keys(mut self, file: impl Into<PathBuf>) -> Self {
        self.key_files.push(file.into());
        self
    }

    /// Adds an embedded key set.
    pub fn dataset(mut self, name: impl Into<String>) -> Self {
        self.datasets.push(name.into());
        self
    }

    /// Sets the requirements of a function. The function in use today is measured even if it was not added.
    pub fn request(self, request: Request) -> Self {
        Self { request, ..self }
    }

    /// Sets the seed of every random choice.
    pub fn seed(self, seed: u64) -> Self {
        Self {
            seed: Some(seed),
            ..self
        }
    }

    /// Measures every built-in function. Charts and lists fold those that were not added by name.
    pub fn all(self) -> Self {
        Self { all: true, ..self }
    }

    /// Takes fewer timing samples. All other results stay the same.
    pub fn quick(self) -> Self {
        Self { quick: true, ..self }
    }

    /// Sets the command line that repeats the run, and the commit of the workspace.
    pub(crate) fn repeated_by(self, command: String, commit: Option<String>) -> Self {
        Self {
            command: Some(command),
            commit,
            ..self
        }
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
        measure(&self.plan()?, None, progress)
    }

    /// Looks up all names, and checks custom functions and the dataset names of the key files.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is unknown, two datasets or functions would have the same name, a function breaks the
    /// rules of [`Function::custom`], or there are too many datasets or functions for one report.
    pub fn plan(&self) -> Result<Plan, Error> {
        let datasets = self.dataset_names()?;
        let key_files = self.named_files()?;
        let mut named: Vec<Function> = Vec::new();
        for name in &self.functions {
            named.extend(functions::select(name)?.into_iter().cloned());
        }
        if named.is_empty() {
            named.extend(functions::default_set().cloned());
        }
        let mut seen = HashSet::new();
        named.retain(|function| seen.insert(function.facts.name.clone()));
        let mut functions = if self.all {
            functions::all().to_vec()
        } else {
            named.clone()
        };
        // Only where all keys are numbers: the other functions hash their bytes.
        let integers = self.request.key_form.kind.filter(|_| datasets.is_empty());
        let with_integers = |function: Function| {
            let of_integers = integers.and_then(|kind| function.of_integers(kind));
            [function].into_iter().chain(of_integers)
        };
        for all in [&mut functions, &mut named] {
            *all = std::mem::take(all).into_iter().flat_map(with_integers).collect();
        }
        for function in &self.own {
            function.check_custom()?;
            let same = |other: &&Function| other.facts.name.eq_ignore_ascii_case(&function.facts.name);
            if let Some(other) = functions.iter().find(same) {
                return Err(other.has_the_name(&function.facts.name));
            }
            functions.push(function.clone());
            named.push(function.clone());
        }
        let is_among = |all: &[Function], name: &str| all.iter().any(|one| one.facts.name == name);
        let mine = &self.request.mine;
        let mine = mine.as_ref().filter(|mine| self.own_called(mine).is_none());
        let given = self.functions.iter().chain(mine);
        let mut request = self.request.clone();
        let first = self.own.first().map(|function| function.facts.name.clone());
        request.mine = request.mine.or(first);
        let mut meanings: Vec<String> = given.filter_map(|name| functions::meaning(name)).collect();
        if let Some(mine) = &mut request.mine {
            let function = self.own_called(mine).map_or_else(|| functions::find(mine), Ok)?;
            for function in with_integers(function.clone()) {
                if !is_among(&functions, &function.facts.name) {
                    functions.push(function.clone());
                }
                // A program in Rust hashes integers in this way. It comes after that of bytes.
                function.facts.name.clone_into(mine);
                named.push(function);
            }
            if *mine != function.facts.name {
                meanings.push(format!(
                    "{} hashes integers as {mine} in Rust, which is compared as yours",
                    function.facts.name
                ));
            }
        }
        let count = functions.len();
        if count > MAX_FUNCTIONS {
            return Err(Error::input(format!(
                "a run must have at most {MAX_FUNCTIONS} functions, got {count}: name the built-in ones that you need"
            )));
        }
        let summary = |function: &Function| FunctionSummary {
            folded: !is_among(&named, &function.facts.name),
            ..function.facts.clone()
        };
        let run = Run {
            format: FORMAT.to_owned(),
            schema: SCHEMA,
            generator: format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
            command: self.command.clone().unwrap_or_else(typed),
            date: environment::now_utc(),
            seed: self.seed.unwrap_or(DEFAULT_SEED),
            quick: self.quick,
            functions: functions.iter().map(summary).collect(),
            request,
            ..Run::default()
        };
        Ok(Plan {
            run,
            datasets,
            key_files,
            functions,
            meanings,
            commit: self.commit.clone(),
        })
    }

    /// Returns the user-defined function of this name, in any case.
    fn own_called(&self, name: &str) -> Option<&Function> {
        self.own
            .iter()
            .find(|one| one.facts.name.eq_ignore_ascii_case(name))
    }

    /// Returns the names of the embedded datasets, each once.
    fn dataset_names(&self) -> Result<Vec<String>, Error> {
        let mut datasets: Vec<String> = Vec::new();
        for name in &self.datasets {
            datasets.push(Manifest::find(name)?.name.clone());
        }
        if self.datasets.is_empty() && self.key_files.is_empty() {
            datasets.extend(embedded_names().map(str::to_owned));
        }
        let mut seen = HashSet::new();
        datasets.retain(|name| seen.insert(name.clone()));
        let count = datasets.len() + self.key_files.len();
        if count > MAX_DATASETS {
            return Err(Error::input(format!(
                "a run must have at most {MAX_DATASETS} datasets and key files, got {count}: make several runs"
            )));
        }
        Ok(datasets)
    }

    /// Returns the key files with the names of their datasets. Names must differ where case does not count, since files
    /// are named after them.
    fn named_files(&self) -> Result<Vec<(String, PathBuf)>, Error> {
        let mut named: Vec<(String, PathBuf)> = Vec::new();
        for path in &self.key_files {
            let name = dataset_of(path)?;
            match named.iter().find(|(other, _)| other.eq_ignore_ascii_case(&name)) {
                Some((_, first)) if first == path => return Err(Error::input("is given twice").about(path)),
                Some((_, first)) => {
                    return Err(Error::input(format!(
                        "{} and {} would both be the dataset {name}; rename or copy one of them",
                        first.display(),
                        path.display()
                    )));
                }
                None => named.push((name, path.clone())),
            }
        }
        Ok(named)
    }
}

/// Returns `stdin`, or the name of the file without its extension, which may stand before that of a compression.
fn dataset_of(path: &Path) -> Result<String, Error> {
    if path == Path::new("-") {
        return Ok("stdin".to_owned());
    }
    // Checked before the name, since `.` and `..` have no name.
    if path.is_dir() {
        return Err(Error::input("is a folder; give a file with one key per line").about(path));
    }
    let is_compressed = |kind: &OsStr| ["gz", "zst"].iter().any(|known| kind.eq_ignore_ascii_case(known));
    let file = if path.extension().is_some_and(is_compressed) {
        path.file_stem().map(Path::new)
    } else {
        Some(path)
    };
    let stem = file.and_then(Path::file_stem);
    let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
    let Some(name) = stem.filter(|stem| !stem.contains(char::is_control)) else {
        let reason = "the dataset is named after the file's name without its extension; it needs one, without control \
                      characters: rename or copy the file";
        return Err(Error::input(reason).about(path));
    };
    if embedded_names().any(|embedded| embedded.eq_ignore_ascii_case(&name)) {
        let reason = format!("{name} is the name of an embedded dataset; rename or copy the file");
        return Err(Error::input(reason).about(path));
    }
    Ok(name)
}

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
    pub(crate) meanings: Vec<String>,
    pub(crate) commit: Option<String>,
}

impl Plan {
    /// Returns the plan to make a run of all functions and embedded datasets again.
    pub(crate) fn again(earlier: &Records) -> Result<Self, Error> {
        let mut plan = Comparison::new().all().seed(earlier.run.seed).plan()?;
        // The features of this build decide which further functions there are, and an earlier run has none.
        plan.functions
            .retain(|one| one.facts.group != FunctionGroup::Further);
        plan.run
            .functions
            .retain(|one| one.group != FunctionGroup::Further);
        Ok(plan)
    }
}
