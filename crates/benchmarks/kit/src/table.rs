//! The CSV files of records.

use std::path::Path;

use records::table;
use statistics::significant;

use crate::record::{Batch, Case, Ratio, Row};
use crate::suite::Suite;

/// A line of a CSV file that begins with a case.
pub trait Record: Sized {
    /// The names of the columns behind the case.
    const COLUMNS: &'static [&'static str];

    /// Returns the case.
    fn case(&self) -> &Case;

    /// Returns the fields behind the case.
    fn fields(&self) -> Vec<String>;

    /// Parses the fields behind the case; `None` if a field is wrong.
    fn parse(case: Case, fields: &[&str]) -> Option<Self>;
}

impl Record for Batch {
    const COLUMNS: &'static [&'static str] = &["round", "calls", "count"];

    fn case(&self) -> &Case {
        &self.case
    }

    fn fields(&self) -> Vec<String> {
        [self.round, self.calls, self.count]
            .map(|number| number.to_string())
            .into()
    }

    fn parse(case: Case, fields: &[&str]) -> Option<Self> {
        let [round, calls, count] = fields else {
            return None;
        };
        Some(Self {
            case,
            round: round.parse().ok()?,
            calls: calls.parse().ok().filter(|&calls: &u64| calls > 0)?,
            count: count.parse().ok()?,
        })
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

    fn case(&self) -> &Case {
        &self.case
    }

    fn fields(&self) -> Vec<String> {
        let mut fields = vec![
            self.rounds.to_string(),
            self.calls.to_string(),
            self.unit.clone(),
            rounded(self.value),
            rounded(self.mad),
        ];
        fields.extend(self.ratio.map_or_else(Default::default, |ratio| {
            [ratio.median, ratio.low, ratio.high].map(rounded)
        }));
        fields
    }

    fn parse(case: Case, fields: &[&str]) -> Option<Self> {
        let [rounds, calls, unit, numbers @ ..] = fields else {
            return None;
        };
        let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
        let [value, mad, median, low, high] = numbers else {
            return None;
        };
        let ratio = || {
            Some(Ratio {
                median: number(median)?,
                low: number(low)?,
                high: number(high)?,
            })
        };
        Some(Self {
            case,
            rounds: rounds.parse().ok()?,
            calls: calls.parse().ok()?,
            unit: (*unit).to_owned(),
            value: number(value)?,
            mad: number(mad)?,
            ratio: if median.is_empty() { None } else { Some(ratio()?) },
        })
    }
}

fn rounded(number: f64) -> String {
    significant::round(number).to_string()
}

/// Returns the names of all columns.
fn header<R: Record>(suite: &Suite) -> Vec<&'static str> {
    let parameters = suite.parameters.iter().map(|parameter| parameter.name);
    ["contender", "task"]
        .into_iter()
        .chain(parameters)
        .chain(R::COLUMNS.iter().copied())
        .collect()
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
    for record in records {
        let (case, fields) = (record.case(), record.fields());
        let parameters = case.parameters.iter().map(|(_, value)| value);
        let line = [&case.contender, &case.task].into_iter().chain(parameters);
        write(&line.chain(&fields).map(String::as_str).collect::<Vec<_>>());
    }
    writer.into_inner().expect("memory takes any bytes")
}

/// Parses the bytes of a CSV file; `path` is for the message.
///
/// # Errors
///
/// If the bytes are not in the form of [`to_bytes`]; with the line.
pub fn parse<R: Record>(suite: &Suite, path: &Path, bytes: &[u8]) -> Result<Vec<R>, String> {
    let failed = |reason: String| format!("{}: {reason}", path.display());
    let mut reader = csv::Reader::from_reader(bytes);
    let header = header::<R>(suite);
    let found = reader.headers().map_err(|error| failed(error.to_string()))?;
    if found.iter().ne(header.iter().copied()) {
        return Err(failed(format!("the first line must be {}", header.join(","))));
    }
    let columns = header.len() - R::COLUMNS.len();
    let record = |line: Result<csv::StringRecord, csv::Error>| {
        let line = line.map_err(|error| failed(error.to_string()))?;
        let fields: Vec<&str> = line.iter().collect();
        let parameters = header[2..columns].iter().zip(&fields[2..columns]);
        let case = Case {
            contender: fields[0].to_owned(),
            task: fields[1].to_owned(),
            parameters: parameters
                .map(|(name, value)| (*name, (*value).to_owned()))
                .collect(),
        };
        let number = line.position().map_or(0, csv::Position::line);
        R::parse(case, &fields[columns..])
            .ok_or_else(|| failed(format!("line {number}: a field is not a number")))
    };
    reader.records().map(record).collect()
}

/// Reads a CSV file.
///
/// # Errors
///
/// If the file cannot be read, or is not in the form of [`to_bytes`].
pub fn read<R: Record>(suite: &Suite, path: &Path) -> Result<Vec<R>, String> {
    let bytes = table::bytes_of(path).map_err(|error| error.to_string())?;
    parse(suite, path, &bytes)
}
