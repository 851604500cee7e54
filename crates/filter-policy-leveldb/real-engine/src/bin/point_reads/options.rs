//! The command line.

use std::path::PathBuf;

/// How much is measured.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) entries: usize,
    pub(crate) gets: usize,
    pub(crate) rounds: usize,
    pub(crate) csv: Option<PathBuf>,
}

impl Options {
    /// `None` asks for the usage.
    ///
    /// # Errors
    ///
    /// What is wrong with the arguments.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Self {
            entries: 1_000_000,
            gets: 2_000,
            rounds: 151,
            csv: None,
        };
        while let Some(name) = arguments.next() {
            if name == "--help" || name == "-h" {
                return Ok(None);
            }
            let value = || arguments.next().ok_or_else(|| format!("{name} has no value"));
            match name.as_str() {
                "--entries" => options.entries = number(&name, value)?,
                "--gets" => options.gets = number(&name, value)?,
                "--rounds" => options.rounds = number(&name, value)?,
                "--csv" => options.csv = Some({ value }()?.into()),
                _ => return Err(format!("no argument is called {name:?}")),
            }
        }
        Ok(Some(options))
    }
}

fn number(name: &str, value: impl FnOnce() -> Result<String, String>) -> Result<usize, String> {
    let text = value()?;
    text.parse()
        .ok()
        .filter(|&number| number > 0)
        .ok_or_else(|| format!("{name} is {text:?}, allowed are whole numbers from 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Option<Options>, String> {
        Options::parse(arguments.iter().map(ToString::to_string))
    }

    #[test]
    fn arguments_are_understood_or_named() {
        let options = parse(&["--gets", "5", "--csv", "a.csv"]).unwrap().unwrap();
        assert_eq!((options.entries, options.gets), (1_000_000, 5));
        assert_eq!(options.csv, Some("a.csv".into()));
        assert_eq!(parse(&["--rounds", "3", "-h"]), Ok(None));
        for (arguments, message) in [
            (&["--rounds"][..], "--rounds has no value"),
            (
                &["--rounds", "0"],
                "--rounds is \"0\", allowed are whole numbers from 1",
            ),
            (
                &["--entries", "-1"],
                "--entries is \"-1\", allowed are whole numbers from 1",
            ),
            (&["all"], "no argument is called \"all\""),
        ] {
            assert_eq!(parse(arguments), Err(message.to_owned()));
        }
    }
}
