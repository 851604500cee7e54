//! Functions of one's own in any language: symbols of shared libraries with C's calling convention.

mod ffi;
mod symbol;
mod trial;
mod watch;

use std::path::Path;
use std::thread;
use std::time::Duration;

pub use self::symbol::Symbol;
pub use self::trial::{STACK, TimeOf, try_out};
use super::function::Function;
use super::{called, verify};
use terminal::bar::Terminal;
use terminal::failure::Failure;
use terminal::progress::go_on;

/// The nanoseconds of a call from which on a function is slow: with ten million keys, a loop would take seconds.
const SLOW: f64 = 100.0;
/// The time after a trial in which another process has another time of day in seconds, from which it may take a seed.
const LATER: Duration = Duration::from_millis(1100);

/// Tries each function out in a process of its own, then loads it. Another process a second later shows whether values change from
/// process to process.
///
/// # Errors
///
/// Returns an error if a library or a symbol is missing, if the library or the function ends its process or does not return, if
/// the function accesses other memory than its key, writes into it, returns two values for one key, or more bits than it has, and
/// after Ctrl-C.
pub fn load(symbols: &[Symbol], terminal: &Terminal) -> Result<Vec<Function>, Failure> {
    if symbols.is_empty() {
        return Ok(Vec::new());
    }
    ffi::stop_by(terminal.interrupt.flag());
    let names = symbols.iter().map(|symbol| symbol.text.clone());
    watch::start(names.collect(), terminal.interrupt.flag());
    let mut functions: Vec<Function> = Vec::new();
    for symbol in symbols {
        let (nanoseconds, digest) = trial::of(symbol, true, terminal)?;
        let function = load_one(symbol, &functions, nanoseconds >= SLOW);
        go_on(terminal)?;
        let mut function = function.map_err(|why| symbol.error(&why))?;
        function.facts.changes = trial::digest_here(function.hash) != digest;
        functions.push(function);
    }
    thread::sleep(LATER);
    go_on(terminal)?;
    for (symbol, function) in symbols.iter().zip(&mut functions) {
        let (_, later) = trial::of(symbol, false, terminal)?;
        function.facts.changes |= trial::digest_here(function.hash) != later;
        function.facts.stable = !function.facts.changes;
    }
    Ok(functions)
}

/// Loads a function; `earlier` ones may have its name.
fn load_one(symbol: &Symbol, earlier: &[Function], is_slow: bool) -> Result<Function, String> {
    let hash = symbol.open(is_slow)?;
    let file = Path::new(&symbol.file).file_name().unwrap_or_default().display();
    let is_taken = called(&symbol.name).is_some() || earlier.iter().any(|one| one.facts.name == symbol.name);
    let name = if is_taken {
        format!("{} of {file}", symbol.name)
    } else {
        symbol.name.clone()
    };
    let mut function = Function::custom(name, symbol.bits, hash, &[]);
    function.facts.origin = format!("your own, of {file}");
    function.facts.seed = symbol.takes_seed.then(|| "0".to_owned());
    verify::check(&function).map(|()| function)
}
