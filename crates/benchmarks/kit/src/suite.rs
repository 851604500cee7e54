//! A suite: the names in its records, the baseline of its comparisons, its summary and its charts.

use std::fmt::Display;
use std::path::Path;

use plots::scene::Scene;

use crate::folder::{Bench, Chart, Folder, Format};
use crate::record::{self, Batch, Case, Row};
use crate::{ratios, summary};

/// A name in the records and its display text.
pub type Label = (&'static str, &'static str);

/// Returns the display text of a name; the name itself if it has none.
pub fn label<'a>(labels: &[Label], name: &'a str) -> &'a str {
    let found = labels.iter().find(|(known, _)| *known == name);
    found.map_or(name, |(_, text)| text)
}

/// A task and what is counted for each call.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    /// Name in the records.
    pub name: &'static str,
    /// Display text.
    pub label: &'static str,
    /// What is counted, such as `ns`.
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
pub struct Parameter {
    /// Name of the column.
    pub name: &'static str,
    /// Set if only cases with equal values are compared; otherwise the column describes the contender.
    pub is_condition: bool,
}

/// Builds a column within whose values cases are compared.
pub const fn condition(name: &'static str) -> Parameter {
    Parameter {
        name,
        is_condition: true,
    }
}

/// Builds a column that describes the contender.
pub const fn property(name: &'static str) -> Parameter {
    Parameter {
        name,
        is_condition: false,
    }
}

/// What a count is divided by.
#[derive(Debug, Clone, Copy)]
pub enum Baseline {
    /// The count of one of these contenders in the same round and under the same conditions.
    Contender(&'static [&'static str]),
    /// The share of calls in this column; the counts are successes among the calls.
    Column(&'static str),
}

/// Draws a chart of rows; `None` if there is nothing to draw.
pub type Draw = fn(&[Row]) -> Option<Scene>;

/// A benchmark.
#[derive(Debug, Clone, Copy)]
pub struct Suite {
    /// The records.
    pub format: Format,
    /// The contenders, in the order of the records.
    pub contenders: &'static [Label],
    /// The tasks, in the order of the records.
    pub tasks: &'static [Task],
    /// The columns between the task and the figures.
    pub parameters: &'static [Parameter],
    /// What the contenders are compared with.
    pub baseline: Baseline,
    /// The tables for the terminal.
    pub summary: summary::Tables,
    /// The charts and the names of their files. Each is given at least one row, and may draw nothing.
    pub charts: &'static [(&'static str, Draw)],
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
            self.format.name
        );
        let named = self.parameters.iter().zip(parameters);
        Case {
            contender: contender.to_owned(),
            task: task.to_owned(),
            parameters: named
                .map(|(parameter, value)| (parameter.name, value.to_string()))
                .collect(),
        }
    }

    /// Computes the rows.
    ///
    /// # Errors
    ///
    /// If batches contradict each other or lack the baseline of their round.
    pub fn rows(&self, batches: &[Batch]) -> Result<Vec<Row>, String> {
        ratios::rows(self, batches)
    }

    /// Draws the charts; empty if there is nothing to draw.
    pub fn drawn(&self, rows: &[Row]) -> Vec<Chart> {
        let charts = self.charts.iter().filter(|_| !rows.is_empty());
        charts
            .filter_map(|&(name, draw)| draw(rows).map(|scene| Chart { name, scene }))
            .collect()
    }

    /// Returns the display text of a row's task.
    pub fn task<'a>(&self, row: &'a Row) -> &'a str {
        let found = self.tasks.iter().find(|task| task.name == row.case.task);
        found.map_or(&row.case.task, |task| task.label)
    }

    /// Returns the display text of a row's contender.
    pub fn contender<'a>(&self, row: &'a Row) -> &'a str {
        label(self.contenders, &row.case.contender)
    }

    /// Reads a program's batches, writes records and charts to `folder`, and returns the summary.
    ///
    /// # Errors
    ///
    /// If the program's file is invalid, or the folder cannot be written.
    pub fn write(&self, folder: &Folder, bench: &Bench, csv: &Path) -> Result<String, String> {
        self.put(folder, bench, &record::read(self, csv)?)
    }

    /// Writes records and charts of batches to `folder`, and returns the summary.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn put(&self, folder: &Folder, bench: &Bench, batches: &[Batch]) -> Result<String, String> {
        let name = format!("{}.csv", self.format.rows);
        let bytes = record::to_bytes(self, &self.rows(batches)?);
        // The charts show the rounded numbers of the file.
        let rows: Vec<Row> = record::parse(self, name.as_ref(), &bytes)?;
        let files = [
            ("batches.csv".to_owned(), record::to_bytes(self, batches)),
            (name, bytes),
        ];
        let drawn = self.drawn(&rows);
        let charts = drawn.iter().flat_map(|chart| chart.files(self.format));
        folder.put(bench, files.into_iter().chain(charts))?;
        Ok(self.summary.text(&rows))
    }
}
