//! What a row is about: the one way to find the rows of a dataset or function.

use super::{
    AvalancheRow, CollisionRow, DistributionRow, FalsePositiveRow, Finding, MixingRow, OccupancyRow,
    PlaceRow, SpreadRow, StructuredRow, TimingRow, WindowRow,
};

/// A row about a function, and mostly about a dataset.
pub trait About {
    /// Name of the dataset; `None` where the keys are of none.
    fn dataset(&self) -> Option<&str>;
    /// Name of the function.
    fn function(&self) -> &str;
}

impl<R: About> About for &R {
    fn dataset(&self) -> Option<&str> {
        (**self).dataset()
    }

    fn function(&self) -> &str {
        (**self).function()
    }
}

macro_rules! about {
    ($($row:ident: $dataset:expr;)*) => {
        $(impl About for $row {
            fn dataset(&self) -> Option<&str> {
                let dataset: fn(&Self) -> Option<&str> = $dataset;
                dataset(self)
            }

            fn function(&self) -> &str {
                &self.function
            }
        })*
    };
}

about! {
    AvalancheRow: |_| None;
    CollisionRow: |row| Some(&row.dataset);
    DistributionRow: |row| Some(&row.dataset);
    FalsePositiveRow: |row| Some(&row.dataset);
    Finding: |row| Some(&row.dataset);
    MixingRow: |_| None;
    OccupancyRow: |row| Some(&row.dataset);
    PlaceRow: |row| Some(&row.dataset);
    SpreadRow: |row| Some(&row.dataset);
    StructuredRow: |_| None;
    TimingRow: |row| Some(&row.dataset);
    WindowRow: |row| Some(&row.dataset);
}

/// The rows about this dataset.
pub fn on<R: About>(rows: impl IntoIterator<Item = R>, dataset: &str) -> impl Iterator<Item = R> {
    let rows = rows.into_iter();
    rows.filter(move |row| row.dataset() == Some(dataset))
}

/// The rows about this function.
pub fn of<R: About>(rows: impl IntoIterator<Item = R>, function: &str) -> impl Iterator<Item = R> {
    rows.into_iter().filter(move |row| row.function() == function)
}

/// The rows about this function on this dataset.
pub fn about<R: About>(
    rows: impl IntoIterator<Item = R>,
    dataset: &str,
    function: &str,
) -> impl Iterator<Item = R> {
    of(on(rows, dataset), function)
}
