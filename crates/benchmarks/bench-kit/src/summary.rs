//! Summaries for the terminal.

use terminal::layout::table;
use terminal::number;

use crate::record::Row;
use crate::suite::Suite;

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
