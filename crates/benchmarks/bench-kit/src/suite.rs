//! A suite: the names in its records, the baseline of its comparisons and its summary.

use std::fmt::Display;

use crate::record::{Case, Row};
use crate::summary;

/// A name in the records and its display text.
pub type Label = (&'static str, &'static str);

/// Returns the display text of a name; the name itself if it has none.
pub fn label<'a>(labels: &[Label], name: &'a str) -> &'a str {
    let found = labels.iter().find(|(known, _)| *known == name);
    found.map_or(name, |(_, text)| text)
}

/// A task, and the unit of its count for each call.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    /// Name in the records.
    pub name: &'static str,
    /// Display text.
    pub label: &'static str,
    /// The unit of the count, such as `ns`.
    pub unit: &'static str,
}

impl Task {
    /// Builds a task whose time is measured.
    pub const fn timed(name: &'static str, label: &'static str) -> Self {
        Self::counted(name, label, "ns")
    }

    /// Builds a task that counts something else than nanoseconds.
    pub const fn counted(name: &'static str, label: &'static str, unit: &'static str) -> Self {
        Self { name, label, unit }
    }
}

/// A column that the suite names.
#[derive(Debug, Clone, Copy)]
pub enum Parameter {
    /// A column within whose values cases are compared.
    Condition(&'static str),
    /// A column that describes the contender.
    Property(&'static str),
}

impl Parameter {
    /// Returns the name of the column.
    pub const fn name(self) -> &'static str {
        let (Self::Condition(name) | Self::Property(name)) = self;
        name
    }
}

/// The divisor of a count.
#[derive(Debug, Clone, Copy)]
pub enum Baseline {
    /// The count of one of these contenders in the same round and under the same conditions.
    Contender(&'static [&'static str]),
    /// The share of calls in this column; the counts are successes among the calls.
    Column(&'static str),
}

/// A benchmark.
#[derive(Debug, Clone, Copy)]
pub struct Suite {
    /// Name of the file of rows, without extension.
    pub rows: &'static str,
    /// The contenders, in the order of the records.
    pub contenders: fn() -> Vec<Label>,
    /// The tasks, in the order of the records.
    pub tasks: &'static [Task],
    /// The columns between the task and the figures.
    pub parameters: &'static [Parameter],
    /// The baseline of the comparisons.
    pub baseline: Baseline,
    /// The tables for the terminal.
    pub summary: summary::Tables,
}

impl Suite {
    /// Names a case; the parameters are in the order of the columns.
    ///
    /// # Panics
    ///
    /// If there are more or fewer parameters than columns.
    pub fn case(&self, contender: &str, task: &str, parameters: &[&dyn Display]) -> Case {
        assert_eq!(
            parameters.len(),
            self.parameters.len(),
            "a value for each column of {}",
            self.rows
        );
        let named = self.parameters.iter().zip(parameters);
        Case {
            contender: contender.to_owned(),
            task: task.to_owned(),
            parameters: named
                .map(|(parameter, value)| (parameter.name(), value.to_string()))
                .collect(),
        }
    }

    /// Returns the display text of a row's task.
    pub fn task<'a>(&self, row: &'a Row) -> &'a str {
        let found = self.tasks.iter().find(|task| task.name == row.case.task);
        found.map_or(&row.case.task, |task| task.label)
    }

    /// Returns the display text of a row's contender.
    pub fn contender<'a>(&self, row: &'a Row) -> &'a str {
        label(&(self.contenders)(), &row.case.contender)
    }
}
