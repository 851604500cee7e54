//! What a row is about: the one way to find the rows of a dataset or function.

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

/// Says of which dataset rows are.
macro_rules! rows_about {
    ($($row:ident: $dataset:expr;)*) => {
        $(impl $crate::record::about::About for $row {
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

pub(super) use rows_about;

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
