//! Functions of shared libraries as functions of this program, and memory whose neighbours cannot be read.
#![expect(unsafe_code, reason = "code of any language, behind C's calling convention")]

use std::error::Error as _;
use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use libloading::Library;

use super::watch::watched;
#[cfg(unix)]
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};
#[cfg(unix)]
use rustix::process::{Resource, Rlimit, setrlimit};

enum Loaded {
    Plain(unsafe extern "C" fn(*const c_void, usize) -> u64),
    Seeded(unsafe extern "C" fn(*const c_void, usize, u64) -> u64),
}

/// What the functions of `CALLS` call, since function pointers carry no state.
static LOADED: [OnceLock<Loaded>; 8] = [const { OnceLock::new() }; 8];
const CALLS: [fn(&[u8]) -> u64; 8] = [
    call::<0>, call::<1>, call::<2>, call::<3>, call::<4>, call::<5>, call::<6>, call::<7>,
];
/// The same for functions of which no loop may wait for all its calls.
const SLOW_CALLS: [fn(&[u8]) -> u64; 8] = [
    slow::<0>, slow::<1>, slow::<2>, slow::<3>, slow::<4>, slow::<5>, slow::<6>, slow::<7>,
];
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Sets the flag after which slow functions are no longer called.
pub(super) fn stop_by(flag: Arc<AtomicBool>) {
    STOP.get_or_init(|| flag);
}

fn slow<const AT: usize>(key: &[u8]) -> u64 {
    let stops = STOP.get().is_some_and(|stop| stop.load(Ordering::Relaxed));
    if stops { 0 } else { call::<AT>(key) }
}

fn call<const AT: usize>(key: &[u8]) -> u64 {
    let (data, length) = (key.as_ptr().cast(), key.len());
    let function = LOADED[AT]
        .get()
        .expect("only functions with something to call are handed out");
    // SAFETY: The key is `length` bytes. That the function reads no others is its author's promise, which is tried out in
    // another process first.
    watched(AT, || unsafe {
        match function {
            Loaded::Plain(function) => function(data, length),
            Loaded::Seeded(function) => function(data, length, 0),
        }
    })
}

/// Loads a function of a library, which is never unloaded. A slow function returns 0 at once after the flag of [`stop_by`] is set.
pub(super) fn load(
    file: &Path,
    name: &str,
    takes_seed: bool,
    is_slow: bool,
) -> Result<fn(&[u8]) -> u64, String> {
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
    let calls = if is_slow { SLOW_CALLS } else { CALLS };
    for (place, call) in LOADED.iter().zip(calls) {
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

/// Bytes before and after the keys of a trial that nobody may touch, since an access there is one beside the key.
pub(super) const GUARD: usize = 1 << 20;

/// Bytes between the keys of a trial and whatever else there is: a stack has a guard of a page or so, which a function with a larger
/// frame passes over. They take addresses, but no memory.
pub(super) const APART: usize = if usize::BITS < 64 { 1 << 26 } else { 1 << 30 };

/// Memory for keys, in unix between [`APART`] bytes on either side that nobody may touch, and read-only. It is never given back.
pub(super) struct CKeys(&'static mut [u8]);

impl Deref for CKeys {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0
    }
}

#[cfg(unix)]
impl CKeys {
    /// Returns memory of at least this length. From now on the process leaves no core file.
    pub(super) fn new(length: usize) -> io::Result<Self> {
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        setrlimit(Resource::Core, none)?;
        let length = length.next_multiple_of(rustix::param::page_size());
        // SAFETY: The pages are new, nobody else has them, and they are never given back.
        unsafe {
            let (anywhere, none) = (std::ptr::null_mut(), ProtFlags::empty());
            let all = mmap_anonymous(anywhere, length + 2 * APART, none, MapFlags::PRIVATE)?;
            let middle = all.byte_add(APART);
            mprotect(middle, length, MprotectFlags::READ)?;
            Ok(Self(std::slice::from_raw_parts_mut(middle.cast(), length)))
        }
    }

    /// Copies `content`, which has the length of the memory, into it.
    pub(super) fn fill(&mut self, content: &[u8]) -> io::Result<()> {
        let (start, length) = (self.0.as_mut_ptr().cast(), self.0.len());
        // SAFETY: These are whole pages of this value alone.
        unsafe { mprotect(start, length, MprotectFlags::READ | MprotectFlags::WRITE)? };
        self.0.copy_from_slice(content);
        // SAFETY: As above; nothing but this function writes to them.
        unsafe { mprotect(start, length, MprotectFlags::READ)? };
        Ok(())
    }
}

/// Writes `report`, followed by the address, to `results` when the process accesses memory that it must not; on this
/// thread even without room on its stack. The process ends by the signal as without this.
#[cfg(unix)]
pub(super) fn report_faults(results: &File, report: u8) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;
    use std::sync::atomic::{AtomicI32, AtomicU8};

    const STACK: usize = 64 << 10;
    static RESULTS: AtomicI32 = AtomicI32::new(-1);
    static REPORT: AtomicU8 = AtomicU8::new(0);

    extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
        // SAFETY: The system passes a valid description. `write` and `raise` may be called in a signal handler; the signal
        // is blocked in it, and has its default action again, which is taken when it returns.
        unsafe {
            // Another process, or the processor for an address of no form, names no address.
            if (1..128).contains(&(*info).si_code) {
                let mut bytes = [REPORT.load(Ordering::Relaxed); 9];
                bytes[1..].copy_from_slice(&((*info).si_addr().addr() as u64).to_le_bytes());
                libc::write(
                    RESULTS.load(Ordering::Relaxed),
                    bytes.as_ptr().cast(),
                    bytes.len(),
                );
            }
            libc::raise(signal);
        }
    }

    RESULTS.store(results.as_raw_fd(), Ordering::Relaxed);
    REPORT.store(report, Ordering::Relaxed);
    let stack = libc::stack_t {
        ss_sp: vec![0_u8; STACK].leak().as_mut_ptr().cast(),
        ss_flags: 0,
        ss_size: STACK,
    };
    let check = |failed: libc::c_int| match failed {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    };
    // SAFETY: The stack is never given back, zero is a valid value of every field of `sigaction`, and the handler is of the
    // form that `SA_SIGINFO` calls for.
    unsafe {
        check(libc::sigaltstack(&raw const stack, std::ptr::null_mut()))?;
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
        for signal in [libc::SIGSEGV, libc::SIGBUS] {
            check(libc::sigaction(signal, &raw const action, std::ptr::null_mut()))?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
impl CKeys {
    pub(super) fn new(length: usize) -> io::Result<Self> {
        Ok(Self(vec![0; length].leak()))
    }

    pub(super) fn fill(&mut self, content: &[u8]) -> io::Result<()> {
        self.0.copy_from_slice(content);
        Ok(())
    }
}

#[cfg(not(unix))]
pub(super) fn report_faults(_results: &File, _report: u8) -> io::Result<()> {
    Ok(())
}
