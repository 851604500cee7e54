//! The CSV files of records.

use std::path::Path;

use records::table::bytes_of;

use crate::record::{Batch, Case, Ratio, Row};
use crate::suite::Suite;

/// A line of a CSV file: a case, and the columns behind it.
pub trait Record {
    /// The names of the columns.
    const COLUMNS: &'static [&'static str];

    /// Returns the case and the fields behind it.
    fn line(&self) -> (&Case, Vec<String>);

    /// Reads what [`line`](Self::line) returns, with the unit of the task; `None` if a field is no number.
    fn parse(case: Case, unit: &'static str, fields: &[&str]) -> Option<Self>
    where
        Self: Sized;
}

impl Record for Batch {
    const COLUMNS: &'static [&'static str] = &["round", "calls", "count"];

    fn line(&self) -> (&Case, Vec<String>) {
        let numbers = [self.round, self.calls, self.count];
        (&self.case, numbers.map(|number| number.to_string()).into())
    }

    fn parse(case: Case, _: &'static str, fields: &[&str]) -> Option<Self> {
        let numbers: Vec<u64> = fields
            .iter()
            .map(|field| field.parse().ok())
            .collect::<Option<_>>()?;
        match numbers[..] {
            [round, calls, count] if calls > 0 => Some(case.batch(round, calls, count)),
            _ => None,
        }
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

    fn parse(case: Case, unit: &'static str, fields: &[&str]) -> Option<Self> {
        let [rounds, calls, _, value, mad, ratio @ ..] = fields else {
            return None;
        };
        let number = |field: &&str| field.parse::<f64>().ok();
        let ratio = match ratio {
            ["", "", ""] => None,
            [median, low, high] => Some(Ratio {
                median: number(median)?,
                low: number(low)?,
                high: number(high)?,
            }),
            _ => return None,
        };
        Some(Self {
            case,
            rounds: rounds.parse().ok()?,
            calls: calls.parse().ok()?,
            unit,
            value: number(value)?,
            mad: number(mad)?,
            ratio,
        })
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
    let mut reader = csv::Reader::from_reader(bytes);
    let header = header::<R>(suite);
    let found = reader.headers().map_err(|error| error.to_string())?;
    if found.iter().ne(header.iter().copied()) {
        return Err(format!("the first line must be {}", header.join(",")));
    }
    let record = |line: Result<csv::StringRecord, csv::Error>| {
        let line = line.map_err(|error| error.to_string())?;
        let fields: Vec<&str> = line.iter().collect();
        // The reader has seen that there are as many fields as columns.
        let (case, fields) = fields.split_at(2 + suite.parameters.len());
        let parameters: Vec<&dyn std::fmt::Display> = case[2..].iter().map(|value| value as _).collect();
        let task = suite.tasks.iter().find(|task| task.name == case[1]);
        let case = suite.case(case[0], case[1], &parameters);
        R::parse(case, task.map_or("", |task| task.unit), fields).ok_or_else(|| {
            let line = line.position().map_or(0, csv::Position::line);
            let columns = R::COLUMNS.join(", ");
            format!("line {line}: {columns} must be numbers")
        })
    };
    reader.records().map(record).collect()
}
