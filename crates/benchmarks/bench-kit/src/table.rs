//! The CSV files of records.

use csv::StringRecord;
use serde::de::DeserializeOwned;
use terminal::failure::Failure;

use crate::record::{Batch, Case, Row};
use crate::suite::Suite;

/// A line of a CSV file: a case, and the columns behind it, which are fields of the type.
pub trait Record: DeserializeOwned {
    /// The names of the columns.
    const COLUMNS: &'static [&'static str];

    /// Returns the case and the fields behind it.
    fn line(&self) -> (&Case, Vec<String>);

    /// Returns the record with this case.
    #[must_use]
    fn of(self, case: Case) -> Self;
}

impl Record for Batch {
    const COLUMNS: &'static [&'static str] = &["round", "calls", "count"];

    fn line(&self) -> (&Case, Vec<String>) {
        let numbers = [self.round, self.calls, self.count];
        (&self.case, numbers.map(|number| number.to_string()).into())
    }

    fn of(self, case: Case) -> Self {
        Self { case, ..self }
    }
}

#[rustfmt::skip]
const OF_ROWS: [&str; 8] = ["rounds", "calls", "unit", "value", "mad", "ratio", "ratio_low", "ratio_high"];

impl Record for Row {
    const COLUMNS: &'static [&'static str] = &OF_ROWS;

    fn line(&self) -> (&Case, Vec<String>) {
        let counts = [self.rounds, self.calls].map(|number| number.to_string());
        let ratios = [self.ratio, self.ratio_low, self.ratio_high];
        let numbers = [Some(self.value), Some(self.mad)].into_iter().chain(ratios);
        let numbers = numbers.map(|number| number.map_or_else(String::new, |number| number.to_string()));
        let fields = counts.into_iter().chain([self.unit.clone()]).chain(numbers);
        (&self.case, fields.collect())
    }

    fn of(self, case: Case) -> Self {
        Self { case, ..self }
    }
}

/// Returns the names of all columns.
fn header<R: Record>(suite: &Suite) -> Vec<&'static str> {
    [&["contender", "task"], suite.parameters, R::COLUMNS].concat()
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

/// Reads batches or rows from the bytes of a file.
///
/// # Errors
///
/// If they are not in the form of [`to_bytes`]; with the line.
pub fn parse<R: Record>(suite: &Suite, bytes: &[u8]) -> Result<Vec<R>, Failure> {
    let mut reader = csv::Reader::from_reader(bytes);
    let header = header::<R>(suite);
    let found = reader.headers().map_err(Failure::internal)?.clone();
    if found != header {
        let columns = header.join(",");
        return Err(Failure::Internal(format!("the first line must be {columns}")));
    }
    let record = |line: Result<StringRecord, csv::Error>| {
        let line = line?;
        let values = line.iter().skip(2).map(str::to_owned);
        let case = Case {
            contender: line[0].to_owned(),
            task: line[1].to_owned(),
            parameters: suite.parameters.iter().copied().zip(values).collect(),
        };
        Ok(line.deserialize::<R>(Some(&found))?.of(case))
    };
    let records: Result<_, csv::Error> = reader.records().map(record).collect();
    records.map_err(Failure::internal)
}
