//! Functions of one's own in any language: symbols of shared libraries with C's calling convention.

mod ffi;
mod symbol;
mod trial;

use std::path::Path;
use std::thread;
use std::time::Duration;

pub use self::symbol::Symbol;
pub use self::trial::{STACK, try_out};
use super::function::Function;
use super::{called, verify};
use terminal::bar::Terminal;
use terminal::failure::Failure;
use terminal::progress::go_on;

/// The time after which another process has another time of day in seconds, from which it may take a seed.
const LATER: Duration = Duration::from_millis(1100);
/// The key of the time of a call.
const TIMED: &[u8] = b"a key, 16 bytes.";

/// Returns the nanoseconds of a call of a function with a key.
pub type TimeOf = fn(key: &[u8], hash: fn(&[u8]) -> u64) -> f64;

/// Tries each function out in a process of its own. Loads all a second later, which shows whether values change from process to
/// process, and reports slow ones.
///
/// # Errors
///
/// Returns an error if a library or a symbol is missing, if the library or the function ends its process or does not return, if
/// the function returns two values for one key, or more bits than it has, and after Ctrl-C.
pub fn load(symbols: &[Symbol], time_of: TimeOf, terminal: &Terminal) -> Result<Vec<Function>, Failure> {
    if symbols.is_empty() {
        return Ok(Vec::new());
    }
    let tried = symbols.iter().map(|symbol| trial::of(symbol, terminal));
    let tried = tried.collect::<Result<Vec<_>, _>>()?;
    thread::sleep(LATER);
    go_on(terminal)?;
    ffi::stop_by(terminal.interrupt.flag());
    let mut functions: Vec<Function> = Vec::new();
    for (symbol, values) in symbols.iter().zip(tried) {
        let hash = symbol.open().map_err(|why| symbol.error(&why))?;
        symbol.warn(time_of(TIMED, hash), terminal);
        let function = checked(symbol, hash, &functions);
        go_on(terminal)?;
        let mut function = function.map_err(|why| symbol.error(&why))?;
        function.facts.changes = !trial::values(function.hash).eq(values);
        function.facts.stable = !function.facts.changes;
        functions.push(function);
    }
    Ok(functions)
}

/// Returns the function of a symbol after checking its values; `earlier` ones may have its name.
fn checked(symbol: &Symbol, hash: fn(&[u8]) -> u64, earlier: &[Function]) -> Result<Function, String> {
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
