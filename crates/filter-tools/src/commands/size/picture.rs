//! The chart of `size`, written to a new file.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use crate::sizing::{Answer, Filter, chart};

use records::failure::Failure;

/// A chart to draw. Its path is checked before anything is printed.
pub(super) struct Picture<'a> {
    pub(super) path: &'a Path,
}

impl<'a> Picture<'a> {
    /// # Errors
    ///
    /// If the name is not of a supported format, or the file exists.
    pub(super) fn new(path: &'a Path) -> Result<Self, Failure> {
        if !path
            .extension()
            .is_some_and(|text| text.eq_ignore_ascii_case("svg"))
        {
            return Err(Failure::input(format!(
                "{}: a chart's name ends in .svg",
                path.display()
            )));
        }
        if path.symlink_metadata().is_ok() {
            return Err(is_there(path));
        }
        Ok(Self { path })
    }

    /// Draws the chart into a new file.
    ///
    /// # Errors
    ///
    /// If there is nothing to draw, or the file cannot be written.
    pub(super) fn draw(&self, filters: &[Filter], keys: u64, answers: &[Answer]) -> Result<(), Failure> {
        let path = self.path;
        let scene = chart::scene(filters, keys, answers).ok_or_else(|| {
            Failure::internal(format!(
                "no filter for {keys} keys has 4 to 24 bits per key: there is no curve"
            ))
        })?;
        let element = plots::svg(&scene);
        let text = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{element}");
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => is_there(path),
                _ => Failure::input(format!("{}: {error}", path.display())),
            })?;
        file.write_all(text.as_bytes())
            .map_err(|error| Failure::internal(format!("{}: {error}", path.display())))
    }
}

fn is_there(path: &Path) -> Failure {
    Failure::input(format!(
        "{} exists and is not overwritten; choose another file",
        path.display()
    ))
}
