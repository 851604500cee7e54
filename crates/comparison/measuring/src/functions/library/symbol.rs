//! The name of a function of a shared library on the command line.

use std::path::Path;
use std::str::FromStr;

use terminal::bar::Terminal;
use terminal::failure::Failure;
use terminal::number::significant;
use terminal::progress::Progress as _;
use terminal::system;

use super::ffi;

/// The nanoseconds of a call from which on a run takes minutes.
const VERY_SLOW: f64 = 1e4;
/// The calls of a quick run on a handful of keys, as a function that counted them found.
const FEWEST_CALLS: f64 = 4.5e6;

/// A function of a shared library, as text `FILE:SYMBOL:BITS`, with `:seed` at the end if it takes a seed.
#[derive(Debug, Clone)]
pub struct Symbol {
    pub(super) text: String,
    pub(super) file: String,
    pub(super) name: String,
    pub(super) bits: u32,
    pub(super) takes_seed: bool,
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

impl Symbol {
    pub(super) fn error(&self, why: &str) -> Failure {
        Failure::input(format!("--own {}: {why}", self.text))
    }

    /// Prints how long a run will take at least, if a call takes so long that it matters.
    pub(super) fn warn(&self, nanoseconds: f64, terminal: &Terminal) {
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

    pub(super) fn open(&self) -> Result<fn(&[u8]) -> u64, String> {
        // Without a folder, the system would look for the library elsewhere.
        let file = Path::new(&self.file).canonicalize();
        let file = file.map_err(|error| format!("{}; check the path", system::text(&error)))?;
        ffi::load(&file, &self.name, self.takes_seed)
    }
}
