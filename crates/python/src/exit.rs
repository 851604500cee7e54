//! The exit of the interpreter. Python then ends each thread that asks for its lock, by unwinding the thread's stack, and
//! where Rust is on the stack this aborts the process. So threads that are in this module stop before that.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::Duration;

use pyo3::prelude::*;

/// The number of threads that are in a call.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// The thread that ends the interpreter, once it does.
static ENDING: OnceLock<ThreadId> = OnceLock::new();

/// The time between two looks at the threads, and the most looks: a second.
const PAUSE: Duration = Duration::from_millis(1);
const MOST_PAUSES: u32 = 1_000;

thread_local! {
    /// The number of calls that this thread is in.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// A call in which the thread releases the GIL, or runs code of Python, which does.
pub(crate) struct Call;

impl Call {
    pub(crate) fn begin(py: Python<'_>) -> Self {
        pause_if_over(py);
        if DEPTH.replace(DEPTH.get() + 1) == 0 {
            THREADS.fetch_add(1, Ordering::SeqCst);
        }
        Self
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
        if DEPTH.get() == 0 {
            THREADS.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Does some work without the GIL.
pub(crate) fn detach<R: Send>(py: Python<'_>, work: impl Send + FnOnce() -> R) -> R {
    let _call = Call::begin(py);
    py.detach(|| {
        let done = work();
        stop_if_over();
        done
    })
}

/// Stops the thread if another one ends the interpreter.
pub(crate) fn pause_if_over(py: Python<'_>) {
    if is_over() {
        py.detach(stop);
    }
}

/// Stops the thread, which has released the GIL, if another one ends the interpreter.
pub(crate) fn stop_if_over() {
    if is_over() {
        stop();
    }
}

/// Returns true if another thread ends the interpreter.
pub(crate) fn is_over() -> bool {
    ENDING
        .get()
        .is_some_and(|ending| *ending != thread::current().id())
}

/// Waits for the end of the process, and is no longer waited for.
fn stop() {
    if DEPTH.get() > 0 {
        THREADS.fetch_sub(1, Ordering::SeqCst);
    }
    loop {
        thread::park();
    }
}

/// Forgets the threads of the process that was forked. Python calls it in the child.
#[pyfunction]
pub(crate) fn _forget_threads() {
    THREADS.store(usize::from(DEPTH.get() > 0), Ordering::SeqCst);
}

/// Lets other threads come to a place where they stop. Python calls it before it ends.
#[pyfunction]
pub(crate) fn _stop_threads(py: Python<'_>) -> PyResult<()> {
    let is_finalizing = py.import("sys")?.call_method0("is_finalizing")?;
    // A subinterpreter that ends after the process has begun to has no other threads, and would not get the GIL back.
    if is_finalizing.is_truthy()? {
        return Ok(());
    }
    ENDING.get_or_init(|| thread::current().id());
    py.detach(|| {
        for _ in 0..MOST_PAUSES {
            if THREADS.load(Ordering::SeqCst) == 0 {
                return;
            }
            thread::sleep(PAUSE);
        }
    });
    Ok(())
}
