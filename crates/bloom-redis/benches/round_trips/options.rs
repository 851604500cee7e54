//! The command line.

use std::path::PathBuf;

/// How much is measured, and where the batches go.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) quick: bool,
    pub(crate) csv: Option<PathBuf>,
}

impl Options {
    /// `None` asks for the usage.
    ///
    /// # Errors
    ///
    /// What is wrong with the arguments.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Self::default();
        while let Some(name) = arguments.next() {
            match name.as_str() {
                // What cargo adds.
                "--bench" => {}
                "--help" | "-h" => return Ok(None),
                "--quick" => options.quick = true,
                "--csv" => {
                    let path = arguments.next().ok_or_else(|| format!("{name} has no value"))?;
                    options.csv = Some(path.into());
                }
                _ => return Err(format!("no argument is called {name:?}")),
            }
        }
        Ok(Some(options))
    }
}
