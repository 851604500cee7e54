//! Sortable tables.

use minijinja::value::{Serde, Value};
use serde::Serialize;

use crate::record::{Verdict, significant};
use crate::vocabulary;
use records::number;

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Table {
    head: Vec<Head>,
    /// Rows with one cell per column.
    rows: Vec<Vec<Cell>>,
}

#[derive(Debug, Clone, Serialize)]
struct Head {
    text: String,
    numeric: bool,
}

#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Cell {
    text: String,
    /// The text in pieces, if some of them are marked, each with true if it is.
    parts: Vec<(String, bool)>,
    /// Further lines, which the reader can unfold.
    more: Vec<String>,
    /// Sort value for numeric columns, if the text does not show exactly this value.
    value: Option<String>,
    /// Class in the style sheet.
    class: &'static str,
}

impl Cell {
    /// Builds a cell of plain text.
    pub(crate) fn text(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }

    /// Builds a cell of text in pieces.
    pub(super) fn marked(parts: Vec<(String, bool)>) -> Self {
        Self {
            parts,
            ..Self::classed("", "key")
        }
    }

    /// Changes the cell's class to `class` if `holds` is true.
    pub(crate) fn when(self, holds: bool, class: &'static str) -> Self {
        Self {
            class: if holds { class } else { self.class },
            ..self
        }
    }

    /// Builds a cell with a class from the style sheet.
    pub(crate) fn classed(text: &str, class: &'static str) -> Self {
        Self {
            class,
            ..Self::text(text)
        }
    }

    /// Builds a cell with a class from the style sheet that shows the first of several lines and folds the others.
    pub(crate) fn folded(lines: &[String], class: &'static str) -> Self {
        Self {
            more: lines.iter().skip(1).cloned().collect(),
            ..Self::classed(lines.first().map_or("", String::as_str), class)
        }
    }

    /// Builds a cell of text that sorts by a number.
    pub(crate) fn sorted(text: String, value: f64) -> Self {
        let value = significant::round(value);
        let differs = value.is_finite() && parsed(&text) != Some(value);
        Self {
            value: differs.then(|| shortest(value)),
            ..Self::text(&text)
        }
    }

    /// Builds a cell for a share as a percentage.
    pub(crate) fn percent(value: f64) -> Self {
        Self::sorted(number::percent(value), value)
    }

    /// Builds a cell for a p-value.
    pub(crate) fn p(value: f64) -> Self {
        Self::sorted(number::p_value(value), value)
    }
}

/// Returns the first characters of a key, at most `most` of them; the files have the whole key.
pub(super) fn shortened(key: &str, most: usize) -> String {
    match key.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &key[..at]),
        None => key.to_owned(),
    }
}

/// Parses a number as the page's script does: without digit grouping, and in hundredths if there is a per cent sign.
fn parsed(text: &str) -> Option<f64> {
    let digits = text.replace([',', ' '], "");
    match digits.strip_suffix('%') {
        Some(hundredths) => Some(hundredths.parse::<f64>().ok()? / 100.0),
        None => digits.parse().ok(),
    }
}

/// Formats a number in as few characters as possible.
fn shortest(value: f64) -> String {
    let (plain, scientific) = (format!("{value}"), format!("{value:e}"));
    if scientific.len() < plain.len() {
        scientific
    } else {
        plain
    }
}

/// Builds a table of fixed rows column by column.
pub(crate) struct Columns<R> {
    of: Vec<R>,
    table: Table,
}

impl Table {
    /// Starts a table of these rows, without columns.
    pub(crate) fn of<R>(rows: impl IntoIterator<Item = R>) -> Columns<R> {
        let of: Vec<R> = rows.into_iter().collect();
        let (head, rows) = (Vec::new(), of.iter().map(|_| Vec::new()).collect());
        Columns {
            of,
            table: Self { head, rows },
        }
    }
}

impl<R> Columns<R> {
    /// Adds a column, which is numeric if `head` starts with `#`.
    pub(crate) fn column<C: Into<Cell>>(mut self, head: &str, cell: impl Fn(&R) -> C) -> Self {
        let numeric = head.starts_with('#');
        let text = head.strip_prefix('#').unwrap_or(head).to_owned();
        self.table.head.push(Head { text, numeric });
        for (cells, row) in self.table.rows.iter_mut().zip(&self.of) {
            cells.push(cell(row).into());
        }
        self
    }

    pub(crate) fn done(self) -> Table {
        self.table
    }

    /// Returns the table, or `None` without rows.
    pub(crate) fn if_any(self) -> Option<Table> {
        (!self.of.is_empty()).then_some(self.table)
    }
}

/// Converts the table for the template.
impl From<Table> for Value {
    fn from(table: Table) -> Self {
        Serde(table).into()
    }
}

/// Converts `None` to an empty cell.
impl<C: Into<Cell>> From<Option<C>> for Cell {
    fn from(cell: Option<C>) -> Self {
        cell.map_or_else(Self::default, Into::into)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Self {
        Self::text(text)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::text(&text)
    }
}

/// Shows a count with grouped digits.
impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Self::sorted(number::grouped(value), value as f64)
    }
}

impl From<u32> for Cell {
    fn from(value: u32) -> Self {
        u64::from(value).into()
    }
}

/// Shows a number with three significant digits.
impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::sorted(number::significant(value, 3), value)
    }
}

impl From<Verdict> for Cell {
    fn from(verdict: Verdict) -> Self {
        let class = match verdict {
            Verdict::FewerThanChance => "verdict fewer",
            Verdict::WithinChance => "verdict in-band",
            Verdict::WorseThanChance => "verdict worse",
            Verdict::FarWorseThanChance => "verdict unusable",
        };
        Self::classed(vocabulary::result(verdict), class)
    }
}

#[cfg(test)]
mod tests {
    use crate::page::table::Cell;

    #[test]
    fn a_cell_carries_a_number_only_where_its_text_says_another() {
        let sorted = |text: &str, value| Cell::sorted(text.to_owned(), value);
        for (cell, expected) in [
            (Cell::from(999_u64), None),
            (Cell::from(1_000_000_u64), None),
            (Cell::from(1.98), None),
            (Cell::from(2.029_358), Some("2.029358")),
            (Cell::percent(0.25), None),
            (Cell::percent(0.148_008_347), Some("0.148008347")),
            (sorted("< 1e-300", 0.0), Some("0")),
            (sorted("1e-7", 1.234e-7), Some("1.234e-7")),
            (sorted("inf", f64::INFINITY), None),
        ] {
            assert_eq!(cell.value.as_deref(), expected, "{}", cell.text);
        }
    }
}
