//! A comparison as a call, for programs that measure functions of their own.

use std::path::{Path, PathBuf};

use records::bar::Terminal;
use records::failure::Failure;
use records::folder::Destination;

use crate::commands::written;
use crate::functions::Function;
use crate::program;
use crate::questions::Records;
use crate::questions::files::KIND;
use crate::run::compare::{self, Options};

/// A comparison of custom functions with built-in ones, on key files or embedded key sets.
///
/// ```no_run
/// use hash_comparison::{Comparison, Failure, Function};
///
/// fn sum(key: &[u8]) -> u64 {
///     key.iter().fold(0, |sum, &byte| sum.wrapping_add(byte.into()))
/// }
///
/// fn main() -> Result<(), Failure> {
///     let mine = Function::custom("Sum", 64, sum, &[(b"abc", 294)]);
///     let records = Comparison::new().function(mine).keys("my-keys.txt").run("my-report")?;
///     println!("{} rows of collisions", records.collisions.len());
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    options: Options,
}

impl Comparison {
    /// Makes a comparison of the default functions on all embedded key sets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a custom function.
    #[must_use]
    pub fn function(mut self, function: Function) -> Self {
        self.options.own.push(function);
        self
    }

    /// Compares with this built-in function, instead of the default ones; can be called repeatedly.
    #[must_use]
    pub fn built_in(mut self, name: impl Into<String>) -> Self {
        self.options.functions.push(name.into());
        self
    }

    /// Measures the keys of a file, one per line, instead of the embedded key sets; can be called repeatedly.
    #[must_use]
    pub fn keys(mut self, file: impl Into<PathBuf>) -> Self {
        self.options.keys.push(file.into());
        self
    }

    /// Measures this embedded key set, besides the files; can be called repeatedly.
    #[must_use]
    pub fn dataset(mut self, name: impl Into<String>) -> Self {
        self.options.datasets.push(name.into());
        self
    }

    /// Takes fewer timing samples. All other results are the same.
    #[must_use]
    pub const fn quick(mut self) -> Self {
        self.options.quick = true;
        self
    }

    /// Measures, writes the report to the folder `out`, and returns its records.
    ///
    /// `out` must be absent, empty, or the folder of an earlier run. Progress goes to standard error.
    ///
    /// # Errors
    ///
    /// [`Failure::Input`] for an unknown name, an unreadable key file, a custom function that breaks its known answers, or a
    /// folder with other files; [`Failure::Interrupted`] after Ctrl-C, when nothing was written.
    pub fn run(self, out: impl AsRef<Path>) -> Result<Records, Failure> {
        let options = Options {
            command: program::typed(),
            ..self.options
        };
        options.check()?;
        let terminal = Terminal::listen()?;
        let destination = Destination::check(out.as_ref(), &KIND)?;
        let mut records = compare::run(&options, &terminal)?;
        written::all(&mut records, destination, &terminal)?;
        Ok(records)
    }
}
