//! A comparison to be made, and the plan that its names stand for.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::{Args as _, FromArgMatches as _};
use key_input::{KeyForm, KeyKind};

use crate::files::{MAX_DATASETS, MAX_FUNCTIONS};
use crate::functions::library::Symbol;
use crate::functions::{self, Function};
use crate::keys::{DEFAULT_SEED, Manifest, embedded_names};
use crate::program::typed;
use crate::questions::Records;
use crate::record::{FORMAT, FunctionGroup, FunctionSummary, Purpose, Request, Run, SCHEMA};
use crate::report::Report;
use crate::run::{Plan, measure};
use records::environment;
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

    /// A file of your own keys, one per line, or - for standard input; may be given several times
    ///
    /// A key is the bytes of a line without its end (LF or CR LF). An empty line is the empty key; duplicate keys are counted
    /// and dropped. A line with a zero byte is refused: --type binary reads such keys. Files of gzip and Zstandard are
    /// read as their contents. The dataset is named after the file, without its extension; that of standard input is stdin. The
    /// options --type, --null, --column and --delimiter hold for every --keys.
    #[arg(long = "keys", id = "keys", value_name = "FILE")]
    key_files: Vec<PathBuf>,

    #[command(flatten)]
    key_form: KeyForm,

    /// Seed of every random choice, from 0 to 2^64 - 1
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,

    /// Take fewer timing samples; all other results are the same
    #[arg(long)]
    quick: bool,

    /// A function of your own in any language, as ./libmine.so:my_hash:64; may be given several times
    ///
    /// The parts are a shared library, the function in it, and how many bits it returns, 8 to 64. It is
    /// `uint64_t my_hash(const void *data, size_t length)`; with `:seed` at the end it has a third argument, `uint64_t seed`, which
    /// is 0.
    ///
    /// The library may print, and any thread may call the function. It is tried out first in a process of its own, with 2,200 calls,
    /// 2 MiB of stack and 10 seconds: the run ends with an error if the library cannot be opened, if that process crashes, ends early
    /// or takes longer, or if the function returns two values for one key. A function that takes 10 µs or more per call is reported,
    /// with the time that a run takes at least. On other keys, a crash ends the run by its signal, and a call that does not return
    /// keeps it waiting until a second Ctrl-C.
    ///
    /// The values of the trial are compared with those of the run, a second later: values that change from process to process must
    /// not be stored.
    #[arg(long = "own", value_name = "SYMBOL")]
    pub(crate) symbols: Vec<Symbol>,

    /// The use of the function, which decides the tests and the times that count [default: a filter or a table]
    ///
    /// The run ends with a recommendation for each dataset. It leaves out functions that lack a required property, and says
    /// to avoid those with a defect that costs this purpose more than --negligible. The others are ranked by time, measured
    /// as this purpose calls them. Without this option a function must serve filters and tables in memory.
    #[arg(long = "for", value_name = "PURPOSE", value_enum, ignore_case = true)]
    purpose: Option<Purpose>,

    /// An attacker may choose keys: recommend only functions made for a secret key
    ///
    /// Your program must draw that key at random and keep it secret; the run itself uses a fixed one. Functions whose seeds
    /// do not stop attackers (foldhash, aHash, XXH3 and others) are left out.
    #[arg(long)]
    untrusted: bool,

    /// Recommend only functions whose values never change, on any platform; implied by --for filter, shard and checksum
    #[arg(long)]
    stable: bool,

    /// With --for filter: the filter is never stored, so values that may change with a release are allowed
    #[arg(long, conflicts_with = "stable", requires = "purpose")]
    in_memory: bool,

    /// Ignore defects that cost less than this share: 0.05 means 5 % more false positives, comparisons, keys in the fullest
    /// shard or collisions
    #[arg(long, value_name = "SHARE", default_value_t = Request::NEGLIGIBLE, value_parser = share)]
    negligible: f64,

    /// The function you use today: is it good enough, and what would a change gain? Marked in every chart
    ///
    /// With --type long or int for all keys, FxHash-2, foldhash and aHash are compared as Rust hashes integers with them, in rows of
    /// their own such as FxHash-2 (u64).
    #[arg(long, value_name = "FUNCTION")]
    mine: Option<String>,

    /// User-defined functions, measured after the others.
    #[arg(skip)]
    own: Vec<Function>,

    /// The command line that repeats the run, if it is not that of this process, and the commit of the workspace.
    #[arg(skip)]
    pub(crate) repeated_by: Option<(String, Option<String>)>,
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("must be a whole number between 0 and {}", u64::MAX))
}

fn share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share: &f64| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "must be a number from 0 to 1: 0.05 is 5 %".to_owned())
}

impl Default for Comparison {
    /// The defaults of the command line.
    fn default() -> Self {
        let command = Self::augment_args(clap::Command::new("compare").no_binary_name(true));
        let defaults = command.get_matches_from([""; 0]);
        Self::from_arg_matches(&defaults).expect("every option has a default")
    }
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
        Self {
            purpose: Some(request.purpose),
            untrusted: request.untrusted,
            stable: request.stable,
            in_memory: request.purpose == Purpose::Filter && !request.stable,
            mine: request.mine,
            negligible: request.negligible,
            key_form: request.key_form,
            ..self
        }
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
    /// The errors of [`run`](Self::run), and [`Failure::Interrupted`] if `progress` requests a stop.
    pub fn measure(&self, progress: &dyn Progress) -> Result<Records, Failure> {
        measure(&self.plan()?, None, progress)
    }

    /// Looks up all names, and checks custom functions and the dataset names of the key files.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is unknown, two datasets or functions would have the same name, a function breaks the
    /// rules of [`Function::custom`], or there are too many datasets or functions for one report.
    pub fn plan(&self) -> Result<Plan, Failure> {
        let datasets = self.dataset_names()?;
        let key_files = self.named_files()?;
        // Only where all keys are numbers: the other functions hash their bytes.
        let integers = self.key_form.kind.filter(|_| datasets.is_empty());
        let [mut functions, mut named] = self.built_in_functions(integers)?;
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
        let mut request = self.requested()?;
        let mine = self.mine.as_ref();
        let mine = mine.filter(|mine| self.own_called(mine).is_none());
        let given = self.functions.iter().chain(mine);
        let first = self.own.first().map(|function| function.facts.name.clone());
        request.mine = request.mine.or(first);
        let mut meanings: Vec<String> = given.filter_map(|name| functions::meaning(name)).collect();
        if let Some(mine) = &mut request.mine {
            let function = self.own_called(mine).map_or_else(|| functions::find(mine), Ok)?;
            for function in with_integers(function.clone(), integers) {
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
            return Err(Failure::input(format!(
                "a run must have at most {MAX_FUNCTIONS} functions, got {count}: name the built-in ones that you need"
            )));
        }
        let summary = |function: &Function| FunctionSummary {
            folded: !is_among(&named, &function.facts.name),
            ..function.facts.clone()
        };
        let (command, commit) = self.repeated_by.clone().unwrap_or_else(|| (typed(), None));
        let run = Run {
            format: FORMAT.to_owned(),
            schema: SCHEMA,
            generator: format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
            command,
            date: environment::now_utc(),
            seed: self.seed,
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
            commit,
        })
    }

    /// Returns the built-in functions to be measured, and those that charts and lists do not fold.
    fn built_in_functions(&self, integers: Option<KeyKind>) -> Result<[Vec<Function>; 2], Failure> {
        let mut named: Vec<Function> = Vec::new();
        for name in &self.functions {
            named.extend(functions::select(name)?.into_iter().cloned());
        }
        if named.is_empty() {
            named.extend(functions::default_set().cloned());
        }
        let mut seen = HashSet::new();
        named.retain(|function| seen.insert(function.facts.name.clone()));
        let functions = if self.all {
            functions::all().to_vec()
        } else {
            named.clone()
        };
        let expanded = |all: Vec<Function>| {
            let all = all.into_iter();
            all.flat_map(|function| with_integers(function, integers))
                .collect()
        };
        Ok([functions, named].map(expanded))
    }

    /// Returns the plan to make a run of all functions and embedded datasets again.
    pub(crate) fn again(earlier: &Records) -> Result<Plan, Failure> {
        let mut plan = Self::new().all().seed(earlier.run.seed).plan()?;
        // The features of this build decide which further functions there are, and an earlier run has none.
        plan.functions
            .retain(|one| one.facts.group != FunctionGroup::Further);
        plan.run
            .functions
            .retain(|one| one.group != FunctionGroup::Further);
        Ok(plan)
    }

    /// Returns the requirements of a function.
    fn requested(&self) -> Result<Request, Failure> {
        let purpose = self.purpose.unwrap_or_default();
        if self.in_memory && purpose != Purpose::Filter {
            return Err(Failure::input(format!(
                "--in-memory must not be given with --for {purpose}: it is for filters, which are otherwise taken to be stored"
            )));
        }
        Ok(Request {
            purpose,
            untrusted: self.untrusted,
            stable: self.stable || purpose == Purpose::Filter && !self.in_memory,
            mine: self.mine.clone(),
            negligible: self.negligible,
            key_form: self.key_form.clone(),
        })
    }

    /// Returns the user-defined function of this name, in any case.
    fn own_called(&self, name: &str) -> Option<&Function> {
        self.own
            .iter()
            .find(|one| one.facts.name.eq_ignore_ascii_case(name))
    }

    /// Returns the names of the embedded datasets, each once.
    fn dataset_names(&self) -> Result<Vec<String>, Failure> {
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
            return Err(Failure::input(format!(
                "a run must have at most {MAX_DATASETS} datasets and key files, got {count}: make several runs"
            )));
        }
        Ok(datasets)
    }

    /// Returns the key files with the names of their datasets. Names must differ where case does not count, since files
    /// are named after them.
    fn named_files(&self) -> Result<Vec<(String, PathBuf)>, Failure> {
        let mut named: Vec<(String, PathBuf)> = Vec::new();
        for path in &self.key_files {
            let name = dataset_of(path)?;
            match named.iter().find(|(other, _)| other.eq_ignore_ascii_case(&name)) {
                Some((_, first)) if first == path => return Err(Failure::input("is given twice").about(path)),
                Some((_, first)) => {
                    return Err(Failure::input(format!(
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

/// Returns the function, and as a Rust program hashes integers of this kind with it, if it does.
fn with_integers(function: Function, kind: Option<KeyKind>) -> impl Iterator<Item = Function> {
    let of_integers = kind.and_then(|kind| function.of_integers(kind));
    [function].into_iter().chain(of_integers)
}

/// Returns `stdin`, or the name of the file without its extension, which may stand before that of a compression.
fn dataset_of(path: &Path) -> Result<String, Failure> {
    if path == Path::new("-") {
        return Ok("stdin".to_owned());
    }
    // Checked before the name, since `.` and `..` have no name.
    if path.is_dir() {
        return Err(Failure::input("is a folder; give a file with one key per line").about(path));
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
        return Err(Failure::input(reason).about(path));
    };
    if embedded_names().any(|embedded| embedded.eq_ignore_ascii_case(&name)) {
        let reason = format!("{name} is the name of an embedded dataset; rename or copy the file");
        return Err(Failure::input(reason).about(path));
    }
    Ok(name)
}
