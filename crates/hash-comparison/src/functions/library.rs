//! Functions of one's own in any language: symbols of shared libraries with C's calling convention.

mod ffi;

use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::Command;
use std::str::FromStr;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

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

/// The time that a trial may go without news.
const LIMIT: Duration = Duration::from_secs(5);
/// The most time for a short key. A million keys, each hashed some hundred times in a run, take hours at this rate.
const SLOWEST: Duration = Duration::from_micros(100);
/// The length of the keys whose fastest call is compared with it.
const SHORT: usize = 64;
/// The stack of the threads that hash in a run, which is that of Rust's threads.
const STACK: usize = 2 << 20;

/// What a trial reports, a byte each. Faults are reported by [`ffi::report_faults`].
mod news {
    /// The library is open.
    pub(super) const OPEN: u8 = b'o';
    /// It cannot be opened; a text follows.
    pub(super) const NOT_OPEN: u8 = b'n';
    /// A key has one value.
    pub(super) const KEY: u8 = b'.';
    /// A key has two values.
    pub(super) const DIFFERENT: u8 = b'd';
    /// The end; the nanoseconds of the fastest call with a short key follow.
    pub(super) const END: u8 = b'e';
    /// A fault beside the key, in the key, and beyond the stack.
    pub(super) const BESIDE: u8 = b'b';
    pub(super) const IN_KEY: u8 = b'k';
    pub(super) const STACK: u8 = b's';
}

/// Opens the library, and calls the function on keys at both ends of memory that is read-only, between pages that cannot be
/// read. Reports each step to the parent: what breaks a rule may end the process. `timed` returns the time of a call.
///
/// # Errors
///
/// Returns an error if the system refuses memory, a thread or the report.
pub fn try_out(symbol: Symbol, parent: u32, timed: fn(&mut dyn FnMut()) -> Duration) -> Result<(), Failure> {
    ffi::end_with(parent)?;
    let mut report = ffi::channel()?;
    let trial = move || -> io::Result<()> {
        let hash = match symbol.open() {
            Ok(hash) => hash,
            Err(why) => return report.write_all(&[&[news::NOT_OPEN], why.as_bytes()].concat()),
        };
        report.write_all(&[news::OPEN])?;
        let memory = ffi::guarded(LONG_KEY.len())?;
        ffi::report_faults(&report, memory, STACK)?;
        let (mut fastest, mut is_changed) = (Duration::MAX, false);
        for length in verify::lengths() {
            if length > SHORT && fastest > SLOWEST {
                break;
            }
            let end = memory.len() - length;
            let mut value = |start: usize, around: u8| -> io::Result<u64> {
                ffi::protect(memory, false)?;
                memory.fill(around);
                memory[start..start + length].copy_from_slice(&LONG_KEY[..length]);
                ffi::protect(memory, true)?;
                let mut value = 0;
                let took = timed(&mut || value = hash(&memory[start..start + length]));
                fastest = fastest.min(took);
                // Where memory cannot be read-only.
                is_changed |= memory[start..start + length] != LONG_KEY[..length];
                Ok(value)
            };
            let is_one = value(0, 0)? == value(end, 0xff)?;
            if is_changed {
                return report.write_all(&[news::IN_KEY]);
            }
            report.write_all(&[[news::DIFFERENT, news::KEY][usize::from(is_one)]])?;
            if !is_one {
                return Ok(());
            }
        }
        let nanoseconds = u64::try_from(fastest.as_nanos()).unwrap_or(u64::MAX);
        report.write_all(&[&[news::END], &nanoseconds.to_le_bytes()[..]].concat())
    };
    let worker = thread::Builder::new().stack_size(STACK).spawn(trial)?;
    Ok(worker
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("the trial panicked")))?)
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
        // Not before: a library may do anything when it is opened.
        self.is_tried_out().map_err(|error| system::text(&error))??;
        let hash = self.open()?;
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
        program.args(["try-out", &std::process::id().to_string(), "--", &self.text]);
        let (mut reader, writer) = io::pipe()?;
        // What the library prints is nobody's, and it reads nothing.
        let mut child = ffi::with_channel(&mut program, writer).spawn()?;
        drop(program);
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let mut part = [0; 64];
            while let Ok(len @ 1..) = reader.read(&mut part)
                && sender.send(part[..len].to_vec()).is_ok()
            {}
        });
        let mut news = Vec::new();
        let is_late = loop {
            match receiver.recv_timeout(LIMIT) {
                Ok(part) => news.extend(part),
                Err(error) => break error == RecvTimeoutError::Timeout,
            }
        };
        if is_late {
            child.kill()?;
        }
        let status = child.wait()?;
        let ended = match is_late {
            true => format!("it had not returned after {} seconds", LIMIT.as_secs()),
            false => format!("it ended with {status}"),
        };
        Ok(judge(&news, &ended))
    }
}

/// Judges a function by what its trial reported before it ended.
fn judge(news: &[u8], ended: &str) -> Result<(), String> {
    let Some((&news::OPEN, news)) = news.split_first() else {
        return Err(match news.strip_prefix(&[news::NOT_OPEN]) {
            Some(why) => String::from_utf8_lossy(why).into_owned(),
            None => format!("the library must open, and {ended}"),
        });
    };
    let keys = news.iter().take_while(|&&news| news == news::KEY).count();
    let on = format!(
        "on {} bytes",
        verify::lengths().nth(keys).unwrap_or(LONG_KEY.len())
    );
    Err(match &news[keys..] {
        [news::END, nanoseconds @ ..] => {
            let nanoseconds = nanoseconds.try_into().map_or(0, u64::from_le_bytes);
            let took = Duration::from_nanos(nanoseconds);
            if took <= SLOWEST {
                return Ok(());
            }
            format!(
                "the function must take at most {SLOWEST:?} for a key of up to {SHORT} bytes, and took {took:?}: one pass over a \
                 million keys would take {:.0} minutes",
                took.as_secs_f64() * 1e6 / 60.0
            )
        }
        [news::DIFFERENT, ..] => format!("the function must return one value for one key, got two {on}"),
        [news::BESIDE, ..] => {
            format!(
                "the function must not look past its key: {on} beside memory that cannot be read, {ended}"
            )
        }
        [news::IN_KEY, ..] => format!("the function must not write into its key: {on}, {ended}"),
        [news::STACK, ..] => {
            format!(
                "the function must need at most {} MiB of stack: {on}, {ended}",
                STACK >> 20
            )
        }
        _ => format!("the function must return: {on}, {ended}"),
    })
}
