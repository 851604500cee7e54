//! The CSV files of records.

use std::path::Path;

use records::table::bytes_of;
use serde::de::DeserializeOwned;

use crate::record::{Batch, Case, Row};
use crate::suite::Suite;

/// A line of a CSV file: a case, and the columns behind it, which are fields of the type.
pub trait Record: DeserializeOwned {
    /// The names of the columns.
    const COLUMNS: &'static [&'static str];

    /// Returns the case and the fields behind it.
    fn line(&self) -> (&Case, Vec<String>);

    /// Returns what was read, with its case and the unit of the task.
    #[must_use]
    fn of(self, case: Case, unit: &'static str) -> Self;
}

impl Record for Batch {
    const COLUMNS: &'static [&'static str] = &["round", "calls", "count"];

    fn line(&self) -> (&Case, Vec<String>) {
        let numbers = [self.round, self.calls, self.count];
        (&self.case, numbers.map(|number| number.to_string()).into())
    }

    fn of(self, case: Case, _: &'static str) -> Self {
        Self { case, ..self }
    }
}

#[rustfmt::skip]
const OF_ROWS: [&str; 8] = ["rounds", "calls", "unit", "value", "mad", "ratio", "ratio_low", "ratio_high"];

impl Record for Row {
    const COLUMNS: &'static [&'static str] = &OF_ROWS;

    fn line(&self) -> (&Case, Vec<String>) {
        let [rounds, calls] = [self.rounds, self.calls].map(|number| number.to_string());
        let numbers = [
            Some(self.value),
            Some(self.mad),
            self.ratio,
            self.ratio_low,
            self.ratio_high,
        ];
        let numbers = numbers.map(|number| number.map_or_else(String::new, |number| number.to_string()));
        let fields = [rounds, calls, self.unit.to_owned()].into_iter().chain(numbers);
        (&self.case, fields.collect())
    }

    fn of(self, case: Case, unit: &'static str) -> Self {
        Self { case, unit, ..self }
    }
}

/// Returns the names of all columns.
fn header<R: Record>(suite: &Suite) -> Vec<&'static str> {
    let parameters = suite.parameters.iter().map(|parameter| parameter.name());
    let case = ["contender", "task"].into_iter().chain(parameters);
    case.chain(R::COLUMNS.iter().copied()).collect()
}

/// Returns the bytes of a CSV file.
///
/// # Panics
///
/// If a case has other columns than the suite.
pub fn to_bytes<R: Record>(suite: &Suite, records: &[R]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |fields: &[&str]| writer.write_record(fields).expect("memory takes any line");
    write(&header::<R>(suite));
    for (case, fields) in records.iter().map(Record::line) {
        let parameters = case.parameters.iter().map(|(_, value)| value);
        let line = [&case.contender, &case.task].into_iter().chain(parameters);
        write(&line.chain(&fields).map(String::as_str).collect::<Vec<_>>());
    }
    writer.into_inner().expect("memory takes any bytes")
}

/// Reads batches or rows.
///
/// # Errors
///
/// If the file cannot be read, or is not in the form of [`to_bytes`]; with the line.
pub fn read<R: Record>(suite: &Suite, path: &Path) -> Result<Vec<R>, String> {
    let bytes = bytes_of(path).map_err(|error| error.to_string())?;
    parse(suite, &bytes).map_err(|reason| format!("{}: {reason}", path.display()))
}

/// Reads batches or rows from the bytes of a file.
///
/// # Errors
///
/// If they are not in the form of [`to_bytes`]; with the line.
pub fn parse<R: Record>(suite: &Suite, bytes: &[u8]) -> Result<Vec<R>, String> {
    let words = |error: csv::Error| error.to_string();
    let mut reader = csv::Reader::from_reader(bytes);
    let header = header::<R>(suite);
    let found = reader.headers().map_err(words)?.clone();
    if found.iter().ne(header.iter().copied()) {
        return Err(format!("the first line must be {}", header.join(",")));
    }
    let record = |line: Result<csv::StringRecord, csv::Error>| {
        let line = line.map_err(words)?;
        let record: R = line.deserialize(Some(&found)).map_err(words)?;
        let fields = line.iter().skip(2).take(suite.parameters.len());
        let parameters: Vec<&str> = fields.collect();
        let parameters: Vec<&dyn std::fmt::Display> = parameters.iter().map(|value| value as _).collect();
        let task = suite.tasks.iter().find(|task| task.name == &line[1]);
        let case = suite.case(&line[0], &line[1], &parameters);
        Ok(record.of(case, task.map_or("", |task| task.unit)))
    };
    reader.records().map(record).collect()
}
