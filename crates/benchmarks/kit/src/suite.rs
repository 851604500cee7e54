//! A suite: turns a program's measurements into rows, charts and a summary.

use std::path::Path;

use plots::scene::Scene;
use records::table::{self, Row};

use crate::folder::{Bench, Chart, Folder, Format};
use crate::rounds::{Contest, Series, series};

/// Draws a chart of rows; `None` if there is nothing to draw.
pub type Draw<R> = fn(&[R]) -> Option<Scene>;

/// A benchmark. `B` is a row that the program writes, `R` a row of the records.
pub struct Suite<B, R: 'static> {
    /// The records.
    pub format: Format,
    /// Set if the batches are kept with the records.
    pub keeps_batches: bool,
    /// Computes the rows; an error if batches contradict each other.
    pub rows: fn(&[B]) -> Result<Vec<R>, String>,
    /// The charts and the names of their files. Each is given at least one row, and may draw nothing.
    pub charts: &'static [(&'static str, Draw<R>)],
    /// The summary for the terminal.
    pub summary: fn(&[R]) -> String,
}

impl<B, R: 'static> Suite<B, R> {
    /// Builds a suite that keeps its batches.
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

    /// Draws the charts; empty if there is nothing to draw.
    pub fn drawn(&self, rows: &[R]) -> Vec<Chart> {
        let charts = self.charts.iter().filter(|_| !rows.is_empty());
        charts
            .filter_map(|&(name, draw)| draw(rows).map(|scene| Chart { name, scene }))
            .collect()
    }
}

/// A suite with its row types erased.
pub trait AnySuite: Sync {
    /// The records.
    fn format(&self) -> Format;

    /// Reads the program's measurements, writes records and charts to `folder`, and returns the summary.
    ///
    /// # Errors
    ///
    /// If the program's file is invalid, or the folder cannot be written.
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

/// Computes the rows of a timed suite, with ratios to the baseline.
pub(crate) fn rows<B: Contest, R: for<'a> From<&'a Series<'a, B>>>(batches: &[B]) -> Result<Vec<R>, String> {
    Ok(series(batches)?.iter().map(R::from).collect())
}

/// Returns the rows of a suite whose program writes rows instead of batches.
#[expect(clippy::unnecessary_wraps, reason = "a suite's rows may be refused")]
pub(crate) fn as_written<R: Clone>(rows: &[R]) -> Result<Vec<R>, String> {
    Ok(rows.to_vec())
}
