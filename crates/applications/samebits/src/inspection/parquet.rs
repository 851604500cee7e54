//! Inspects the filters of a Parquet file.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use filter_parquet::add::AddError;
use filter_parquet::{
    ColumnChunk, ColumnFilter, ENCRYPTED_MAGIC, Error, MAGIC, ParquetFile, Value, ValueError, ValueForm,
};
use key_input::KeyKind;
use serde::Serialize;
use statistics::significant;
use terminal::number::{counted, grouped};

use super::file::Given;
use super::findings::Unread;

/// The number of columns that a message lists.
const LISTED: usize = 100;

/// A filter of a Parquet file.
#[derive(Debug, PartialEq, Serialize)]
pub struct FilterReport {
    /// The number of the row group, from 0.
    pub row_group: u64,
    /// The path of the column, its parts joined by dots.
    pub column: String,
    /// The number of the column, from 0, if others have its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// The length of the bit set; `None` if the filter is damaged.
    pub bytes: Option<u64>,
    /// The probability that an absent value matches.
    pub expected_rate: Option<f64>,
    /// True if the row group may contain the queried value in this column or another one of its path; `None` without a
    /// query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub may_match: Option<bool>,
    /// The result of querying the filter for all values; `None` if they were not read.
    #[serde(flatten)]
    pub checked: Option<CheckedValues>,
    /// The reason why the filter is taken to match every value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(flatten)]
    /// The reason why the filter or the values cannot be read.
    pub unread: Option<Unread>,
    /// What kept the values from being read, if that is not the file.
    #[serde(skip)]
    pub unchecked_by: Option<UncheckedBy>,
}

/// What kept values from being read, though the file may be intact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UncheckedBy {
    /// The memory does not suffice.
    Memory,
    /// The system, with its number of the error.
    System(Option<i32>),
}

impl UncheckedBy {
    pub(crate) fn of(error: &AddError<io::Error>) -> Option<Self> {
        match error {
            AddError::Memory { .. } | AddError::File(Error::AllocationFailed { .. }) => Some(Self::Memory),
            AddError::File(Error::Size(source) | Error::Read { source, .. }) => {
                Some(Self::System(source.raw_os_error()))
            }
            _ => None,
        }
    }
}

/// The result of a check, for JSON.
#[derive(Debug, PartialEq, Serialize)]
pub struct CheckedValues {
    /// The part of the bits that are set.
    pub fill: f64,
    /// The number of values, without nulls.
    pub values: u64,
    /// The number of values that the filter denies.
    pub denied: u64,
    /// The first of them.
    pub first_denied: Option<String>,
}

/// Returns true if a file begins like a Parquet file or is named like one.
pub(crate) fn is_parquet(given: &Given) -> bool {
    is_named_like_parquet(&given.path) || begins_like_parquet(given)
}

fn is_named_like_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "parquet") && path.is_file()
}

fn begins_like_parquet(given: &Given) -> bool {
    [MAGIC, ENCRYPTED_MAGIC]
        .iter()
        .any(|magic| given.head.starts_with(magic))
}

/// Returns the Parquet files in a folder and the folders in it, sorted, as Spark and Hive write them: names that begin
/// with a dot or an underscore are those of other files, unless they name a partition.
pub(crate) fn files_in(folder: &Path) -> io::Result<Vec<Given>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('.') || (name.starts_with('_') && !name.contains('=')) {
                continue;
            }
            // A link to a folder may lead back.
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if is_named_like_parquet(&path) || begins_like_parquet(&Given::open(&path)) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files.into_iter().map(Given::closed).collect())
}

/// Returns the filters of a file, or of its column of this path, in the order of row groups and columns, and the number
/// of row groups. A key is a value of the column as text, in the form of the column or of this kind, for which the
/// filters are queried. Memory is bounded by the length of the footer and of the longest filter.
///
/// # Errors
///
/// If the file cannot be read, its footer is damaged, it does not have the queried column, or the key is no value of
/// it.
pub(crate) fn inspect(
    given: &mut Given,
    column: Option<&str>,
    key: Option<(&str, Option<KeyKind>)>,
) -> Result<(Vec<FilterReport>, u64), Unread> {
    let file = ParquetFile::open(given.table()?)?;
    let (columns, row_groups) = (&file.footer().columns, file.footer().row_groups);
    let is_queried = |of: &&ColumnChunk| column.is_none_or(|name| of.path == name);
    let queried: Vec<&ColumnChunk> = columns.iter().filter(is_queried).collect();
    // The number of columns that may have the value, by row group.
    let mut left: BTreeMap<u64, u64> = BTreeMap::new();
    queried
        .iter()
        .for_each(|column| *left.entry(column.row_group).or_default() += 1);
    if let Some(name) = column.filter(|_| (left.len() as u64) < row_groups) {
        return Err(no_column(columns, name).into());
    }
    let parse = |column: &ColumnChunk| {
        let parsed = key.map(|(text, kind)| {
            let value = Value::parse(text, column.column_type, form(kind)?);
            value.map_err(|error| of_options(error, kind))
        });
        parsed.transpose()
    };
    queried.iter().try_for_each(|column| parse(column).map(drop))?;
    let filters = file.filters(queried);
    let report = |(column, filter)| Ok(FilterReport::new(column, filter, parse(column)?.as_ref()));
    let mut reports = filters.map(report).collect::<Result<Vec<_>, String>>()?;
    for report in &reports {
        let denies = report.may_match == Some(false);
        left.entry(report.row_group)
            .and_modify(|count| *count -= u64::from(denies));
    }
    for report in &mut reports {
        report.may_match = report.may_match.map(|_| left.get(&report.row_group) != Some(&0));
    }
    Ok((reports, row_groups))
}

/// Returns the form of values that are given as keys of this kind.
fn form(kind: Option<KeyKind>) -> Result<ValueForm, String> {
    Ok(match kind {
        None => ValueForm::Written,
        Some(KeyKind::Line | KeyKind::String) => ValueForm::Text,
        Some(KeyKind::Long | KeyKind::Int) => ValueForm::Number,
        Some(KeyKind::Binary) => ValueForm::Hexadecimal,
        Some(KeyKind::Utf16) => {
            let given = ValueForm::Text;
            return Err(of_options(ValueError::Form { given }, kind));
        }
    })
}

/// Returns the message on a value that was given by options.
fn of_options(error: ValueError, kind: Option<KeyKind>) -> String {
    match error {
        ValueError::Boolean => {
            "--column must not name a Boolean column: Parquet files have no filters for those".to_owned()
        }
        ValueError::Value { expected, given } => format!("--key must be {expected}, got {given:?}"),
        _ => {
            let unknown = "none: the file does not say what the bytes of the column are";
            let given = kind.map_or_else(|| unknown.to_owned(), KeyKind::name);
            format!(
                "--type must be binary (bytes in hexadecimal digits), string (a column of text), or long or int (one of numbers), got {given}"
            )
        }
    }
}

impl From<Error<io::Error>> for Unread {
    fn from(error: Error<io::Error>) -> Self {
        match error.is_damage() {
            true => Self::Damaged(error.to_string()),
            false => Self::Other(error.to_string()),
        }
    }
}

impl From<AddError<io::Error>> for Unread {
    fn from(error: AddError<io::Error>) -> Self {
        match error.is_refusal() {
            true => Self::Other(error.to_string()),
            false => Self::Damaged(error.to_string()),
        }
    }
}

impl FilterReport {
    pub(crate) fn new(
        column: &ColumnChunk,
        filter: Result<ColumnFilter, Error<io::Error>>,
        value: Option<&Value>,
    ) -> Self {
        let mut report = Self {
            row_group: column.row_group,
            column: column.path.clone(),
            position: column.shares_path.then_some(column.column),
            bytes: None,
            expected_rate: None,
            // An unreadable filter denies nothing.
            may_match: value.map(|_| true),
            checked: None,
            note: None,
            unread: None,
            unchecked_by: None,
        };
        match filter {
            Ok(filter) => {
                report.bytes = Some(filter.bitset.len() as u64);
                report.expected_rate = Some(significant::round(filter.expected_rate()));
                if filter.is_unfilled(column) {
                    let values = column.stored_values();
                    let (values, nulls) = (
                        values.map_or_else(|| "values".to_owned(), |values| counted(values, "value")),
                        column.null_count.map_or(" or nulls", |_| ""),
                    );
                    report.note = Some(format!(
                        "the filter is empty, but the column has {values}{nulls}: any value may match"
                    ));
                } else {
                    report.may_match = value.map(|value| filter.may_match(value));
                }
            }
            Err(error) => report.unread = Some(error.into()),
        }
        report
    }

    /// Returns which values the filter denies, if it does.
    pub(crate) fn denied_text(&self) -> Option<String> {
        let checked = self.checked.as_ref()?;
        // It is escaped already, but may be long.
        let first: String = checked.first_denied.as_ref()?.chars().take(LISTED).collect();
        let (denied, values) = (grouped(checked.denied), counted(checked.values, "value"));
        Some(format!("{denied} of {values}, first {first}"))
    }

    /// Returns the reason why the filter was not read, if that is damage or is none.
    pub(crate) fn unread_text(&self, is_damage: bool) -> Option<String> {
        let unread = self.unread.as_ref();
        unread
            .filter(|unread| unread.is_damage() == is_damage)
            .map(Unread::to_string)
    }
}

pub(crate) fn no_column(columns: &[ColumnChunk], name: &str) -> String {
    let mut names: Vec<String> = (columns.iter())
        .take_while(|column| column.row_group == 0)
        .map(|column| printed(&column.path))
        .collect();
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    let mut known = names.join(", ");
    if more > 0 {
        known.push_str(&format!(" and {more} others"));
    }
    format!("--column must be known, got {name:?}: known are {known}")
}

/// Returns a path without control characters, which could move a terminal's cursor, and cut to what one reads.
pub(crate) fn printed(path: &str) -> String {
    const LONGEST: usize = 200;
    let start: String = path.chars().take(LONGEST).collect();
    let cut = if start.len() < path.len() { "..." } else { "" };
    format!("{}{cut}", start.escape_debug())
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_move_no_cursor() {
        assert_eq!(
            super::printed("a\u{1b}[31m\u{202e}\n"),
            "a\\u{1b}[31m\\u{202e}\\n"
        );
    }
}
