//! What the examples have in common that read keys from standard input and write filters to files.

pub(crate) mod lines;
pub(crate) mod output;

use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use guava_bloom::Strategy;

/// How bit positions follow from the hash.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Mitz {
    /// MURMUR128_MITZ_32, of Guava before version 17.
    Mitz32,
    /// MURMUR128_MITZ_64, Guava's default.
    Mitz64,
}

impl From<Mitz> for Strategy {
    fn from(mitz: Mitz) -> Self {
        match mitz {
            Mitz::Mitz32 => Self::Murmur128Mitz32,
            Mitz::Mitz64 => Self::Murmur128Mitz64,
        }
    }
}

/// Why a program ends early.
pub(crate) enum Failure {
    /// The arguments, the keys or a file are wrong.
    Input(String),
    /// The program could not write what it should.
    Output(String),
}

impl Failure {
    /// Something is wrong with what the program was given.
    pub(crate) fn of_input(error: impl Display) -> Self {
        Self::Input(error.to_string())
    }

    /// Something is wrong with this file, which the program was given.
    pub(crate) fn of_file(path: &Path, error: impl Display) -> Self {
        Self::Input(format!("{}: {error}", path.display()))
    }
}

/// Says on standard error what went wrong. The exit code: 2 where the input is wrong, 1 where writing failed.
pub(crate) fn ended(result: Result<(), Failure>) -> ExitCode {
    let (message, code) = match result {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Input(message)) => (message, 2),
        Err(Failure::Output(message)) => (message, 1),
    };
    // Nobody is left to be told when standard error is closed.
    let _ = writeln!(io::stderr(), "error: {message}");
    ExitCode::from(code)
}
