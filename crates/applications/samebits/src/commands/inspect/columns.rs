//! Shows the filters of Parquet files.

use std::io::{self, Write as _};
use std::iter;
use std::path::{Path, PathBuf};

use serde::Serialize;
use terminal::failure::Failure;
use terminal::layout::table;
use terminal::number::{counted, grouped};

use super::{Arguments, list, unless_closed};
use crate::commands::numbers::share;
use crate::commands::{checked, note, print_json, wrong};
use crate::inspection::parquet::{self, CheckedValues, FilterReport};
use crate::inspection::{Given, Unread, shown};

/// A file that was read.
pub(in crate::commands) struct ParquetFile {
    pub(in crate::commands) path: PathBuf,
    pub(in crate::commands) filters: Vec<FilterReport>,
    pub(in crate::commands) row_groups: u64,
}

impl ParquetFile {
    /// Returns the number of row groups that cannot have the key.
    fn denying(&self) -> u64 {
        let denying = self
            .filters
            .iter()
            .filter(|filter| filter.may_match == Some(false));
        let mut row_groups: Vec<u64> = denying.map(|filter| filter.row_group).collect();
        row_groups.dedup();
        row_groups.len() as u64
    }
}

/// Returns the filters of all files, each with its file.
fn all(files: &[ParquetFile]) -> impl Iterator<Item = (&Path, &FilterReport)> + Clone {
    files
        .iter()
        .flat_map(|file| iter::repeat(&*file.path).zip(&file.filters))
}

/// The JSON form of a filter, or of a file that was not read.
#[derive(Serialize)]
struct InFile<'f> {
    /// The path. Bytes that are not text are replaced.
    file: String,
    #[serde(flatten)]
    filter: Option<&'f FilterReport>,
    #[serde(flatten)]
    unread: Option<&'f Unread>,
}

/// Shows the filters of Parquet files. Files that are not read are reported if there is another.
pub(super) fn show(arguments: &Arguments, given: Vec<Given>) -> Result<(), Failure> {
    let column = arguments.column.as_deref();
    let key = arguments.key.as_deref().map(|key| (key, arguments.kind));
    let (mut files, mut unread) = (Vec::new(), Vec::new());
    for mut given in given {
        let inspected = parquet::inspect(&mut given, column, key);
        let path = given.path;
        match inspected {
            Ok((filters, row_groups)) => files.push(ParquetFile {
                path,
                filters,
                row_groups,
            }),
            Err(reason) => unread.push((path, reason)),
        }
    }
    present(&files, &unread, arguments.json, key.is_some())
}

/// Shows the filters of these files, and reports those that were not read if there is another.
pub(in crate::commands) fn present(
    files: &[ParquetFile],
    unread: &[(PathBuf, Unread)],
    as_json: bool,
    has_key: bool,
) -> Result<(), Failure> {
    if let (true, Some((path, reason))) = (files.is_empty() && !as_json, unread.first()) {
        return Err(reason.failure(path));
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = if as_json {
        let filters = all(files).map(|(path, filter)| (path, Some(filter), None));
        let unread = unread
            .iter()
            .map(|(path, reason)| (path.as_path(), None, Some(reason)));
        let all = filters.chain(unread).map(|(path, filter, unread)| InFile {
            file: path.display().to_string(),
            filter,
            unread,
        });
        print_json(&mut out, &all.collect::<Vec<_>>())
    } else {
        print(&mut out, files, unread.len() as u64, has_key).map_err(Failure::from)
    };
    unless_closed(written.and_then(|()| Ok(out.flush()?)))?;
    for (path, reason) in unread {
        note(shown(path), reason);
    }
    let filters = all(files).filter_map(|(_, filter)| filter.unread.as_ref());
    let mut reasons = unread.iter().map(|(_, reason)| reason).chain(filters.clone());
    let denies_values = all(files).any(|(_, filter)| filter.denied_text().is_some());
    checked(!denies_values && !reasons.any(Unread::is_damage))?;
    let (filters, unread) = (filters.count() as u64, unread.len() as u64);
    match files {
        _ if filters + unread == 0 => Ok(()),
        [file] if unread == 0 => {
            let count = counted(filters, "filter");
            Err(wrong(&file.path, format_args!("{count} not read")))
        }
        _ => {
            let counts = [(unread, "file"), (filters, "filter")];
            let counts = counts.iter().filter(|(count, _)| *count > 0);
            let counts: Vec<_> = counts.map(|(count, what)| counted(*count, what)).collect();
            Err(Failure::input(format_args!("{} not read", counts.join(" and "))))
        }
    }
}

fn print(out: &mut impl io::Write, files: &[ParquetFile], unread: u64, has_key: bool) -> io::Result<()> {
    /// The number of filters that are described under each heading.
    const DESCRIBED: usize = 100;
    type Text = fn(&FilterReport) -> Option<String>;
    let are_several = files.len() as u64 + unread > 1;
    print_table(out, files, are_several, has_key)?;
    let headings: [(&str, Text); 4] = [
        ("notes", |filter| filter.note.clone()),
        ("denied", FilterReport::denied_text),
        ("not read", |filter| filter.unread_text(false)),
        ("damage", |filter| filter.unread_text(true)),
    ];
    for (heading, text) in headings {
        let lines = all(files).filter_map(|(file, filter)| {
            let text = text(filter)?;
            let (column, row_group) = place(filter);
            let name = if are_several {
                format!("{}: ", shown(file))
            } else {
                String::new()
            };
            Some(format!("{name}row group {row_group}, {column}: {text}"))
        });
        let more = lines.clone().count().saturating_sub(DESCRIBED) as u64;
        let more = (more > 0).then(|| format!("and {}", counted(more, "more filter")));
        list(out, heading, lines.take(DESCRIBED).chain(more))?;
    }
    if are_several {
        for file in files {
            writeln!(
                out,
                "{}: {}",
                shown(&file.path),
                in_words(std::slice::from_ref(file), has_key)
            )?;
        }
        write!(out, "\n{}, ", counted(files.len() as u64, "file"))?;
    }
    write!(out, "{}", in_words(files, has_key))?;
    if are_several && has_key {
        let denying = files
            .iter()
            .filter(|file| file.denying() == file.row_groups)
            .count() as u64;
        write!(out, ", {} without the key", counted(denying, "file"))?;
    }
    if unread > 0 {
        write!(out, "; {} not read", counted(unread, "file"))?;
    }
    writeln!(out)
}

/// Prints a line for each filter.
fn print_table(
    out: &mut impl io::Write,
    files: &[ParquetFile],
    are_several: bool,
    has_key: bool,
) -> io::Result<()> {
    if all(files).next().is_none() {
        return Ok(());
    }
    let mut header = vec!["column", "row group", "bytes", "expected"];
    header.extend(has_key.then_some("may match"));
    let mut to_the_right = vec![1, 2, 3];
    if all(files).any(|(_, filter)| filter.checked.is_some()) {
        header.extend(["fill", "values", "denied"]);
        to_the_right.extend([4, 5, 6]);
    }
    if are_several {
        header.insert(0, "file");
        to_the_right.iter_mut().for_each(|column| *column += 1);
    }
    let rows = all(files).map(|(file, filter)| {
        let (column, row_group) = place(filter);
        let mut row: Vec<String> = are_several.then(|| shown(file)).into_iter().collect();
        row.extend([
            column,
            row_group,
            filter.bytes.map_or_else(String::new, grouped),
            filter.expected_rate.map_or_else(String::new, share),
        ]);
        let answer = |may_match| if may_match { "yes" } else { "no" };
        row.extend(filter.may_match.map(answer).map(str::to_owned));
        if let Some(CheckedValues {
            fill, values, denied, ..
        }) = filter.checked
        {
            row.extend([share(fill), grouped(values), grouped(denied)]);
        }
        row
    });
    writeln!(out, "{}\n", table(header, &to_the_right, rows))
}

/// Returns the column of a filter, with its position where the name needs it, and the number of the row group.
fn place(filter: &FilterReport) -> (String, String) {
    let position = filter.position.map(|position| format!(" (column {position})"));
    let column = parquet::printed(&filter.column) + &position.unwrap_or_default();
    (column, grouped(filter.row_group))
}

/// Counts the row groups of files, their filters, and the row groups that do not have the key.
fn in_words(files: &[ParquetFile], has_key: bool) -> String {
    let sum = |of: fn(&ParquetFile) -> u64| files.iter().map(of).sum();
    let row_groups = counted(sum(|file| file.row_groups), "row group");
    let filters = counted(sum(|file| file.filters.len() as u64), "filter");
    let denying = counted(sum(|file| file.denying()), "row group");
    let denying = if has_key {
        format!("; {denying} without the key")
    } else {
        String::new()
    };
    format!("{row_groups}, {filters}{denying}")
}
