//! Tables that questions declare beside their rows. The page draws all of them in one way.

use crate::record::Verdict;

/// A cell: a value and the way in which it is shown.
#[derive(Debug, Clone, Default)]
pub enum Cell {
    /// Nothing was counted.
    #[default]
    Empty,
    /// The function or key set that the row is about.
    Name(String),
    /// A text.
    Text(String),
    /// Sentences, of which all but the first are folded away.
    Lines(Vec<String>),
    /// Two keys, shortened until a click.
    Keys([String; 2]),
    /// A number of things.
    Count(u64),
    /// A number with this many significant digits.
    Digits(f64, usize),
    /// A share.
    Percent(f64),
    /// A p-value.
    P(f64),
    /// A test result.
    Verdict(Verdict),
    /// A number with a text of its own.
    As(f64, String),
}

impl Cell {
    /// Builds a cell for the three significant digits of a number.
    pub fn digits(value: f64) -> Self {
        Self::Digits(value, 3)
    }

    /// Builds a cell of text.
    pub fn text(value: impl ToString) -> Self {
        Self::Text(value.to_string())
    }

    /// Returns true if the cell shows a number.
    fn is_number(&self) -> bool {
        !matches!(
            self,
            Self::Empty | Self::Name(_) | Self::Text(_) | Self::Lines(_) | Self::Keys(_) | Self::Verdict(_)
        )
    }
}

impl From<Option<Self>> for Cell {
    fn from(cell: Option<Self>) -> Self {
        cell.unwrap_or_default()
    }
}

/// A column of rows of one type: its head, and the cell of a row.
pub type Column<R> = (&'static str, fn(&R) -> Cell);

/// A table, ready to be drawn.
#[derive(Debug, Clone)]
pub struct Table {
    /// Says which rows these are.
    pub caption: String,
    /// The heads of the columns.
    pub heads: Vec<String>,
    /// The cells.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Fills the columns with rows; the first column is the name.
    pub fn of<'a, R: 'a>(
        caption: impl Into<String>,
        columns: &[Column<R>],
        rows: impl IntoIterator<Item = &'a R>,
    ) -> Self {
        let cells = |row| columns.iter().map(|(_, cell)| cell(row)).collect();
        Self {
            caption: caption.into(),
            heads: columns.iter().map(|(head, _)| (*head).to_owned()).collect(),
            rows: rows.into_iter().map(cells).collect(),
        }
    }

    /// Builds a table of named rows: the head of the names, those of the other columns, and the cells of each name.
    pub fn named<N: ToString>(
        caption: impl Into<String>,
        name: &str,
        heads: impl IntoIterator<Item = impl ToString>,
        rows: impl IntoIterator<Item = (N, Vec<Cell>)>,
    ) -> Self {
        let row = |(name, cells): (N, _)| [vec![Cell::Name(name.to_string())], cells].concat();
        let heads = heads.into_iter().map(|head| head.to_string());
        Self {
            caption: caption.into(),
            heads: [name.to_owned()].into_iter().chain(heads).collect(),
            rows: rows.into_iter().map(row).collect(),
        }
    }

    /// Returns true if a column shows numbers, which are sorted as such.
    pub fn is_number(&self, column: usize) -> bool {
        self.rows.iter().any(|row| row[column].is_number())
    }
}
