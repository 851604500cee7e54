//! The dataset and function of a row: the only way to find rows about them.

/// A row about a function, and usually about a dataset.
pub trait About {
    /// Set if the row is of a file of times, which differ from run to run. Other rows depend only on data and seed.
    const TIMED: bool = false;

    /// Returns the name of the dataset, or `None` for keys of no dataset.
    fn dataset(&self) -> Option<&str>;
    /// Returns the name of the function.
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

/// Returns the rows about this dataset.
pub fn on<R: About>(rows: impl IntoIterator<Item = R>, dataset: &str) -> impl Iterator<Item = R> {
    let rows = rows.into_iter();
    rows.filter(move |row| row.dataset() == Some(dataset))
}

/// Returns the rows about this function.
pub fn of<R: About>(rows: impl IntoIterator<Item = R>, function: &str) -> impl Iterator<Item = R> {
    rows.into_iter().filter(move |row| row.function() == function)
}

/// Returns the rows about this function on this dataset.
pub fn about<R: About>(
    rows: impl IntoIterator<Item = R>,
    dataset: &str,
    function: &str,
) -> impl Iterator<Item = R> {
    of(on(rows, dataset), function)
}
