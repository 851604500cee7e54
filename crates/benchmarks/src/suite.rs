//! A suite: the names in its records, the baseline of its comparisons and its tables for the terminal.

use std::fmt::Display;

use plots::scene::Scene;
use terminal::layout::table;
use terminal::number;

use crate::record::{Case, Row};

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
    pub summary: Tables,
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

    /// Returns the names of all columns of a file of records, the last of which are given.
    pub fn columns(&self, last: &[&'static str]) -> Vec<&'static str> {
        [&["contender", "task"], self.parameters, last].concat()
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

/// The tables of a suite for the terminal: one for each heading, with a line and a column for each of their names, in the
/// order of their first rows. Cells of several rows show all of them.
#[derive(Debug, Clone, Copy)]
pub struct Tables {
    /// Title of the first column.
    pub title: &'static str,
    /// Heading of a row's table; empty for rows that are in no table.
    pub heading: fn(&Row) -> String,
    /// Name of a row's line.
    pub line: fn(&Suite, &Row) -> String,
    /// Name of a row's column.
    pub column: fn(&Suite, &Row) -> String,
    /// The figures of a row, given all rows.
    pub cell: fn(&Row, &[Row]) -> String,
    /// Set if the tables are for a page, in Markdown: the heading is then the title of the first column.
    pub is_markdown: bool,
    /// Text after the last table.
    pub after: fn(&[Row]) -> String,
    /// The charts of all rows, each with the name of its file, without extension.
    pub charts: fn(&[Row]) -> Vec<(&'static str, Scene)>,
}

impl Tables {
    /// Figures that any suite can show: the time or count of a call, and the ratio.
    pub const PLAIN: Self = Self {
        title: "",
        heading: |row| row.case.task.clone(),
        line: |suite, row| suite.contender(row).to_owned(),
        column: |suite, row| suite.task(row).to_owned(),
        cell: |row, _| with_ratio(row),
        is_markdown: false,
        after: |_| String::new(),
        charts: |_| Vec::new(),
    };

    /// Formats the tables.
    pub fn text(&self, suite: &Suite, rows: &[Row]) -> String {
        let line_of = |row: &Row| (self.line)(suite, row);
        let column_of = |row: &Row| (self.column)(suite, row);
        let mut text = String::new();
        let headings = distinct(rows.iter().map(self.heading));
        for heading in headings.into_iter().filter(|heading| !heading.is_empty()) {
            let rows_of_table = || rows.iter().filter(|row| (self.heading)(row) == heading);
            let columns = distinct(rows_of_table().map(column_of));
            let cell = |line: &String, column: &String| {
                let is_it = |row: &&Row| line_of(row) == *line && column_of(row) == *column;
                let cells = rows_of_table().filter(is_it).map(|row| (self.cell)(row, rows));
                cells.collect::<Vec<_>>().join(" / ")
            };
            let lines = distinct(rows_of_table().map(line_of)).into_iter().map(|line| {
                let cells: Vec<String> = columns.iter().map(|column| cell(&line, column)).collect();
                [vec![line], cells].concat()
            });
            let title = if self.is_markdown { &heading } else { self.title };
            let header = [vec![title.to_owned()], columns.clone()].concat();
            if self.is_markdown {
                let lines: Vec<Vec<String>> = [header].into_iter().chain(lines).collect();
                text.push_str(&format!("\n{}\n", markdown(&lines)));
            } else {
                let numbers: Vec<usize> = (1..header.len()).collect();
                text.push_str(&format!("\n{heading}\n{}\n", table(header, &numbers, lines)));
            }
        }
        text + &(self.after)(rows)
    }
}

fn markdown(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let line = |cells: &Vec<String>| {
        let cells = cells.iter().map(|cell| format!(" {cell} |"));
        format!("|{}", cells.collect::<String>())
    };
    let mut text: Vec<String> = lines.iter().map(line).collect();
    text.insert(1, format!("|---|{}", "---:|".repeat(columns.saturating_sub(1))));
    text.join("\n")
}

/// Formats the count of a call with three digits, and behind it the ratio to the baseline.
fn with_ratio(row: &Row) -> String {
    let ratio = row.ratio.map(|ratio| format!(" ({ratio:.3})"));
    number::significant(row.value, 3) + &ratio.unwrap_or_default()
}

/// Returns the distinct values in the order of their first occurrence.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}
