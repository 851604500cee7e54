//! The command line.

use std::path::PathBuf;

/// How much is measured.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) keys: Vec<usize>,
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
            keys: vec![32, 128, 512, 4096, 16_384, 100_000, 1_000_000],
            rounds: 21,
            csv: None,
        };
        while let Some(name) = arguments.next() {
            if name == "--help" || name == "-h" {
                return Ok(None);
            }
            let value = || arguments.next().ok_or_else(|| format!("{name} has no value"));
            match name.as_str() {
                "--keys" => {
                    options.keys = { value }()?
                        .split(',')
                        .map(|text| number(&name, text))
                        .collect::<Result<_, _>>()?;
                }
                "--rounds" => options.rounds = number(&name, &{ value }()?)?,
                "--csv" => options.csv = Some({ value }()?.into()),
                _ => return Err(format!("no argument is called {name:?}")),
            }
        }
        Ok(Some(options))
    }
}

fn number(name: &str, text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|number| (1..=100_000_000).contains(number))
        .ok_or_else(|| format!("{name} is {text:?}, allowed are whole numbers from 1 to 100000000"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Option<Options>, String> {
        Options::parse(arguments.iter().map(ToString::to_string))
    }

    #[test]
    fn arguments_are_understood_or_named() {
        let options = parse(&["--keys", "5,32", "--csv", "a.csv"]).unwrap().unwrap();
        assert_eq!((options.keys, options.rounds), (vec![5, 32], 21));
        assert_eq!(options.csv, Some("a.csv".into()));
        assert_eq!(parse(&["--rounds", "3", "-h"]), Ok(None));
        let allowed = "allowed are whole numbers from 1 to 100000000";
        for (arguments, message) in [
            (&["--rounds"][..], "--rounds has no value".to_owned()),
            (&["--keys", "5,,6"], format!("--keys is \"\", {allowed}")),
            (&["--rounds", "0"], format!("--rounds is \"0\", {allowed}")),
            (&["all"], "no argument is called \"all\"".to_owned()),
        ] {
            assert_eq!(parse(arguments), Err(message));
        }
    }
}
