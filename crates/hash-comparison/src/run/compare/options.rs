//! The options of a comparison, checked before anything is measured.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::functions::{self, Function};
use crate::keys::DEFAULT_SEED;
use crate::program::typed;
use crate::questions::files::{MAX_DATASETS, MAX_FUNCTIONS};
use crate::record::{FunctionSummary, Request};
use crate::{keys, names};
use records::error::Error;

/// The options of a comparison.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// An embedded dataset; may be given several times [default: all, or none with --keys]
    #[arg(long = "dataset", value_name = "NAME")]
    pub datasets: Vec<String>,

    /// A function, or a group of them: published, anchors or variants; may be given several times
    #[arg(long = "function", value_name = "NAME")]
    pub functions: Vec<String>,

    /// Measure every function; charts and lists fold those that are not named
    #[arg(long)]
    pub all: bool,

    /// A file of your own keys, one per line; may be given several times
    ///
    /// A key is the bytes of a line without its end (LF or CR LF). An empty line is the empty key; duplicate lines are counted
    /// and dropped. The dataset is named after the file, without its extension.
    #[arg(long = "keys", value_name = "FILE")]
    pub keys: Vec<PathBuf>,

    /// Seed of every random choice, from 0 to 2^64 - 1
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED, value_parser = seed, allow_negative_numbers = true)]
    pub seed: u64,

    /// Take fewer timing samples; all other results are the same
    #[arg(long)]
    pub quick: bool,

    /// User-defined functions ([`Function::custom`]), measured after the others.
    #[arg(skip)]
    pub own: Vec<Function>,

    /// The request. The function in use today is measured even if it was not chosen.
    #[arg(skip)]
    pub request: Request,

    /// The command line that repeats the run.
    #[arg(skip = typed())]
    pub command: String,

    /// The commit of the workspace, for its own command.
    #[arg(skip)]
    pub commit: Option<String>,
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("must be a whole number between 0 and {}", u64::MAX))
}

impl Default for Options {
    fn default() -> Self {
        Self {
            datasets: Vec::new(),
            keys: Vec::new(),
            functions: Vec::new(),
            all: false,
            own: Vec::new(),
            seed: DEFAULT_SEED,
            quick: false,
            request: Request::default(),
            command: typed(),
            commit: None,
        }
    }
}

/// The datasets and functions that the options stand for, each once.
#[derive(Debug)]
pub struct Chosen {
    pub(super) datasets: Vec<String>,
    pub(super) functions: Vec<Function>,
    pub(super) summaries: Vec<FunctionSummary>,
    pub(super) request: Request,
}

impl Options {
    /// Looks up the names, and checks custom functions and the dataset names of the key files.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is unknown, two datasets or functions would have the same name, a function breaks the
    /// rules of [`Function::custom`], or there are too many datasets or functions for one report.
    pub fn check(&self) -> Result<Chosen, Error> {
        let mut datasets: Vec<String> = Vec::new();
        for name in &self.datasets {
            let mut known = keys::embedded_names();
            let known = known.find(|known| known.eq_ignore_ascii_case(name));
            datasets.push(
                known
                    .ok_or_else(|| names::unknown("dataset", name, keys::embedded_names()))?
                    .to_owned(),
            );
        }
        if self.datasets.is_empty() && self.keys.is_empty() {
            datasets.extend(keys::embedded_names().map(str::to_owned));
        }
        let mut seen = HashSet::new();
        datasets.retain(|name| seen.insert(name.clone()));
        let count = datasets.len() + self.keys.len();
        if count > MAX_DATASETS {
            return Err(Error::input(format!(
                "a run must have at most {MAX_DATASETS} datasets and key files, got {count}: make several runs"
            )));
        }
        keys::file_names(&self.keys)?;

        let is_among = |all: &[Function], name: &str| all.iter().any(|one| one.name == name);
        let mut named: Vec<Function> = Vec::new();
        for name in &self.functions {
            named.extend(functions::select(name)?);
        }
        if named.is_empty() {
            named.extend(functions::default_set());
        }
        let mut seen = HashSet::new();
        named.retain(|function| seen.insert(function.name));
        let mut functions = if self.all {
            functions::all().to_vec()
        } else {
            named.clone()
        };
        for function in &self.own {
            function.check_custom()?;
            let same = |other: &&Function| other.name.eq_ignore_ascii_case(function.name);
            if let Some(other) = functions.iter().find(same) {
                return Err(other.has_the_name(function.name));
            }
            functions.push(*function);
            named.push(*function);
        }
        let mut request = self.request.clone();
        if let Some(mine) = &mut request.mine {
            let own = self.own.iter().find(|one| one.name.eq_ignore_ascii_case(mine));
            let function = *own.map_or_else(|| functions::find(mine), Ok)?;
            if !is_among(&functions, function.name) {
                functions.push(function);
            }
            named.push(function);
            function.name.clone_into(mine);
        }
        let count = functions.len();
        if count > MAX_FUNCTIONS {
            return Err(Error::input(format!(
                "a run must have at most {MAX_FUNCTIONS} functions, got {count}: name the built-in ones that you need"
            )));
        }
        let summary = |function: &Function| FunctionSummary {
            folded: !is_among(&named, function.name),
            ..function.summary()
        };
        Ok(Chosen {
            datasets,
            summaries: functions.iter().map(summary).collect(),
            functions,
            request,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::error::ErrorKind;

    fn options(datasets: &[&str], functions: &[&str], keys: &[&str]) -> Options {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Options {
            datasets: owned(datasets),
            functions: owned(functions),
            keys: keys.iter().map(PathBuf::from).collect(),
            ..Options::default()
        }
    }

    #[test]
    fn names_are_taken_once_and_in_any_case_and_own_keys_stand_instead_of_embedded_ones() {
        let anchors_and_variants = functions::all().len() - 17;
        for (options, counts) in [
            (
                options(&["VIDEO-ids", "video-ids"], &["xxh3", "XXH3-64", "crc-32"], &[]),
                [1, 2],
            ),
            (options(&[], &["xxh3"], &["my keys.txt"]), [0, 1]),
            (options(&["video-ids"], &[], &["a"]), [1, 25]),
            (options(&[], &["PUBLISHED"], &[]), [3, 17]),
            (
                options(&[], &["XXH3", "Anchors", "variants"], &["a"]),
                [0, anchors_and_variants],
            ),
        ] {
            let chosen = options.check().unwrap();
            assert_eq!([chosen.datasets.len(), chosen.functions.len()], counts);
            assert!(chosen.summaries.iter().all(|one| !one.folded));
        }
    }

    #[test]
    fn all_functions_are_taken_and_those_that_nobody_named_are_folded() {
        let request = Request {
            mine: Some("pjw".to_owned()),
            ..Request::default()
        };
        let shown = |options: Options| -> Vec<String> {
            let chosen = Options { all: true, ..options }.check().unwrap();
            assert_eq!(chosen.functions.len(), functions::all().len());
            let shown = chosen.summaries.into_iter().filter(|one| !one.folded);
            shown.map(|one| one.name).collect()
        };
        let named = options(&[], &["crc-32"], &[]);
        assert_eq!(shown(Options { request, ..named }), ["PJW", "CRC-32"]);
        assert_eq!(shown(Options::default()).len(), functions::default_set().count());
    }

    #[test]
    fn custom_functions_have_names_of_their_own_and_no_list_is_too_long() {
        let with = |own: &[&'static str]| {
            let function = |&name: &&'static str| Function::custom(name, 32, |_| 0, &[]);
            let own = own.iter().map(function).collect();
            let options = options(&[], &["XXH3"], &[]);
            Options { own, ..options }.check()
        };
        assert_eq!(with(&["Mine", "Yours"]).unwrap().functions.len(), 3);
        let names = (0..=MAX_DATASETS).map(|index| &*Box::leak(format!("F{index}").into_boxed_str()));
        let names: Vec<&'static str> = names.collect();
        assert!(with(&names[1..MAX_FUNCTIONS]).is_ok());
        assert!(options(&[], &[], &names[..MAX_DATASETS]).check().is_ok());
        for (refused, expected) in [
            (with(&["xxh3"]), "taken by"),
            (with(&["Mine", "MINE"]), "taken by"),
            (with(&names[..MAX_FUNCTIONS]), "at most 64 functions, got 65"),
            (
                options(&[], &[], &names).check(),
                "64 datasets and key files, got 65",
            ),
        ] {
            let error = refused.unwrap_err();
            let is_told = error.to_string().contains(expected);
            assert!(error.kind() == ErrorKind::Input && is_told, "{error}");
        }
    }
}
