//! `parquet add`: adds filters to files.

mod rewriting;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::iter;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use clap::ArgGroup;
use filter_parquet::Footer;
use filter_parquet::add::{Options, is_supported};
use glob::Pattern;
use serde_json::json;
use terminal::bar::Terminal;
use terminal::failure::Failure;
use terminal::layout::table;
use terminal::number::{counted, grouped};
use whole_files::NewFolders;

use super::problem::Problem;
use super::workers::{self, Budget, counter, lock};
use super::{files, quieten_decoders};
use crate::commands::inspect::unless_closed;
use crate::commands::numbers::{bytes, rate, share};
use crate::commands::{folder_of, note, print_json, refuse_stdout, wrong};
use crate::inspection::parquet::printed;
use crate::inspection::shown;
pub use rewriting::{ColumnReport, FileReport};
use rewriting::{Rewriting, identity};

/// Add Bloom filters of columns to Parquet files that exist already.
///
/// Readers then skip row groups that cannot have the value which a query looks up. The data are copied byte for byte,
/// the filters follow them, and then the footer, in which nothing but the places of the filters is new.
///
/// A filter is sized by the different values of its row group. A row group gets none where all pages have a dictionary
/// that is smaller than the filter, since some readers look there first; --always adds one, and
/// --renew replaces one. Columns of BOOLEAN, INT96 and INTERVAL have no filters, nor have FLOAT16 and decimals in bytes,
/// which readers look up in another form.
///
/// A folder stands for the Parquet files in it and in its folders, except hidden ones and those whose names begin with
/// an underscore; links to folders are not followed, and links to files are followed to their file. If several files
/// or a folder are given, --out is a folder, in which the files keep their names. Mode and owner are kept.
///
/// A file appears when it is complete and on the disk, also with --in-place, which needs room for the second file until
/// then. A file that another program changes meanwhile is not written. One failure does not stop the other files.
///
/// If Hadoop's checksums are next to a file that is replaced, as .NAME.crc, they must fit it, and are written anew.
#[derive(Debug, clap::Args)]
#[command(
    group(ArgGroup::new("columns").required(true).multiple(true).args(["column", "columns_like"])),
    group(ArgGroup::new("target").required(true).args(["out", "in_place"])),
    after_help = "Examples:\n  {program} parquet add events.parquet --column user.id --out with-filters.parquet\n  \
        {program} parquet add lake/events --column id --columns-like '*_id' --rate 0.1% --out lake/with-filters\n  \
        {program} parquet add part-*.parquet --column id --in-place\n\n\
        Exit codes: 0 done; 1 a file is damaged, changed meanwhile or cannot be written; 2 the arguments are wrong, or a file is refused or cannot be opened; \
        130 stopped."
)]
pub(super) struct Arguments {
    /// Parquet files, and folders of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// A column that gets filters; parts of its path are joined by dots. Can be repeated
    #[arg(long, value_name = "NAME")]
    column: Vec<String>,
    /// Columns whose names match a pattern with *, ? and [..], if their types can have filters. Can be repeated
    #[arg(long, value_name = "GLOB", value_parser = Pattern::new)]
    columns_like: Vec<Pattern>,
    /// False-positive rate: 0.01 or 1%
    #[arg(long, value_name = "P", value_parser = rate, default_value = "1%")]
    rate: f64,
    /// The file to write; for several files or a folder, the folder
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Replace the files by those with filters
    #[arg(long)]
    in_place: bool,
    /// Replace existing files at --out
    #[arg(long, visible_alias = "force", conflicts_with = "in_place")]
    replace: bool,
    /// The largest bit set of a filter, rounded down to a power of two: 1MiB, at most 128MiB
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = "128MiB")]
    max_bytes: u64,
    /// Add filters also where a dictionary is smaller
    #[arg(long)]
    always: bool,
    /// Replace the filters that the columns have; the old ones stay in the file as unused bytes
    #[arg(long)]
    renew: bool,
    /// Most memory for pages and filters, of all processors together
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = "512MiB")]
    memory: u64,
    /// Print JSON instead of a table: an object for each file
    #[arg(long)]
    json: bool,
}

/// What files get.
pub struct Request {
    /// The columns, by their paths, whose parts are joined by dots.
    pub columns: Vec<String>,
    patterns: Vec<Pattern>,
    /// What the filters are.
    pub options: Options,
    /// True to replace the files.
    pub in_place: bool,
    /// True to replace files that are where the new ones are written.
    pub replace: bool,
}

/// A file to read, and the one to write.
struct Job {
    input: PathBuf,
    output: PathBuf,
    /// True if an earlier job reads the same file by another name, a hard link.
    is_other_name: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let terminal = Terminal::listen()?;
    let jobs = arguments.jobs()?;
    let places = jobs.iter().map(|job| resolved(&job.input));
    records(places)
        .iter()
        .for_each(|(path, text)| note(path.display(), text));
    // Folders that stay empty are removed.
    let mut folders = NewFolders::default();
    for job in &jobs {
        let folder = folder_of(&job.output);
        folders.make(folder).map_err(Failure::system(folder))?;
    }
    let results = rewrite(&jobs, &arguments.request(), &counter(&terminal));
    terminal.finish();
    show(&jobs, results, arguments.json)
}

/// Adds filters to a file, in a new file or in its place. The function is called with numbers of values that were read,
/// by several threads, and the work stops when it returns false.
///
/// # Errors
///
/// If the request or the file is refused, a file cannot be read or written, or the work was stopped. Then nothing is
/// written.
pub fn add_to_file(
    input: &Path,
    output: Option<&Path>,
    request: &Request,
    go_on: &(dyn Fn(u64) -> bool + Sync),
) -> Result<FileReport, Problem> {
    quieten_decoders();
    if output.is_some_and(|output| resolved(output) == resolved(input)) {
        return Err(wrong(input, IS_READ).into());
    }
    let records = records([resolved(input)]);
    let job = Job {
        input: input.to_owned(),
        output: output.map_or_else(|| resolved(input), Path::to_owned),
        is_other_name: false,
    };
    let result = rewrite(&[job], request, go_on).remove(&0);
    let mut report = result.unwrap_or(Err(Problem::STOPPED))?;
    let records = records
        .iter()
        .map(|(path, text)| format!("{}: {text}", path.display()));
    report.notes.extend(records);
    Ok(report)
}

/// Adds filters to files, on all processors.
fn rewrite(jobs: &[Job], request: &Request, go_on: &(dyn Fn(u64) -> bool + Sync)) -> Results {
    let budget = Budget::new(request.options.memory);
    let results = Mutex::new(BTreeMap::new());
    // A file is opened, and memory is taken, when a worker is free, in order.
    let numbered = jobs.iter().enumerate().take_while(|_| go_on(0));
    let steps = numbered.flat_map(|(number, job)| {
        let file = Rewriting::start(job, request).map(Arc::new);
        let file = file.map_err(|problem| lock(&results).insert(number, Err(problem)));
        let steps = file.as_ref().map_or(0, |file| file.steps());
        let steps = iter::repeat_n(file.ok(), steps).flatten().enumerate();
        steps.map(move |(step, file)| (number, file, step))
    });
    let tasks = steps.take_while(|_| go_on(0)).map(|(number, file, step)| {
        let prepared = file.prepare(step, &budget);
        (number, file, step, prepared)
    });
    workers::run(tasks, |(number, file, step, prepared)| {
        if let Some(result) = file.run(step, prepared, &go_on) {
            lock(&results).insert(number, result);
        }
    });
    mem::take(&mut *lock(&results))
}

impl Arguments {
    fn request(&self) -> Request {
        Request {
            columns: self.column.clone(),
            patterns: self.columns_like.clone(),
            options: Options {
                rate: self.rate,
                max_bytes: self.max_bytes,
                memory: self.memory,
                always: self.always,
                renew: self.renew,
            },
            in_place: self.in_place,
            replace: self.replace,
        }
    }

    /// Returns the files to write. Refuses what would lose or mix up files, before anything is written.
    fn jobs(&self) -> Result<Vec<Job>, Failure> {
        let mut inputs = Vec::new();
        for path in &self.paths {
            let folder = if path.is_dir() { path } else { folder_of(path) };
            inputs.extend(files(path)?.into_iter().map(|file| (folder, file)));
        }
        let into_folder = inputs.len() > 1 || self.paths.iter().any(|path| path.is_dir());
        if let Some(out) = &self.out {
            refuse_stdout(out)?;
            let is_above = |folder: &&PathBuf| folder.is_dir() && resolved(out).starts_with(resolved(folder));
            if let Some(folder) = self.paths.iter().find(is_above) {
                let reason = format!("must not be in {}, whose files are read", folder.display());
                return Err(wrong(out, reason));
            }
            if out.exists() && out.is_dir() != into_folder {
                let reason = "--out must be a folder for several files or a folder, and otherwise a file";
                return Err(wrong(out, reason));
            }
        }
        let places_read: BTreeSet<PathBuf> = inputs.iter().map(|(_, input)| resolved(input)).collect();
        let (mut jobs, mut written, mut seen) = (Vec::new(), BTreeMap::new(), BTreeSet::new());
        for (folder, input) in inputs {
            let output = match &self.out {
                None => resolved(&input),
                Some(out) if into_folder => out.join(input.strip_prefix(folder).unwrap_or(&input)),
                Some(out) => out.clone(),
            };
            let place = resolved(&output);
            if self.out.is_some() && places_read.contains(&place) {
                return Err(wrong(&output, IS_READ));
            }
            if let Some(other) = written.insert(place, input.clone()) {
                let reason = format!("would be written for {} and for {}", shown(&other), shown(&input));
                return Err(wrong(&output, reason));
            }
            let is_other_name = input.metadata().is_ok_and(|file| !seen.insert(identity(&file)));
            jobs.push(Job {
                input,
                output,
                is_other_name,
            });
        }
        Ok(jobs)
    }
}

impl Request {
    /// Makes a request for a new file with filters of these columns.
    pub const fn new(columns: Vec<String>, options: Options) -> Self {
        Self {
            columns,
            patterns: Vec::new(),
            options,
            in_place: false,
            replace: false,
        }
    }

    /// Returns the columns of a file that get filters, and notes those that match a pattern but cannot have any.
    fn columns(&self, footer: &Footer, notes: &mut Vec<String>) -> Result<Vec<String>, String> {
        let mut columns = self.columns.clone();
        for pattern in &self.patterns {
            let first = footer.columns.iter().take_while(|column| column.row_group == 0);
            let mut matching = first.filter(|column| pattern.matches(&column.path)).peekable();
            if matching.peek().is_none() && footer.row_groups > 0 {
                return Err(format!("--columns-like must match a column, got {pattern}"));
            }
            for column in matching {
                match is_supported(column) {
                    Ok(()) => columns.push(column.path.clone()),
                    Err(reason) => notes.push(format!("column {}: no filter: {reason}", column.path)),
                }
            }
        }
        Ok(columns)
    }
}

/// The results of the files that were not stopped, by their numbers.
type Results = BTreeMap<usize, Result<FileReport, Problem>>;

const IS_READ: &str = "is a file to read, and is not replaced; give another path, or --in-place";

/// Prints reports, notes and failures, and returns the worst of these.
fn show(jobs: &[Job], mut results: Results, as_json: bool) -> Result<(), Failure> {
    let (mut reports, mut objects, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    for (number, job) in jobs.iter().enumerate() {
        let result = results.remove(&number).unwrap_or(Err(Problem::STOPPED));
        match result.map_err(Failure::from) {
            Ok(report) => {
                objects.push(json!(report));
                reports.push(report);
            }
            Err(failure) => {
                objects
                    .push(json!({ "file": job.input.display().to_string(), "error": failure.to_string() }));
                failures.push(failure);
            }
        }
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = match as_json {
        true => print_json(&mut out, &objects),
        false => print(&mut out, &reports).map_err(Failure::from),
    };
    unless_closed(written.and_then(|()| Ok(out.flush()?)))?;
    for report in &reports {
        report.notes.iter().for_each(|text| note(&report.file, text));
    }
    // The last failure decides the exit code. That the program was stopped is said once.
    let rank = |failure: &Failure| match failure {
        Failure::Interrupted => 2,
        Failure::Internal(_) => 1,
        _ => 0,
    };
    failures.sort_by_key(rank);
    let worst = failures.pop();
    let others = failures.iter().filter(|failure| rank(failure) < 2);
    others.for_each(|failure| note("error", failure));
    worst.map_or(Ok(()), Err)
}

/// Follows the links in the part of a path that exists.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| match path.file_name() {
        Some(name) => resolved(folder_of(path)).join(name),
        None => path.to_owned(),
    })
}

/// Returns what records the sizes or the footers of these files, with what there is to do about it.
fn records(files: impl IntoIterator<Item = PathBuf>) -> Vec<(PathBuf, &'static str)> {
    let sizes = "a table of Iceberg or Delta records the sizes of its files: commit changed files to it";
    let footers = "has copies of the footers, without the new filters; write it again";
    let names = [("metadata", sizes), ("_delta_log", sizes), ("_metadata", footers)];
    let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
    for file in files {
        let folders = file.ancestors().skip(1);
        for folder in folders.take_while(|folder| seen.insert(folder.to_path_buf())) {
            let found = names.map(|(name, text)| (folder.join(name), text));
            all.extend(found.into_iter().filter(|(path, _)| path.exists()));
        }
    }
    all
}

fn print(out: &mut impl io::Write, reports: &[FileReport]) -> io::Result<()> {
    let names = ["file", "column", "row groups", "filters"].into_iter();
    let header = names.chain(["values", "different", "bytes", "expected", "of file"]);
    let rows = reports.iter().flat_map(|report| {
        report.columns.iter().map(|(name, column)| {
            let texts = [shown(report.file.as_ref()), printed(name)];
            let groups = [column.row_groups, column.filters].map(grouped);
            let counts = [column.values, column.different, column.bytes].map(grouped);
            let shares = [column.expected_rate, column.bytes as f64 / report.bytes as f64].map(share);
            texts.into_iter().chain(groups).chain(counts).chain(shares)
        })
    });
    let numbers = [2, 3, 4, 5, 6, 7, 8];
    let columns = table(header.collect::<Vec<_>>(), &numbers, rows.map(Vec::from_iter));
    let written = reports.iter().filter(|report| report.out.is_some()).count();
    match reports {
        [] => Ok(()),
        _ => writeln!(out, "{columns}\n\n{} written", counted(written as u64, "file")),
    }
}
