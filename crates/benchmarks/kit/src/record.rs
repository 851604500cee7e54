//! The records of every suite: a batch is a line that a program writes, a row is the result of all rounds of a case.
//!
//! Both begin with the contender, its task and the columns that the suite names.

use std::fmt::Display;
use std::path::Path;

use records::table;
use statistics::significant;

use crate::suite::Suite;

/// What was measured: a contender doing a task, and the suite's parameters by column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The contender.
    pub contender: String,
    /// The task.
    pub task: String,
    /// The suite's columns with their values.
    pub parameters: Vec<(&'static str, String)>,
}

impl Case {
    /// Returns the value of a parameter.
    ///
    /// # Panics
    ///
    /// If the suite has no such column.
    pub fn get(&self, column: &str) -> &str {
        let found = self.parameters.iter().find(|(name, _)| *name == column);
        found.map_or_else(|| panic!("the suite has no column {column}"), |(_, value)| value)
    }

    /// Returns a parameter as a number; NaN if it is none.
    pub fn number(&self, column: &str) -> f64 {
        self.get(column).parse().unwrap_or(f64::NAN)
    }

    /// Returns a parameter as a whole number; 0 if it is none.
    pub fn count(&self, column: &str) -> u64 {
        self.get(column).parse().unwrap_or(0)
    }

    /// Counts a round: `count` nanoseconds, bytes or answers over all `calls`.
    pub fn batch(&self, round: u64, calls: u64, count: u64) -> Batch {
        Batch {
            case: self.clone(),
            round,
            calls,
            count,
        }
    }
}

impl Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}", self.contender, self.task)?;
        let mut parameters = self.parameters.iter();
        parameters.try_for_each(|(name, value)| write!(f, ", {name} {value}"))
    }
}

/// A line of `batches.csv`: calls that were measured together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// What was measured.
    pub case: Case,
    /// Round of the run, counted from 1; in a round all contenders do the same work.
    pub round: u64,
    /// Calls of the batch, or the keys among which something was counted.
    pub calls: u64,
    /// Nanoseconds of all calls together, or what the task counts.
    pub count: u64,
}

/// A comparison with the baseline in the same rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// Median over the rounds of the count divided by the baseline's in the same round.
    pub median: f64,
    /// Lower end of its interval, see [`INTERVAL_LEVEL`](crate::INTERVAL_LEVEL).
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// A line of the suite's records: all rounds of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What was measured.
    pub case: Case,
    /// Rounds of the run.
    pub rounds: u64,
    /// Calls of all rounds.
    pub calls: u64,
    /// What was counted, such as `ns`.
    pub unit: String,
    /// Time of a call, median over the rounds; another count for each call, mean over all rounds.
    pub value: f64,
    /// Median absolute deviation from it, over the rounds.
    pub mad: f64,
    /// The comparison with the baseline; none if the baseline counts 0.
    pub ratio: Option<Ratio>,
}

impl Row {
    /// Returns true for the contender at the task.
    pub fn is(&self, contender: &str, task: &str) -> bool {
        (&*self.case.contender, &*self.case.task) == (contender, task)
    }

    /// Returns the row of another task under the same conditions.
    pub fn at<'a>(&self, task: &str, rows: &'a [Self]) -> Option<&'a Self> {
        rows.iter()
            .find(|row| row.is(&self.case.contender, task) && row.case.parameters == self.case.parameters)
    }

    /// Returns the ratio; NaN if there is none.
    pub fn over_baseline(&self) -> f64 {
        self.ratio.map_or(f64::NAN, |ratio| ratio.median)
    }
}

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
