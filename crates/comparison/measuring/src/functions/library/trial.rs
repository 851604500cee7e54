//! The trial of a function in a process of its own, which the library may end or keep.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::process::{self, Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use super::super::verify::{LONG_KEY, lengths};
use super::symbol::Symbol;
use terminal::bar::Terminal;
use terminal::failure::Failure;
use terminal::number::counted;
use terminal::progress::go_on;
use terminal::system;

/// The bytes of stack of the threads that call functions: the trial's, and the workers of a run.
pub const STACK: usize = 2 << 20;
/// The time that a trial may take.
const LIMIT: Duration = Duration::from_secs(10);
/// The time between two looks for its end and for Ctrl-C.
const PAUSE: Duration = Duration::from_millis(10);

/// The values of a key at two places.
type Values = [u64; 2];
/// The bytes of the values of a key.
const SIZE: usize = size_of::<Values>();

/// Returns the values of keys of each length. The second place is at an odd address, between other bytes than the first.
pub(super) fn values(hash: fn(&[u8]) -> u64) -> impl Iterator<Item = Values> {
    let mut copy = vec![0xff; LONG_KEY.len() + 2];
    lengths().map(move |length| {
        let key = &LONG_KEY[..length];
        copy[1..=length].copy_from_slice(key);
        [hash(key), hash(&copy[1..=length])]
    })
}

/// Calls the function in this process, and writes its values to the file that is standard input.
///
/// # Errors
///
/// Returns an error of the system.
pub fn try_out(symbol: &Symbol) -> Result<(), Failure> {
    let results = results()?;
    // The program that waits for this process ends it earlier, unless it was killed.
    thread::spawn(|| {
        thread::sleep(2 * LIMIT);
        process::abort();
    });
    let symbol = symbol.clone();
    let worker = thread::Builder::new().stack_size(STACK);
    let worker = worker.spawn(move || write(&symbol, results))?;
    Ok(worker.join().map_err(|_| Failure::Checked)??)
}

#[cfg(unix)]
fn results() -> io::Result<File> {
    use std::os::fd::AsFd as _;

    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

#[cfg(windows)]
fn results() -> io::Result<File> {
    use std::os::windows::io::AsHandle as _;

    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}

/// Writes whether the library opens, then the values of each key as soon as they are known.
fn write(symbol: &Symbol, mut results: File) -> io::Result<()> {
    let hash = symbol.open();
    results.write_all(&[u8::from(hash.is_ok())])?;
    let process = process::id();
    for values in hash.into_iter().flat_map(values) {
        results.write_all(values.map(u64::to_le_bytes).as_flattened())?;
        // A function that forks returns in two processes. What the second has written shows that.
        if process::id() != process {
            process::abort();
        }
    }
    Ok(())
}

/// Tries the function out in another process, which shares standard error, since what ends a process often says why there. Returns
/// the values of its keys.
pub(super) fn of(symbol: &Symbol, terminal: &Terminal) -> Result<Vec<Values>, Failure> {
    let failed = |error: io::Error| symbol.error(&format!("cannot be tried out: {}", system::text(&error)));
    let mut results = tempfile::tempfile().map_err(failed)?;
    // The library may print, so its values have a file of their own.
    let child = Command::new(std::env::current_exe().map_err(failed)?)
        .args(["try-out", "--", &symbol.text])
        .stdin(results.try_clone().map_err(failed)?)
        .stdout(Stdio::null())
        .spawn();
    let status = Process(child.map_err(failed)?).end(terminal)?.map_err(failed)?;
    let most = 1 + SIZE * (lengths().count() + 1);
    let mut bytes = Vec::new();
    results.rewind().map_err(failed)?;
    results
        .take(most as u64)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    judged(symbol, status, &bytes).map_err(|why| symbol.error(&why))
}

/// A process that does not outlive its value.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    /// Waits for the end of the process. Returns `None` after the time limit, and an error after Ctrl-C.
    fn end(mut self, terminal: &Terminal) -> Result<io::Result<Option<ExitStatus>>, Failure> {
        for _ in 0..LIMIT.as_millis() / PAUSE.as_millis() {
            let status = self.0.try_wait();
            go_on(terminal)?;
            if !matches!(status, Ok(None)) {
                return Ok(status);
            }
            thread::sleep(PAUSE);
        }
        Ok(Ok(None))
    }
}

/// Returns the values that a trial has written, if it called the function with all keys and ended well.
fn judged(symbol: &Symbol, status: Option<ExitStatus>, bytes: &[u8]) -> Result<Vec<Values>, String> {
    let end = match status {
        Some(status) => format!("ended with {status}"),
        None => format!("was still running {} s after the start", LIMIT.as_secs()),
    };
    let values = match bytes.split_first() {
        None => return Err(format!("the library must open: it {end}")),
        // It fails again, with its reason.
        Some((0, _)) => {
            let why = symbol.open().err();
            return Err(why.unwrap_or_else(|| "opened only once".to_owned()));
        }
        Some((_, values)) => values.as_chunks::<SIZE>().0,
    };
    let (numbers, _) = values.as_flattened().as_chunks();
    let numbers: Vec<u64> = numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    let values = numbers.as_chunks::<2>().0.to_vec();
    let refused = |rule: &str, at: usize, what: &str| {
        Err(match lengths().nth(at) {
            Some(length) => {
                let key = counted(length as u64, "byte");
                format!("the function must {rule}: on a key of {key} it {what}")
            }
            None => format!("the library must close: after the last key it {what}"),
        })
    };
    if let Some(at) = values.iter().position(|[one, other]| one != other) {
        return refused("return one value for one key", at, "returned two");
    }
    if values.len() > lengths().count() {
        return Err(
            "the function must return once for each key, got more values: it must not fork".to_owned(),
        );
    }
    if status.is_some_and(|status| status.success()) && values.len() == lengths().count() {
        return Ok(values);
    }
    refused("return", values.len(), &end)
}
