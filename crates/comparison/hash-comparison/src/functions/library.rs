//! Functions of one's own in any language: symbols of shared libraries with C's calling convention.

mod ffi;
mod trial;
mod watch;

use std::path::Path;
use std::str::FromStr;

pub use self::trial::{STACK, TimeOf, try_out};
use super::{Function, called, verify};
use records::error::Error;
use terminal::bar::Terminal;
use terminal::number::significant;
use terminal::progress::{Progress as _, go_on};
use terminal::system;

/// The nanoseconds of a call from which on a function is slow: with ten million keys, a loop would take seconds.
const SLOW: f64 = 100.0;
/// The nanoseconds of a call from which on a run takes minutes.
const VERY_SLOW: f64 = 1e4;
/// The calls of a quick run on a handful of keys, as a function that counted them found.
const FEWEST_CALLS: f64 = 4.5e6;

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

/// Tries each function out in a process of its own, then loads it.
///
/// # Errors
///
/// Returns an error if a library or a symbol is missing, if the library or the function ends its process or does not return, if
/// the function accesses other memory than its key, writes into it, returns two values for one key, or more bits than it has, and
/// after Ctrl-C.
pub fn load(symbols: &[Symbol], terminal: &Terminal) -> Result<Vec<Function>, Error> {
    if symbols.is_empty() {
        return Ok(Vec::new());
    }
    ffi::stop_by(terminal.interrupt.flag());
    watch::start(symbols, terminal.interrupt.flag());
    let mut functions: Vec<Function> = Vec::new();
    for symbol in symbols {
        let nanoseconds = trial::of(symbol, terminal)?;
        let function = symbol.load(&functions, nanoseconds >= SLOW);
        go_on(terminal)?;
        functions.push(function.map_err(|why| symbol.error(&why))?);
    }
    Ok(functions)
}

impl Symbol {
    fn error(&self, why: &str) -> Error {
        Error::input(format!("--own {}: {why}", self.text))
    }

    /// Prints how long a run will take at least, if a call takes so long that it matters.
    fn warn(&self, nanoseconds: f64, terminal: &Terminal) {
        if nanoseconds >= VERY_SLOW {
            terminal.note(&format!(
                "--own {}: a call takes {} ms with a key of 16 bytes; a run makes at least {} million calls, which take {} \
                 minutes of a processor; Ctrl-C stops it",
                self.text,
                significant(nanoseconds / 1e6, 2),
                FEWEST_CALLS / 1e6,
                significant(nanoseconds * FEWEST_CALLS / 60e9, 2),
            ));
        }
    }

    fn open(&self, is_slow: bool) -> Result<fn(&[u8]) -> u64, String> {
        // Without a folder, the system would look for the library elsewhere.
        let file = Path::new(&self.file).canonicalize();
        let file = file.map_err(|error| format!("{}; check the path", system::text(&error)))?;
        ffi::load(&file, &self.name, self.takes_seed, is_slow)
    }

    fn load(&self, earlier: &[Function], is_slow: bool) -> Result<Function, String> {
        let hash = self.open(is_slow)?;
        let file = Path::new(&self.file).file_name().unwrap_or_default().display();
        let is_taken = called(&self.name).is_some() || earlier.iter().any(|one| one.facts.name == self.name);
        let name = if is_taken {
            format!("{} of {file}", self.name)
        } else {
            self.name.clone()
        };
        let mut function = Function::custom(name, self.bits, hash, &[]);
        function.facts.origin = format!("your own, of {file}");
        function.facts.seed = self.takes_seed.then(|| "0".to_owned());
        verify::check(&function).map(|()| function)
    }
}
