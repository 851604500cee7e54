//! What a suite is: from what a program measured to rows, charts and a summary.

use std::path::Path;

use hash_comparison::record::table::{self, Row};
use plots::scene::Scene;

use crate::folder::{Bench, Chart, Folder, Format};
use crate::rounds::{Contest, Series, series};

/// Draws a chart of rows, if there is something to draw.
pub type Draw<R> = fn(&[R]) -> Option<Scene>;

/// A benchmark: its records, and what is made of them. `B` is a row of what the program writes, `R` one of the records.
pub struct Suite<B, R: 'static> {
    /// The records.
    pub format: Format,
    /// Whether the records hold the batches too.
    pub keeps_batches: bool,
    /// The rows of these batches; an error when batches contradict each other.
    pub rows: fn(&[B]) -> Result<Vec<R>, String>,
    /// The charts by the names of their files. They are given a row at least, and may find nothing to draw in it.
    pub charts: &'static [(&'static str, Draw<R>)],
    /// What the terminal shows of the rows.
    pub summary: fn(&[R]) -> String,
}

impl<B, R: 'static> Suite<B, R> {
    /// A suite whose records hold the batches too.
    pub(crate) const fn new(
        format: Format,
        rows: fn(&[B]) -> Result<Vec<R>, String>,
        charts: &'static [(&'static str, Draw<R>)],
        summary: fn(&[R]) -> String,
    ) -> Self {
        let keeps_batches = true;
        Self {
            format,
            keeps_batches,
            rows,
            charts,
            summary,
        }
    }

    /// The charts of these rows; none where there is nothing to draw.
    pub fn drawn(&self, rows: &[R]) -> Vec<Chart> {
        let charts = self.charts.iter().filter(|_| !rows.is_empty());
        charts
            .filter_map(|&(name, draw)| draw(rows).map(|scene| Chart { name, scene }))
            .collect()
    }
}

/// A suite whose types of rows are not known.
pub trait AnySuite: Sync {
    /// The records.
    fn format(&self) -> Format;

    /// Writes records and charts of what the program measured to `folder`, and gives the summary.
    ///
    /// # Errors
    ///
    /// When the program's file is not what it should be, and when the folder cannot be written.
    fn write(&self, folder: &Folder, bench: &Bench, csv: &Path) -> Result<String, String>;
}

impl<B: Row, R: Row + 'static> AnySuite for Suite<B, R> {
    fn format(&self) -> Format {
        self.format
    }

    fn write(&self, folder: &Folder, bench: &Bench, csv: &Path) -> Result<String, String> {
        let batches: Vec<B> = table::read(csv).map_err(|error| error.to_string())?;
        let rows = (self.rows)(&batches)?;
        let kept = self.keeps_batches.then_some(batches.as_slice());
        let rows = folder.write(bench, kept, &rows, |rows| self.drawn(rows))?;
        Ok((self.summary)(&rows))
    }
}

/// The rows of a suite of times: what the batches of each contestant come to beside those of the baseline.
pub(crate) fn rows<B: Contest, R: for<'a> From<&'a Series<'a, B>>>(batches: &[B]) -> Result<Vec<R>, String> {
    Ok(series(batches)?.iter().map(R::from).collect())
}

/// The rows of a suite whose program writes them itself.
#[expect(clippy::unnecessary_wraps, reason = "a suite's rows may be refused")]
pub(crate) fn as_written<R: Clone>(rows: &[R]) -> Result<Vec<R>, String> {
    Ok(rows.to_vec())
}
