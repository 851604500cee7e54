//! The command line.

use std::path::PathBuf;

/// Up to how many keys a filter has [`ROUNDS`], and above that [`ROUNDS_OF_LARGE`], which take long enough.
const SMALL: usize = 1_000_000;
const ROUNDS: usize = 21;
const ROUNDS_OF_LARGE: usize = 7;

/// How much is measured.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) keys: Vec<usize>,
    rounds: Option<usize>,
    pub(crate) csv: Option<PathBuf>,
}

impl Options {
    /// With these keys where the arguments name none. `None` asks for the usage.
    ///
    /// # Errors
    ///
    /// What is wrong with the arguments.
    pub(crate) fn parse(
        mut arguments: impl Iterator<Item = String>,
        keys: &[usize],
    ) -> Result<Option<Self>, String> {
        let mut options = Self {
            keys: keys.to_vec(),
            rounds: None,
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
                "--rounds" => options.rounds = Some(number(&name, &{ value }()?)?),
                "--csv" => options.csv = Some({ value }()?.into()),
                _ => return Err(format!("no argument is called {name:?}")),
            }
        }
        Ok(Some(options))
    }

    /// The rounds of filters of so many keys.
    pub(crate) fn rounds(&self, size: usize) -> usize {
        let usual = if size > SMALL { ROUNDS_OF_LARGE } else { ROUNDS };
        self.rounds.unwrap_or(usual)
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
        Options::parse(arguments.iter().map(ToString::to_string), &[7])
    }

    #[test]
    fn arguments_are_understood_or_named() {
        let options = parse(&["--keys", "5,32", "--csv", "a.csv"]).unwrap().unwrap();
        assert_eq!(options.keys, [5, 32]);
        assert_eq!((options.rounds(32), options.rounds(20_000_000)), (21, 7));
        assert_eq!(options.csv, Some("a.csv".into()));
        let options = parse(&["--rounds", "3"]).unwrap().unwrap();
        assert_eq!((options.keys.as_slice(), options.rounds(1 << 30)), (&[7][..], 3));
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
