//! Summaries for the terminal.

use records::number;
use records::terminal::table;

use crate::record::Row;

/// The tables of a suite for the terminal: one for each heading, with a line and a column for each of their names, in the
/// order of their first rows. Cells of several rows show all of them.
#[derive(Debug, Clone, Copy)]
pub struct Tables {
    /// Title of the first column.
    pub title: &'static str,
    /// Heading of a row's table; empty for rows that are in no table.
    pub heading: fn(&Row) -> String,
    /// Name of a row's line.
    pub line: fn(&Row) -> String,
    /// Name of a row's column.
    pub column: fn(&Row) -> String,
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
        line: |row| row.case.contender.clone(),
        column: |row| row.unit.to_owned(),
        cell: |row, _| with_ratio(row),
        is_markdown: false,
        after: |_| String::new(),
    };

    /// Formats the tables.
    pub fn text(&self, rows: &[Row]) -> String {
        let headings = distinct(rows.iter().map(self.heading));
        let mut text = String::new();
        for heading in headings.iter().filter(|heading| !heading.is_empty()) {
            let of_table: Vec<&Row> = rows
                .iter()
                .filter(|row| (self.heading)(row) == *heading)
                .collect();
            if self.is_markdown {
                let table = markdown(&self.lines(heading, &of_table, rows));
                text.push_str(&format!("\n{table}\n"));
            } else {
                let table = plain(self.lines(self.title, &of_table, rows));
                text.push_str(&format!("\n{heading}\n{table}\n"));
            }
        }
        text + &(self.after)(rows)
    }

    /// Returns the lines of a table, the header first.
    fn lines(&self, title: &str, rows: &[&Row], all: &[Row]) -> Vec<Vec<String>> {
        let columns = distinct(rows.iter().map(|row| (self.column)(row)));
        let names = distinct(rows.iter().map(|row| (self.line)(row)));
        let line = |name: String| {
            let cell = |column: &String| {
                let is_it = |row: &&&Row| (self.line)(row) == name && (self.column)(row) == *column;
                let cells: Vec<String> = rows
                    .iter()
                    .filter(is_it)
                    .map(|row| (self.cell)(row, all))
                    .collect();
                cells.join(" / ")
            };
            let cells: Vec<String> = columns.iter().map(cell).collect();
            [vec![name.clone()], cells].concat()
        };
        let header = [vec![title.to_owned()], columns.clone()].concat();
        [header].into_iter().chain(names.into_iter().map(line)).collect()
    }
}

fn plain(mut lines: Vec<Vec<String>>) -> String {
    let header = lines.remove(0);
    let numbers: Vec<usize> = (1..header.len()).collect();
    table(header, &numbers, lines)
}

fn markdown(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let line = |cells: &Vec<String>| {
        let cells = cells.iter().map(|cell| {
            if cell.is_empty() {
                " |".to_owned()
            } else {
                format!(" {cell} |")
            }
        });
        format!("|{}", cells.collect::<String>())
    };
    let mut text: Vec<String> = lines.iter().map(line).collect();
    text.insert(1, format!("|---|{}", "---:|".repeat(columns.saturating_sub(1))));
    text.join("\n")
}

/// Formats the count of a call with three digits, and behind it the ratio to the baseline.
pub fn with_ratio(row: &Row) -> String {
    let value = number::significant(row.value, 3);
    match row.ratio {
        Some(ratio) => format!("{value} ({:.3})", ratio.median),
        None => value,
    }
}

/// Returns the distinct values in the order of their first occurrence.
pub(crate) fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}
