//! The records of every suite: a batch is one measurement, a row is the result of all rounds of a case.
//!
//! Both begin with the contender, its task and the columns that the suite names.

use std::fmt::Display;

use serde::{Serialize, Serializer};

/// A contender that does a task, with the suite's parameters by column.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Case {
    /// The contender.
    pub contender: String,
    /// The task.
    pub task: String,
    /// The suite's columns with their values.
    #[serde(serialize_with = "values")]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Batch {
    /// The contender, its task and the parameters.
    pub case: Case,
    /// Round of the run, counted from 1; in a round all contenders do the same work.
    pub round: u64,
    /// Calls of the batch, or the keys among which something was counted.
    pub calls: u64,
    /// Nanoseconds of all calls together, or what the task counts.
    pub count: u64,
}

impl Batch {
    /// The names of the columns behind the parameters.
    pub const COLUMNS: &'static [&'static str] = &["round", "calls", "count"];
}

/// The least probability with which the interval of a ratio contains the true median.
pub const INTERVAL_LEVEL: f64 = 0.95;

/// A line of the suite's records: all rounds of a case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The contender, its task and the parameters.
    pub case: Case,
    /// Rounds of the run.
    pub rounds: u64,
    /// Calls of all rounds.
    pub calls: u64,
    /// The unit of the count, such as `ns`.
    pub unit: String,
    /// Time of a call, median over the rounds; another count for each call, mean over all rounds.
    #[serde(serialize_with = "number")]
    pub value: f64,
    /// Median absolute deviation from it, over the rounds.
    #[serde(serialize_with = "number")]
    pub mad: f64,
    /// Median over the rounds of the count divided by the baseline's in the same round; none if that is 0.
    #[serde(serialize_with = "number")]
    pub ratio: Option<f64>,
    /// Lower end of its interval, see [`INTERVAL_LEVEL`].
    #[serde(serialize_with = "number")]
    pub ratio_low: Option<f64>,
    /// Upper end of the interval.
    #[serde(serialize_with = "number")]
    pub ratio_high: Option<f64>,
}

impl Row {
    /// The names of the columns behind the parameters.
    #[rustfmt::skip]
    pub const COLUMNS: &'static [&'static str] =
        &["rounds", "calls", "unit", "value", "mad", "ratio", "ratio_low", "ratio_high"];

    /// Returns the row of another task under the same conditions.
    pub fn at<'a>(&self, task: &str, rows: &'a [Self]) -> Option<&'a Self> {
        let case = Case {
            task: task.to_owned(),
            ..self.case.clone()
        };
        rows.iter().find(|row| row.case == case)
    }

    /// Returns the ratio; NaN if there is none.
    pub fn over_baseline(&self) -> f64 {
        self.ratio.unwrap_or(f64::NAN)
    }
}

/// Writes the values of the parameters, a field each.
fn values<S: Serializer>(parameters: &[(&str, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(parameters.iter().map(|(_, value)| value))
}

/// Writes a number without a point if it is whole.
fn number<S: Serializer>(number: &(impl Copy + Into<Option<f64>>), serializer: S) -> Result<S::Ok, S::Error> {
    match (*number).into() {
        Some(number) => serializer.collect_str(&number),
        None => serializer.serialize_none(),
    }
}
