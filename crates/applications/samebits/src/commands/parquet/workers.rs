//! Work on all processors, within one budget of memory.

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use terminal::bar::Terminal;
use terminal::progress::Progress as _;

/// Locks what no panic leaves half done.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs tasks on all processors, or on fewer if the system gives no threads. A task is made when a worker is free for it,
/// one at a time and in order.
pub(super) fn run<T>(tasks: impl Iterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    let tasks = Mutex::new(tasks);
    let next = || lock(&tasks).next();
    let worker = || {
        while let Some(task) = next() {
            work(task);
        }
    };
    thread::scope(|scope| {
        for _ in 1..thread::available_parallelism().map_or(1, NonZero::get) {
            let _ = thread::Builder::new().spawn_scoped(scope, worker);
        }
        worker();
    });
}

/// Returns a function that counts the values which all workers have read, and returns false if the work should stop.
pub(super) fn counter(terminal: &Terminal) -> impl Fn(u64) -> bool + Sync {
    let values = AtomicU64::new(0);
    move |read| {
        let before = values.fetch_add(read, Ordering::Relaxed);
        terminal.count("read", "values", before + read);
        !terminal.cancelled()
    }
}

/// Memory that all workers share. Tasks must take theirs in order where some wait for others before they free it.
pub(super) struct Budget {
    total: u64,
    used: Mutex<u64>,
    freed: Condvar,
}

impl Budget {
    pub(super) fn new(total: u64) -> Self {
        Self {
            total,
            used: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// Waits until so many bytes are free, and takes them. They must not exceed the budget.
    pub(super) fn take(&self, bytes: u64) -> Share<'_> {
        let is_too_full = |used: &mut u64| *used + bytes > self.total;
        let used = self.freed.wait_while(lock(&self.used), is_too_full);
        *used.unwrap_or_else(PoisonError::into_inner) += bytes;
        Share { budget: self, bytes }
    }
}

/// Memory of a task, which is freed with the value.
pub(super) struct Share<'b> {
    budget: &'b Budget,
    bytes: u64,
}

impl Share<'_> {
    /// Keeps so many bytes at most.
    pub(super) fn shrink(&mut self, bytes: u64) {
        let kept = bytes.min(self.bytes);
        *lock(&self.budget.used) -= self.bytes - kept;
        self.bytes = kept;
        self.budget.freed.notify_all();
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.shrink(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Budget {
        pub(in crate::commands::parquet) fn used(&self) -> u64 {
            *lock(&self.used)
        }
    }

    #[test]
    fn workers_stay_within_the_budget() {
        const TOTAL: u64 = 10;
        let (budget, used, done) = (Budget::new(TOTAL), AtomicU64::new(0), AtomicU64::new(0));
        let tasks = (0..300).map(|number| (budget.take(number % TOTAL + 1), number % TOTAL + 1));
        run(tasks, |(mut share, bytes)| {
            let before = used.fetch_add(bytes, Ordering::SeqCst);
            assert!(before + bytes <= TOTAL);
            thread::sleep(std::time::Duration::from_micros(100));
            used.fetch_sub(bytes, Ordering::SeqCst);
            share.shrink(1);
            share.shrink(TOTAL);
            done.fetch_add(1, Ordering::SeqCst);
        });
        assert_eq!(done.into_inner(), 300);
        assert_eq!(budget.used(), 0);
    }
}
