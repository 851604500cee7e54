//! Functions of shared libraries as functions of this program.
#![expect(unsafe_code, reason = "code of any language, behind C's calling convention")]

use std::error::Error as _;
use std::ffi::c_void;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use libloading::Library;

enum Loaded {
    Plain(unsafe extern "C" fn(*const c_void, usize) -> u64),
    Seeded(unsafe extern "C" fn(*const c_void, usize, u64) -> u64),
}

/// What the functions of `CALLS` call, since function pointers carry no state.
static LOADED: [OnceLock<Loaded>; 8] = [const { OnceLock::new() }; 8];
const CALLS: [fn(&[u8]) -> u64; 8] = [
    call::<0>, call::<1>, call::<2>, call::<3>, call::<4>, call::<5>, call::<6>, call::<7>,
];
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Sets the flag after which no function is called and all return 0, since loops do not wait for all calls of a slow one.
pub(super) fn stop_by(flag: Arc<AtomicBool>) {
    STOP.get_or_init(|| flag);
}

fn call<const AT: usize>(key: &[u8]) -> u64 {
    if STOP.get().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
        return 0;
    }
    let (data, length) = (key.as_ptr().cast(), key.len());
    let function = LOADED[AT]
        .get()
        .expect("only functions with something to call are handed out");
    // SAFETY: The key is `length` bytes. That the function reads no others is its author's promise, which is tried out in
    // another process first.
    unsafe {
        match function {
            Loaded::Plain(function) => function(data, length),
            Loaded::Seeded(function) => function(data, length, 0),
        }
    }
}

/// Loads a function of a library, which is never unloaded.
pub(super) fn load(file: &Path, name: &str, takes_seed: bool) -> Result<fn(&[u8]) -> u64, String> {
    let reason = |error: libloading::Error| {
        error
            .source()
            .map_or_else(|| error.to_string(), ToString::to_string)
    };
    // SAFETY: The user names the library to have its code run, which includes its initialisers.
    let library = unsafe { Library::new(file) }.map_err(reason)?;
    // SAFETY: That the symbol is a function of this form is its user's promise, tried out in another process first.
    let loaded = unsafe {
        if takes_seed {
            library.get(name).map(|symbol| Loaded::Seeded(*symbol))
        } else {
            library.get(name).map(|symbol| Loaded::Plain(*symbol))
        }
    };
    let mut loaded = loaded.map_err(reason)?;
    std::mem::forget(library);
    for (place, call) in LOADED.iter().zip(CALLS) {
        match place.set(loaded) {
            Ok(()) => return Ok(call),
            Err(back) => loaded = back,
        }
    }
    Err(format!(
        "a run must have at most {} of these functions",
        CALLS.len()
    ))
}
