//! Functions of shared libraries as functions of this program, and memory whose neighbours cannot be read.
#![expect(unsafe_code, reason = "code of any language, behind C's calling convention")]

use std::error::Error as _;
use std::ffi::c_void;
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

#[cfg(unix)]
pub(super) use unix::{channel, end_with, guarded, protect, report_faults, with_channel};

#[cfg(unix)]
mod unix {
    use std::ffi::{c_int, c_void};
    use std::fs::File;
    use std::io::{self, PipeWriter};
    use std::os::fd::{AsFd as _, AsRawFd as _};
    use std::process::{Command, Stdio};
    use std::sync::OnceLock;

    use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};
    use rustix::process::{Resource, Rlimit, setrlimit};

    use super::super::news;

    /// Gives a command the pipe that its trial writes to: standard input, which a library does not print on.
    pub(in super::super) fn with_channel(command: &mut Command, writer: PipeWriter) -> &mut Command {
        command.stdin(writer).stdout(Stdio::null()).stderr(Stdio::null())
    }

    /// Returns the pipe that the parent reads.
    pub(in super::super) fn channel() -> io::Result<File> {
        Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
    }

    /// Ends this process when the parent ends, where the system can. From now on the process leaves no core file.
    pub(in super::super) fn end_with(parent: u32) -> io::Result<()> {
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        setrlimit(Resource::Core, none)?;
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{Signal, getppid, set_parent_process_death_signal};

            set_parent_process_death_signal(Some(Signal::KILL))?;
            // It may have ended before.
            let is_there =
                getppid().is_some_and(|found| found.as_raw_nonzero().get().cast_unsigned() == parent);
            if !is_there {
                return Err(io::Error::other("the program that began the trial has ended"));
            }
        }
        let _ = parent;
        Ok(())
    }

    /// Returns memory of at least this length between pages that nobody may touch.
    pub(in super::super) fn guarded(length: usize) -> io::Result<&'static mut [u8]> {
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

    /// Makes this memory, which [`guarded`] returned, read-only or writable.
    pub(in super::super) fn protect(memory: &mut [u8], is_read_only: bool) -> io::Result<()> {
        let write = if is_read_only {
            MprotectFlags::empty()
        } else {
            MprotectFlags::WRITE
        };
        // SAFETY: The pages are those of this slice alone, and stay readable. Who writes to them while they are read-only ends the
        // process, which is the purpose.
        unsafe {
            mprotect(
                memory.as_mut_ptr().cast(),
                memory.len(),
                MprotectFlags::READ | write,
            )?
        };
        Ok(())
    }

    /// Where faults are reported, and what their addresses mean.
    struct Places {
        channel: c_int,
        keys: usize,
        keys_end: usize,
        page: usize,
        /// An address near the beginning of the stack, which grows down from there.
        stack: usize,
        stack_len: usize,
    }

    static PLACES: OnceLock<Places> = OnceLock::new();

    /// From now on an access to memory that is refused is reported as a byte of [`news`], before it ends the process. This is the
    /// thread of the trial, with a stack of this length.
    pub(in super::super) fn report_faults(channel: &File, memory: &[u8], stack_len: usize) -> io::Result<()> {
        let local = 0_u8;
        let keys = memory.as_ptr().addr();
        let places = Places {
            channel: channel.as_raw_fd(),
            keys,
            keys_end: keys + memory.len(),
            page: rustix::param::page_size(),
            stack: (&raw const local).addr(),
            stack_len,
        };
        PLACES.get_or_init(|| places);
        for signal in [libc::SIGSEGV, libc::SIGBUS] {
            // SAFETY: Zeros are a valid `sigaction`: no mask and no flags. The handler has the form that `SA_SIGINFO` asks for, and
            // calls what is allowed in a handler alone; Rust has given the thread a stack for handlers.
            let result = unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_fault as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigaction(signal, &raw const action, std::ptr::null_mut())
            };
            if result != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    }

    extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
        // SAFETY: The system passes a valid `siginfo_t`. The functions may be called in a handler; the byte is one of this frame's.
        unsafe {
            if let Some(places) = PLACES.get() {
                let address = (*info).si_addr().addr();
                let reported = match address {
                    _ if (places.keys..places.keys_end).contains(&address) => news::IN_KEY,
                    _ if (places.keys - places.page..places.keys_end + places.page).contains(&address) => {
                        news::BESIDE
                    }
                    // A large frame may pass over the guard page.
                    _ if address < places.stack && places.stack - address < 2 * places.stack_len => {
                        news::STACK
                    }
                    _ => 0,
                };
                libc::write(places.channel, (&raw const reported).cast(), 1);
            }
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}

#[cfg(not(unix))]
pub(super) use other::{channel, end_with, guarded, protect, report_faults, with_channel};

/// Systems whose protection of memory is not used here: the trial writes to standard output, and has its limit of time.
#[cfg(not(unix))]
mod other {
    use std::io::{self, PipeWriter, Stdout};
    use std::process::{Command, Stdio};

    pub(in super::super) fn with_channel(command: &mut Command, writer: PipeWriter) -> &mut Command {
        command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::null())
    }

    pub(in super::super) fn channel() -> io::Result<Stdout> {
        Ok(io::stdout())
    }

    pub(in super::super) fn end_with(_: u32) -> io::Result<()> {
        Ok(())
    }

    pub(in super::super) fn guarded(length: usize) -> io::Result<&'static mut [u8]> {
        Ok(vec![0; length].leak())
    }

    pub(in super::super) fn protect(_: &mut [u8], _: bool) -> io::Result<()> {
        Ok(())
    }

    pub(in super::super) fn report_faults(_: &Stdout, _: &[u8], _: usize) -> io::Result<()> {
        Ok(())
    }
}
