//! Functions of one's own in any language: symbols of shared libraries with C's calling convention.

mod ffi;

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;

use super::verify::{self, LONG_KEY};
use super::{Function, find};
use records::error::Error;
use records::failure::Failure;
use records::system;

/// A function of a shared library, as text `FILE:SYMBOL:BITS`, with `:seed` at the end if it takes a seed.
#[derive(Debug, Clone)]
pub struct Symbol {
    text: String,
    file: String,
    name: String,
    bits: u32,
    takes_seed: bool,
}

impl FromStr for Symbol {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let without = text.strip_suffix(":seed");
        let parts: Vec<&str> = without.unwrap_or(text).rsplitn(3, ':').collect();
        let [bits, name, file] = *parts.as_slice() else {
            return Err("must be FILE:SYMBOL:BITS or FILE:SYMBOL:BITS:seed".to_owned());
        };
        let number = bits.parse().ok().filter(|bits| (8..=64).contains(bits));
        Ok(Self {
            text: text.to_owned(),
            file: file.to_owned(),
            name: name.to_owned(),
            bits: number.ok_or_else(|| format!("BITS must be between 8 and 64, got {bits:?}"))?,
            takes_seed: without.is_some(),
        })
    }
}

/// Loads the functions, and tries each out.
///
/// # Errors
///
/// Returns an error if a library or a symbol is missing, or if a function reads other memory than its key, returns two values for
/// one key, or more bits than it has.
pub fn load(symbols: &[Symbol]) -> Result<Vec<Function>, Error> {
    let mut functions: Vec<Function> = Vec::new();
    for symbol in symbols {
        let function = symbol.load(&functions).map_err(|why| symbol.error(why))?;
        functions.push(function);
    }
    Ok(functions)
}

/// Calls a function on keys at both ends of memory between pages that cannot be read. Prints a byte after each key that it
/// hashes alike in both places: a function that reads beyond its key ends the process.
///
/// # Errors
///
/// Returns an error for a library or symbol that is missing, and for two values of one key.
pub fn try_out(symbol: &Symbol) -> Result<(), Failure> {
    let hash = symbol.open().map_err(|why| symbol.error(why))?;
    let memory = ffi::guarded(LONG_KEY.len())?;
    for length in verify::lengths() {
        let end = memory.len() - length;
        let mut value = |start: usize, around: u8| {
            memory.fill(around);
            memory[start..start + length].copy_from_slice(&LONG_KEY[..length]);
            hash(&memory[start..start + length])
        };
        if value(0, 0) != value(end, 0xff) {
            return Err(Failure::Checked);
        }
        io::stdout().write_all(b".").and_then(|()| io::stdout().flush())?;
    }
    Ok(())
}

impl Symbol {
    fn error(&self, why: String) -> Error {
        Error::input(format!("--own {}: {why}", self.text))
    }

    fn open(&self) -> Result<fn(&[u8]) -> u64, String> {
        // Without a folder, the system would look for the library elsewhere.
        let file = Path::new(&self.file).canonicalize();
        let file = file.map_err(|error| format!("{}; check the path", system::text(&error)))?;
        ffi::load(&file, &self.name, self.takes_seed)
    }

    fn load(&self, earlier: &[Function]) -> Result<Function, String> {
        let hash = self.open()?;
        self.is_tried_out().map_err(|error| system::text(&error))??;
        let file = Path::new(&self.file).file_name().unwrap_or_default().display();
        let is_taken = find(&self.name).is_ok() || earlier.iter().any(|one| one.name == self.name);
        let name = if is_taken {
            format!("{} of {file}", self.name)
        } else {
            self.name.clone()
        };
        let function = Function {
            origin: format!("your own, of {file}").leak(),
            seed: self.takes_seed.then_some("0"),
            ..Function::custom(name.leak(), self.bits, hash, &[])
        };
        verify::check(&function).map(|()| function)
    }

    /// Tries the function out in another process, which it may end.
    fn is_tried_out(&self) -> io::Result<Result<(), String>> {
        let mut program = Command::new(std::env::current_exe()?);
        program.args(["try-out", "--", &self.text]).stdin(Stdio::null());
        let output = program.output()?;
        let Some(length) = verify::lengths().nth(output.stdout.len()) else {
            return Ok(Ok(()));
        };
        Ok(Err(match output.status.code() {
            Some(1) => format!("the function must return one value for one key, got two for {length} bytes"),
            _ => format!(
                "the function must not look past its key: on {length} bytes beside memory that cannot be read, it ended with \
                 {}",
                output.status
            ),
        }))
    }
}
