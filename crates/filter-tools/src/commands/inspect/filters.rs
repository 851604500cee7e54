//! Writes the filters of a Parquet file one by one.

use std::io;

use records::number::grouped;
use serde::ser::{SerializeSeq, Serializer as _};

use super::{list, percent};
use crate::inspection::parquet::{self, ColumnFilter, Counts};
use records::failure::Failure;
use records::number::counted;
use records::terminal::table;

/// Writes the filters as an array, each as soon as it is read.
pub(super) fn json_of(
    out: &mut impl io::Write,
    inspect: impl FnOnce(&mut dyn FnMut(&ColumnFilter<'_>)) -> Result<Counts, Failure>,
) -> Result<(Counts, io::Result<()>), Failure> {
    let mut serializer = serde_json::Serializer::pretty(&mut *out);
    let mut array = serializer.serialize_seq(None);
    let counts = inspect(&mut |filter| {
        let written = array.as_mut().map(|array| array.serialize_element(filter));
        if let Ok(Err(error)) = written {
            array = Err(error);
        }
    })?;
    let written = array.and_then(SerializeSeq::end).map_err(io::Error::from);
    Ok((counts, written.and_then(|()| writeln!(out))))
}

/// Prints filters as tables of a bounded number of rows, so that any number of filters takes little memory.
pub(super) struct Shown<'o, O> {
    out: &'o mut O,
    /// The result of all writing until now. After an error nothing is written.
    written: io::Result<()>,
    has_key: bool,
    rows: Vec<Vec<String>>,
    damage: Vec<String>,
}

impl<'o, O: io::Write> Shown<'o, O> {
    /// The number of rows of a table.
    const ROWS: usize = 1000;

    pub(super) fn new(out: &'o mut O, has_key: bool) -> Self {
        Self {
            out,
            written: Ok(()),
            has_key,
            rows: Vec::new(),
            damage: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, filter: &ColumnFilter<'_>) {
        let column = filter.column.map_or_else(String::new, parquet::printed);
        let row_group = filter.row_group.map_or_else(String::new, grouped);
        if let Some(damage) = &filter.damage {
            self.damage
                .push(format!("row group {row_group}, {column}: {damage}"));
        }
        let mut row = vec![
            column,
            row_group,
            filter.bytes.map_or_else(String::new, grouped),
            filter.expected_rate.map_or_else(String::new, percent),
        ];
        let answer = |may_match| if may_match { "yes" } else { "no" };
        row.extend(filter.may_match.map(answer).map(str::to_owned));
        self.rows.push(row);
        if self.rows.len() == Self::ROWS {
            self.print_rows();
        }
    }

    fn print_rows(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() || self.written.is_err() {
            return;
        }
        let mut header = vec!["column", "row group", "bytes", "expected"];
        header.extend(self.has_key.then_some("may match"));
        self.written = writeln!(self.out, "{}\n", table(header, &[1, 2, 3], rows));
    }

    pub(super) fn finish(mut self, counts: &Counts) -> io::Result<()> {
        self.print_rows();
        self.written?;
        let more = counts.not_described();
        let more = (more > 0).then(|| format!("and {}", counted(more, "more damaged filter")));
        list(self.out, "damage", self.damage.into_iter().chain(more))?;
        // A filter alone in a file has none.
        if counts.row_groups > 0 || counts.filters == 0 {
            write!(self.out, "{}, ", counted(counts.row_groups, "row group"))?;
        }
        write!(self.out, "{}", counted(counts.filters, "filter"))?;
        if self.has_key {
            write!(
                self.out,
                "; {} without the key",
                counted(counts.denying, "row group")
            )?;
        }
        writeln!(self.out)
    }
}
