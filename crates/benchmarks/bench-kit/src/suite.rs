//! A suite: the names in its records, the baseline of its comparisons and its summary.

use std::fmt::Display;

use crate::record::{Case, Row};
use crate::summary;

/// A name in the records and its display text.
pub type Label = (&'static str, &'static str);

/// The name of a task in the records, its display text, and the unit of its count for each call, such as `ns`.
pub type Task = (&'static str, &'static str, &'static str);

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
    pub parameters: &'static [&'static str],
    /// Those of them that describe the contender. Cases are compared within equal values of the others.
    pub properties: &'static [&'static str],
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
        let columns = self.parameters;
        assert_eq!(parameters.len(), columns.len(), "a value for each column");
        let values = parameters.iter().map(ToString::to_string);
        Case {
            contender: contender.to_owned(),
            task: task.to_owned(),
            parameters: columns.iter().copied().zip(values).collect(),
        }
    }

    /// Returns the display text of a row's task; its name if it has none.
    pub fn task<'a>(&self, row: &'a Row) -> &'a str {
        let found = self.tasks.iter().find(|(name, ..)| *name == row.case.task);
        found.map_or(&row.case.task, |(_, text, _)| text)
    }

    /// Returns the display text of a row's contender; its name if it has none.
    pub fn contender<'a>(&self, row: &'a Row) -> &'a str {
        let contenders = (self.contenders)();
        let found = contenders.iter().find(|(name, _)| *name == row.case.contender);
        found.map_or(&row.case.contender, |(_, text)| text)
    }
}
