//! The command line.

use std::path::PathBuf;

/// How much is measured, and where the batches go.
#[derive(Debug, Default, PartialEq)]
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Option<Options>, String> {
        Options::parse(arguments.iter().map(ToString::to_string))
    }

    #[test]
    fn arguments_are_understood_or_named() {
        let both = Options {
            quick: true,
            csv: Some("a.csv".into()),
        };
        assert_eq!(parse(&["--quick", "--csv", "a.csv"]), Ok(Some(both)));
        assert_eq!(parse(&[]), Ok(Some(Options::default())));
        assert_eq!(parse(&["--quick", "-h"]), Ok(None));
        assert_eq!(parse(&["--csv"]), Err("--csv has no value".to_owned()));
        assert_eq!(parse(&["all"]), Err("no argument is called \"all\"".to_owned()));
    }
}
