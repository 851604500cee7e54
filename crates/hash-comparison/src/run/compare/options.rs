//! The options of a comparison, checked before anything is measured.

use std::path::PathBuf;

use crate::functions::{self, Function};
use crate::questions::files::{MAX_DATASETS, MAX_FUNCTIONS};
use crate::record::{FunctionSummary, Request};
use crate::{keys, names};
use records::error::Error;

/// The checked options of a comparison.
#[derive(Debug, Clone)]
pub struct Options {
    pub(super) datasets: Vec<String>,
    pub(super) keys: Vec<PathBuf>,
    pub(super) functions: Vec<Function>,
    /// Names of functions that nobody requested one by one.
    folded: Vec<&'static str>,
    pub(super) seed: u64,
    pub(super) quick: bool,
    pub(super) request: Request,
    pub(super) command: String,
}

impl Options {
    /// Looks up the names, in any case and each once, and checks the dataset names of the key files.
    ///
    /// The name of a group stands for all of its functions. Without functions, the run takes the
    /// [`default_set`](functions::default_set); without datasets and key files, all embedded datasets.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is unknown, two datasets would have the same name, or there are too many datasets.
    pub fn new(
        datasets: &[String],
        functions: &[String],
        keys: Vec<PathBuf>,
        seed: u64,
        quick: bool,
    ) -> Result<Self, Error> {
        let mut chosen: Vec<String> = Vec::new();
        for name in datasets {
            let known = keys::embedded_names()
                .find(|known| known.eq_ignore_ascii_case(name))
                .ok_or_else(|| names::unknown("dataset", name, keys::embedded_names()))?;
            if !chosen.iter().any(|other| other == known) {
                chosen.push(known.to_owned());
            }
        }
        if chosen.is_empty() && keys.is_empty() {
            chosen.extend(keys::embedded_names().map(str::to_owned));
        }
        let count = chosen.len() + keys.len();
        if count > MAX_DATASETS {
            return Err(Error::input(format!(
                "a run must have at most {MAX_DATASETS} datasets and key files, got {count}: make several runs"
            )));
        }
        keys::file_names(&keys)?;
        let mut wanted: Vec<Function> = Vec::new();
        for name in functions {
            for &function in &functions::select(name)? {
                if !wanted.iter().any(|other| other.name == function.name) {
                    wanted.push(*function);
                }
            }
        }
        if wanted.is_empty() {
            wanted.extend(functions::default_set().copied());
        }

        Ok(Self {
            datasets: chosen,
            keys,
            functions: wanted,
            folded: Vec::new(),
            seed,
            quick,
            request: Request::default(),
            command: "hash-comparison compare".to_owned(),
        })
    }

    /// Adds every built-in function. Charts and lists fold the functions that nobody named.
    #[must_use]
    pub fn with_all(mut self) -> Self {
        let is_new = |name: &&str| !self.functions.iter().any(|one| one.name == *name);
        self.folded = functions::all()
            .iter()
            .map(|one| one.name)
            .filter(is_new)
            .collect();
        self.functions = functions::all().to_vec();
        self
    }

    /// Returns the records' entries for the functions.
    pub(super) fn summaries(&self) -> Vec<FunctionSummary> {
        let summary = |function: &Function| FunctionSummary {
            folded: self.folded.contains(&function.name),
            ..function.summary()
        };
        self.functions.iter().map(summary).collect()
    }

    /// Adds user-defined functions, measured after the others.
    ///
    /// # Errors
    ///
    /// Returns an error if a function breaks the rules of [`Function::custom`], if two functions of the run would have
    /// the same name in any case, or if there are too many for one report.
    pub fn with_own(mut self, own: &[Function]) -> Result<Self, Error> {
        for function in own {
            function.check_custom()?;
            let same = |other: &&Function| other.name.eq_ignore_ascii_case(function.name);
            if let Some(other) = self.functions.iter().find(same) {
                return Err(other.has_the_name(function.name));
            }
            self.functions.push(*function);
        }
        self.check_count()?;
        Ok(self)
    }

    /// Sets the request. The function in use today, `request.mine`, is measured even if it was not chosen; its name is
    /// accepted in any case.
    ///
    /// # Errors
    ///
    /// Returns an error if no function has that name, or if there are too many functions for one report.
    pub fn with_request(mut self, mut request: Request) -> Result<Self, Error> {
        if let Some(mine) = &mut request.mine {
            let same = |function: &&Function| function.name.eq_ignore_ascii_case(mine);
            let function = match self.functions.iter().find(same) {
                Some(function) => *function,
                None => *functions::find(mine)?,
            };
            if !self.functions.iter().any(|other| other.name == function.name) {
                self.functions.push(function);
                self.check_count()?;
            }
            self.folded.retain(|name| *name != function.name);
            function.name.clone_into(mine);
        }
        self.request = request;
        Ok(self)
    }

    fn check_count(&self) -> Result<(), Error> {
        let count = self.functions.len();
        if count > MAX_FUNCTIONS {
            return Err(Error::input(format!(
                "a run must have at most {MAX_FUNCTIONS} functions, got {count}: name the built-in ones that you need"
            )));
        }
        Ok(())
    }

    /// Sets the command line that repeats the run.
    #[must_use]
    pub fn with_command(mut self, command: String) -> Self {
        self.command = command;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::error::ErrorKind;

    fn options(datasets: &[&str], functions: &[&str], keys: &[&str]) -> Result<Options, Error> {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let keys = keys.iter().map(PathBuf::from).collect();
        Options::new(&owned(datasets), &owned(functions), keys, 7, true)
    }

    #[test]
    fn names_are_taken_once_and_in_any_case_and_own_keys_stand_instead_of_embedded_ones() {
        type Case = (
            &'static [&'static str],
            &'static [&'static str],
            &'static [&'static str],
        );
        // Datasets, functions and keys; the numbers of datasets and functions.
        let cases: [(Case, [usize; 2]); 6] = [
            (
                (&["VIDEO-ids", "video-ids"], &["xxh3", "XXH3-64", "crc-32"], &[]),
                [1, 2],
            ),
            ((&[], &["xxh3"], &["my keys.txt"]), [0, 1]),
            ((&["video-ids"], &[], &["a"]), [1, 25]),
            ((&[], &[], &["a"]), [0, 25]),
            (
                (&[], &["XXH3", "Anchors", "crc-32", "variants"], &["a"]),
                [0, functions::all().len() - 17],
            ),
            ((&[], &["PUBLISHED"], &["a"]), [0, 17]),
        ];
        for ((datasets, functions, keys), counts) in cases {
            let options = options(datasets, functions, keys).unwrap();
            assert_eq!(
                [options.datasets.len(), options.functions.len()],
                counts,
                "{datasets:?} {functions:?}"
            );
        }
        let all = options(&[], &[], &[]).unwrap();
        assert!(all.datasets.iter().eq(keys::embedded_names()));
    }

    #[test]
    fn all_functions_are_taken_and_those_that_nobody_named_are_folded() {
        let request = Request {
            mine: Some("pjw".to_owned()),
            ..Request::default()
        };
        let shown = |options: &Options| -> Vec<String> {
            let summaries = options.summaries();
            assert_eq!(summaries.len(), functions::all().len());
            let shown = summaries.into_iter().filter(|one| !one.folded);
            shown.map(|one| one.name).collect()
        };
        let all = options(&[], &["crc-32"], &[]).unwrap().with_all();
        let all = all.with_request(request).unwrap();
        assert_eq!(shown(&all), ["PJW", "CRC-32"]);
        let default = options(&[], &[], &[]).unwrap().with_all();
        assert_eq!(shown(&default).len(), functions::default_set().count());
    }

    #[test]
    fn custom_functions_have_names_of_their_own_and_no_list_is_too_long() {
        let own = |name| Function {
            name,
            ..*functions::find("CRC-32").unwrap()
        };
        let with = |own: &[Function]| options(&[], &["XXH3"], &[]).unwrap().with_own(own);
        assert_eq!(with(&[own("Mine"), own("Yours")]).unwrap().functions.len(), 3);
        let names: Vec<&'static str> = (0..=MAX_DATASETS.max(MAX_FUNCTIONS))
            .map(|index| &*Box::leak(format!("F{index}").into_boxed_str()))
            .collect();
        let many: Vec<Function> = names.iter().copied().map(own).collect();
        assert!(with(&many[1..MAX_FUNCTIONS]).is_ok());
        assert!(options(&[], &[], &names[..MAX_DATASETS]).is_ok());
        for (refused, expected) in [
            (with(&[own("xxh3")]), "taken by"),
            (with(&[own("Mine"), own("MINE")]), "taken by"),
            (
                with(&many[..MAX_FUNCTIONS]),
                "a run must have at most 64 functions, got 65",
            ),
            (
                options(&[], &[], &names[..=MAX_DATASETS]),
                "64 datasets and key files, got 65",
            ),
        ] {
            let error = refused.unwrap_err();
            assert!(
                error.kind() == ErrorKind::Input && error.to_string().contains(expected),
                "{error}"
            );
        }
    }
}
