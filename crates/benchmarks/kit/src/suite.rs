//! What a suite is: from what a program measured to rows, charts and a summary.

use std::path::Path;

use hash_comparison::record::table::{self, Row};

use crate::folder::{Bench, Chart, Folder, Format};
use crate::rounds::{Contest, Series, series};

/// A benchmark: its records, and what is made of them.
pub trait Suite {
    /// A row of what the program writes.
    type Batch: Row;
    /// A row of the records.
    type Row: Row;
    /// The records.
    const FORMAT: Format;
    /// Whether the records hold the batches too.
    const KEEPS_BATCHES: bool = true;

    /// The rows of these batches.
    ///
    /// # Errors
    ///
    /// When batches contradict each other.
    fn rows(batches: &[Self::Batch]) -> Result<Vec<Self::Row>, String>;

    /// The charts of these rows; none where there is nothing to draw.
    fn charts(rows: &[Self::Row]) -> Vec<Chart>;

    /// What the terminal shows of the rows.
    fn summary(rows: &[Self::Row]) -> String;
}

/// The rows of a suite that is timed, one a contestant.
pub(crate) fn rows<B: Contest, R: for<'a> From<&'a Series<'a, B>>>(batches: &[B]) -> Result<Vec<R>, String> {
    Ok(series(batches)?.iter().map(R::from).collect())
}

/// Writes records and charts of what the program measured to `folder`, and gives the summary.
///
/// # Errors
///
/// When the program's file is not what it should be, and when the folder cannot be written.
pub fn write<S: Suite>(folder: &Folder, bench: &Bench, csv: &Path) -> Result<String, String> {
    let batches: Vec<S::Batch> = table::read(csv).map_err(|error| error.to_string())?;
    let rows = S::rows(&batches)?;
    let kept = S::KEEPS_BATCHES.then_some(batches.as_slice());
    let rows = folder.write(bench, kept, &rows, S::charts)?;
    Ok(S::summary(&rows))
}
