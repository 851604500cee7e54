//! The trial of a function in a process of its own, which the library may end. Results have a pipe of their own: the library
//! may print.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::super::verify::{LONG_KEY, lengths};
use super::ffi;
use super::symbol::Symbol;
use terminal::bar::Terminal;
use terminal::failure::Failure;
use terminal::number::counted;
use terminal::progress::go_on;
use terminal::system;

/// The bytes of stack of the threads that call functions: the trial's, and the workers of a run.
pub const STACK: usize = 2 << 20;
/// The time that the opening of a library, or the calls with keys of one length, may take.
const STEP: Duration = Duration::from_secs(5);
/// The time that a trial may take. The process ends then even if the program that waits for it has ended.
const TRIAL: Duration = Duration::from_secs(60);
/// The time between two looks for Ctrl-C.
const PAUSE: Duration = Duration::from_millis(50);
/// The length of the keys of the time of a call.
const TIMED: usize = 16;

/// What a value of the pipe is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Tag {
    Opening,
    CannotOpen,
    /// The first address of the memory with the keys.
    Start,
    /// The address after that memory.
    End,
    /// An address on the stack of the calls.
    Stack,
    /// The length of the keys of the next calls.
    Length,
    Nanoseconds,
    /// The address of an access that ends the process.
    Fault,
    Wrote,
    TwoValues,
    TooLong,
    /// The end, with the digest of all values.
    Done,
}

use Tag::*;
const TAGS: [Tag; 12] = [
    Opening,
    CannotOpen,
    Start,
    End,
    Stack,
    Length,
    Nanoseconds,
    Fault,
    Wrote,
    TwoValues,
    TooLong,
    Done,
];

fn send(mut results: &File, tag: Tag, value: u64) -> io::Result<()> {
    let mut bytes = [tag as u8; 9];
    bytes[1..].copy_from_slice(&value.to_le_bytes());
    results.write_all(&bytes)
}

/// Returns the nanoseconds of a call of a function with a key.
pub type TimeOf = fn(key: &[u8], hash: fn(&[u8]) -> u64) -> f64;

/// Tries a function out in this process, which writes the results to the pipe that is its standard input.
///
/// # Errors
///
/// Returns an error of the system.
pub fn try_out(symbol: &Symbol, time_of: TimeOf) -> Result<(), Failure> {
    let results = results()?;
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(io::Error::from)?;
    // If the parent ended before, nobody reads this, and it fails.
    send(&results, Opening, 0)?;
    let (symbol, pipe) = (symbol.clone(), results.try_clone()?);
    let (running, end) = mpsc::channel::<()>();
    let worker = move || {
        let _running = running;
        call(&symbol, time_of, &pipe)
    };
    let worker = thread::Builder::new().stack_size(STACK).spawn(worker)?;
    if end.recv_timeout(TRIAL) == Err(RecvTimeoutError::Timeout) {
        // Nobody may be there to read it.
        let _ = send(&results, TooLong, 0);
        std::process::abort();
    }
    Ok(worker.join().map_err(|_| Failure::Checked)??)
}

/// Moves the pipe away from standard input, which the library may read.
#[cfg(unix)]
fn results() -> io::Result<File> {
    use std::os::fd::AsFd as _;

    let results = io::stdin().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(results.into())
}

#[cfg(windows)]
fn results() -> io::Result<File> {
    use std::os::windows::io::AsHandle as _;

    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}

/// Opens the library, and calls the function on keys at both ends of memory between pages that cannot be accessed.
fn call(symbol: &Symbol, time_of: TimeOf, results: &File) -> io::Result<()> {
    let send = |tag, value| send(results, tag, value);
    let on_stack = 0_u8;
    send(Stack, (&raw const on_stack).addr() as u64)?;
    ffi::report_faults(results, Fault as u8)?;
    let mut memory = ffi::CKeys::new(LONG_KEY.len())?;
    let bounds = memory.as_ptr_range();
    send(Start, bounds.start.addr() as u64)?;
    send(End, bounds.end.addr() as u64)?;
    let Ok(hash) = symbol.open(false) else {
        return send(CannotOpen, 0);
    };
    let mut digest = 0;
    for length in lengths() {
        send(Length, length as u64)?;
        let key = &LONG_KEY[..length];
        let mut values = [0; 2];
        for (value, start, around) in [(0, 0, 0), (1, memory.len() - length, 0xff)] {
            let mut content = vec![around; memory.len()];
            content[start..start + length].copy_from_slice(key);
            memory.fill(&content)?;
            values[value] = hash(&memory[start..start + length]);
            if *memory != *content {
                return send(Wrote, 0);
            }
        }
        if values[0] != values[1] {
            return send(TwoValues, 0);
        }
        if length == TIMED {
            send(Nanoseconds, time_of(key, hash) as u64)?;
        }
        digest = digested(digest, values[0]);
    }
    send(Done, digest)
}

/// Adds a value to a number that distinguishes sequences of values.
fn digested(digest: u64, value: u64) -> u64 {
    (digest ^ value)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
}

/// Returns the digest of the values that a trial calls the function for, in this process.
pub(super) fn digest_here(hash: fn(&[u8]) -> u64) -> u64 {
    lengths().fold(0, |digest, length| digested(digest, hash(&LONG_KEY[..length])))
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

/// What is known of a trial.
#[derive(Default)]
struct Trial {
    memory: [u64; 2],
    stack: u64,
    length: Option<u64>,
    nanoseconds: f64,
    fault: Option<u64>,
}

/// Tries the function out in another process, which shares standard error, since what ends a process often says why there. Returns
/// the nanoseconds of a call, and the digest of its values. The first trial reports a slow function.
pub(super) fn of(symbol: &Symbol, is_first: bool, terminal: &Terminal) -> Result<(f64, u64), Failure> {
    let failed = |error: io::Error| symbol.error(&format!("cannot be tried out: {}", system::text(&error)));
    let (mut results, writer) = io::pipe().map_err(failed)?;
    let child = Command::new(std::env::current_exe().map_err(failed)?)
        .args(["try-out", "--", &symbol.text])
        .stdin(writer)
        .stdout(Stdio::null())
        .spawn();
    let mut process = Process(child.map_err(failed)?);
    let (sender, events) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = [0; 9];
        while results.read_exact(&mut bytes).is_ok() {
            let (tag, value) = (TAGS.get(usize::from(bytes[0])), &bytes[1..]);
            let value = u64::from_le_bytes(value.try_into().unwrap_or_default());
            if tag.is_none_or(|&tag| sender.send((tag, value)).is_err()) {
                break;
            }
        }
    });
    let mut trial = Trial::default();
    let mut waited = Duration::ZERO;
    loop {
        let event = events.recv_timeout(PAUSE);
        go_on(terminal)?;
        let refused = match event {
            Ok((tag, value)) => {
                waited = Duration::ZERO;
                match tag {
                    Opening => {}
                    Start => trial.memory[0] = value,
                    End => trial.memory[1] = value,
                    Stack => trial.stack = value,
                    Length => trial.length = Some(value),
                    Fault => trial.fault = Some(value),
                    Nanoseconds if !is_first => {}
                    Nanoseconds => {
                        trial.nanoseconds = value as f64;
                        symbol.warn(trial.nanoseconds, terminal);
                    }
                    Done => return Ok((trial.nanoseconds, value)),
                    // It fails again, with its reason.
                    CannotOpen => {
                        let why = symbol.open(false).err();
                        return Err(symbol.error(&why.unwrap_or_else(|| "opened only once".to_owned())));
                    }
                    Wrote => return Err(symbol.error(&trial.refused(WRITES, "it did"))),
                    TwoValues => {
                        let rule = "return one value for one key";
                        return Err(symbol.error(&trial.refused(rule, "it returned two")));
                    }
                    TooLong => {
                        let rule = "return soon";
                        let what =
                            format!("it was called {} s after the start of its trial", TRIAL.as_secs());
                        return Err(symbol.error(&trial.refused(rule, &what)));
                    }
                }
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => {
                thread::sleep(PAUSE);
                true
            }
            // Another process that the library started may have the pipe, too.
            Err(RecvTimeoutError::Timeout) => waited >= STEP / 10,
        };
        waited += PAUSE;
        let status = if refused {
            process.0.try_wait().map_err(failed)?
        } else {
            None
        };
        if status.is_some() || waited >= STEP {
            return Err(symbol.error(&trial.ended(status)));
        }
    }
}

const WRITES: &str = "not write into its key or the memory around it";

impl Trial {
    fn refused(&self, rule: &str, what: &str) -> String {
        match self.length {
            Some(length) => format!(
                "the function must {rule}: on a key of {} {what}",
                counted(length, "byte")
            ),
            None => format!("the library must open: {what}"),
        }
    }

    /// Returns the reason why the process ended, or is waited for no longer.
    fn ended(&self, status: Option<ExitStatus>) -> String {
        let end = match status {
            Some(status) => format!("ended with {status}"),
            None => format!("was still running after {} s", STEP.as_secs()),
        };
        let Some(at) = self.fault else {
            return self.refused("return", &format!("it {end}"));
        };
        let [start, after] = self.memory;
        let (guard, stack) = (ffi::GUARD as u64, STACK as u64);
        // The keys are twice as far from it.
        let frame = ffi::APART as u64 / 2;
        let (rule, what) = if (start..after).contains(&at) {
            (WRITES, "wrote there".to_owned())
        } else if (after..after + guard).contains(&at) {
            ("not look past its key", "accessed memory after it".to_owned())
        } else if (start.saturating_sub(guard)..start).contains(&at) {
            ("not look past its key", "accessed memory before it".to_owned())
        } else if (self.stack.saturating_sub(stack + frame)..self.stack).contains(&at) {
            (
                "get by with the stack of a thread",
                format!("needed more than its {} MiB", stack >> 20),
            )
        } else {
            ("return", format!("accessed address {at:#x}, far from the keys"))
        };
        self.refused(rule, &format!("it {what}, and {end}"))
    }
}
