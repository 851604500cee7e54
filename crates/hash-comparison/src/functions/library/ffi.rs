//! Functions of shared libraries as functions of this program, and memory whose neighbours cannot be read.
#![expect(unsafe_code, reason = "code of any language, behind C's calling convention")]

use std::error::Error as _;
use std::ffi::c_void;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

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

fn call<const AT: usize>(key: &[u8]) -> u64 {
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

/// Returns memory of at least this length between pages that nobody may touch. From now on the process leaves no core file.
#[cfg(unix)]
pub(super) fn guarded(length: usize) -> io::Result<&'static mut [u8]> {
    use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};
    use rustix::process::{Resource, Rlimit, setrlimit};

    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none)?;
    let page = rustix::param::page_size();
    let length = length.next_multiple_of(page);
    // SAFETY: The pages are new, nobody else has them, and they are never given back.
    unsafe {
        let all = mmap_anonymous(
            std::ptr::null_mut(),
            length + 2 * page,
            ProtFlags::empty(),
            MapFlags::PRIVATE,
        )?;
        let middle = all.byte_add(page);
        mprotect(middle, length, MprotectFlags::READ | MprotectFlags::WRITE)?;
        Ok(std::slice::from_raw_parts_mut(middle.cast(), length))
    }
}

/// Returns memory, on systems whose protection is not used here.
#[cfg(not(unix))]
pub(super) fn guarded(length: usize) -> io::Result<&'static mut [u8]> {
    Ok(vec![0; length].leak())
}
