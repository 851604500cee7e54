//! `parquet check`: checks the filters of files against their values.

use std::collections::BTreeMap;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use filter_parquet::ParquetFile;
use filter_parquet::add::{check, memory_to_check};
use statistics::significant;
use terminal::bar::Terminal;
use terminal::failure::Failure;
use terminal::progress::go_on;

use super::problem::Problem;
use super::workers::{self, Budget, counter, lock};
use super::{files, quieten_decoders};
use crate::commands::inspect::columns::{self, ParquetFile as Reported};
use crate::commands::numbers::bytes;
use crate::inspection::open_file;
use crate::inspection::parquet::{CheckedValues, FilterReport, UncheckedBy, no_column};

/// Check the filters of Parquet files against the values of their columns.
///
/// Reads every value of the columns with filters, and queries the filter of its row group for it. A filter that denies a
/// value makes readers lose rows. Shows the fill and the expected rate of each filter. Writes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {program} parquet check events.parquet\n  \
        {program} parquet check lake/events --column user.id --json\n\n\
        Exit codes: 0 no filter denies a value; 1 a filter denies a value, or a file is damaged; 2 a file or a filter is not \
        read, or the arguments are wrong; 130 stopped.")]
pub(super) struct Arguments {
    /// Parquet files, and folders of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Check only the filters of this column; parts of its path are joined by dots. Can be repeated
    #[arg(long, value_name = "NAME")]
    column: Vec<String>,
    /// Most memory for pages and filters, of all processors together
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = "512MiB")]
    memory: u64,
    /// Print JSON instead of a table: an object for each filter, and for each file that is not read
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let terminal = Terminal::listen()?;
    let count = counter(&terminal);
    let (mut read, mut unread) = (Vec::new(), Vec::new());
    for given in &arguments.paths {
        for path in files(given)? {
            match check_file(&path, &arguments.column, arguments.memory, &count) {
                Ok((filters, row_groups)) => read.push(Reported {
                    path,
                    filters,
                    row_groups,
                }),
                Err(problem) => unread.push((path, problem.into())),
            }
            go_on(&terminal)?;
        }
    }
    terminal.finish();
    columns::present(&read, &unread, arguments.json, false)
}

/// Returns the filters of a file, of these columns or of all, and the number of its row groups. Those are missing whose
/// turn it was after the function had returned false; it is called with numbers of values that were read.
///
/// # Errors
///
/// If the file cannot be read, or lacks a column.
pub fn check_file(
    path: &Path,
    columns: &[String],
    memory: u64,
    go_on: &(dyn Fn(u64) -> bool + Sync),
) -> Result<(Vec<FilterReport>, u64), Problem> {
    quieten_decoders();
    let file = open_file(path).map_err(|error| Problem::Input(path.to_owned(), error))?;
    let file = ParquetFile::open(file).map_err(|error| Problem::File(path.to_owned(), error.into()))?;
    let all = &file.footer().columns;
    let is_unknown = |name: &&String| all.iter().all(|column| column.path != **name);
    if let (Some(unknown), false) = (columns.iter().find(is_unknown), all.is_empty()) {
        return Err(Failure::input(no_column(all, unknown)).into());
    }
    let (budget, reports) = (Budget::new(memory), Mutex::new(BTreeMap::new()));
    let chosen = all
        .iter()
        .filter(|column| columns.is_empty() || columns.contains(&column.path));
    let filters = file.filters(chosen).enumerate().take_while(|_| go_on(0));
    let tasks = filters.map(|(number, (column, filter))| {
        let of_filter = filter.as_ref().map_or(0, |filter| filter.bitset.len() as u64);
        let needed = memory_to_check(&file, column, memory.saturating_sub(of_filter));
        let share = needed.map(|needed| budget.take((needed + of_filter).min(memory)));
        (number, column, filter, share)
    });
    workers::run(tasks, |(number, column, filter, share)| {
        let checked = match (&filter, share) {
            (Ok(filter), Ok(_share)) => check(&file, column, filter, memory, go_on).map(|checked| {
                let ones: u32 = filter.bitset.iter().map(|byte| byte.count_ones()).sum();
                let fill = significant::round(f64::from(ones) / (8 * filter.bitset.len()) as f64);
                Some(CheckedValues {
                    fill,
                    values: checked.values,
                    denied: checked.denied,
                    first_denied: checked.first_denied,
                })
            }),
            (Ok(_), Err(error)) => Err(error),
            (Err(_), _) => Ok(None),
        };
        let mut report = FilterReport::new(column, filter, None);
        match checked {
            Ok(None) => {}
            Ok(checked) => (report.note, report.checked) = (None, checked),
            Err(error) => {
                report.unchecked_by = UncheckedBy::of(&error);
                report.unread = Some(error.into());
            }
        }
        lock(&reports).insert(number, report);
    });
    let reports = mem::take(&mut *lock(&reports));
    Ok((reports.into_values().collect(), file.footer().row_groups))
}
