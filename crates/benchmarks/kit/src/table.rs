//! The CSV files of records.

use std::path::Path;

use records::table::bytes_of;

use crate::record::{Batch, Case, Row};
use crate::suite::Suite;

/// A line of a CSV file: a case, and the columns behind it.
pub trait Record {
    /// The names of the columns.
    const COLUMNS: &'static [&'static str];

    /// Returns the case and the fields behind it.
    fn line(&self) -> (&Case, Vec<String>);
}

impl Record for Batch {
    const COLUMNS: &'static [&'static str] = &["round", "calls", "count"];

    fn line(&self) -> (&Case, Vec<String>) {
        let numbers = [self.round, self.calls, self.count];
        (&self.case, numbers.map(|number| number.to_string()).into())
    }
}

impl Record for Row {
    const COLUMNS: &'static [&'static str] = &[
        "rounds",
        "calls",
        "unit",
        "value",
        "mad",
        "ratio",
        "ratio_low",
        "ratio_high",
    ];

    fn line(&self) -> (&Case, Vec<String>) {
        let [rounds, calls] = [self.rounds, self.calls].map(|number| number.to_string());
        let [value, mad] = [self.value, self.mad].map(|number| number.to_string());
        let mut fields = vec![rounds, calls, self.unit.to_owned(), value, mad];
        let ratio = self.ratio.map(|ratio| [ratio.median, ratio.low, ratio.high]);
        fields.extend(ratio.map_or_else(Default::default, |ratio| ratio.map(|number| number.to_string())));
        (&self.case, fields)
    }
}

/// Returns the names of all columns.
fn header<R: Record>(suite: &Suite) -> Vec<&'static str> {
    let parameters = suite.parameters.iter().map(|parameter| parameter.name);
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

/// Reads batches.
///
/// # Errors
///
/// If the file cannot be read, or is not in the form of [`to_bytes`]; with the line.
pub fn read(suite: &Suite, path: &Path) -> Result<Vec<Batch>, String> {
    let failed = |reason: String| format!("{}: {reason}", path.display());
    let bytes = bytes_of(path).map_err(|error| error.to_string())?;
    let mut reader = csv::Reader::from_reader(&bytes[..]);
    let header = header::<Batch>(suite);
    let found = reader.headers().map_err(|error| failed(error.to_string()))?;
    if found.iter().ne(header.iter().copied()) {
        return Err(failed(format!("the first line must be {}", header.join(","))));
    }
    let batch = |line: Result<csv::StringRecord, csv::Error>| {
        let line = line.map_err(|error| failed(error.to_string()))?;
        let fields: Vec<&str> = line.iter().collect();
        let [contender, task, parameters @ .., round, calls, count] = &fields[..] else {
            return Err(failed("a line has too few fields".to_owned()));
        };
        let parameters: Vec<&dyn std::fmt::Display> = parameters.iter().map(|value| value as _).collect();
        let case = suite.case(contender, task, &parameters);
        let numbers = [round, calls, count].map(|number| number.parse::<u64>());
        match numbers {
            [Ok(round), Ok(calls @ 1..), Ok(count)] => Ok(case.batch(round, calls, count)),
            _ => {
                let line = line.position().map_or(0, csv::Position::line);
                Err(failed(format!(
                    "line {line}: round, calls and count must be numbers"
                )))
            }
        }
    };
    reader.records().map(batch).collect()
}
