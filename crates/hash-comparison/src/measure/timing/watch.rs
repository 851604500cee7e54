//! What the system did to this process while times were measured.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::now;
use crate::measure::environment::{self, ProcessStatus};
use crate::progress::Progress;

/// Watches all of the timing, from the first table to the last, for whoever watches the run: hand it to the
/// measurements in the place of `progress`.
///
/// One bracket around everything that is timed, since what disturbs one table says nothing of the others. Preparations
/// between the readings are in it too; they run on the same thread, so that a rate per second means the same.
pub struct Watch<'a> {
    progress: &'a dyn Progress,
    start: Instant,
    before: ProcessStatus,
    /// Most threads seen so far; 0 where the system does not tell.
    threads: AtomicU64,
}

/// What a [`Watch`] saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watched {
    /// Most threads of this process that were seen meanwhile, where the system tells.
    pub threads: Option<u64>,
    /// How often the system took the processor from this thread meanwhile, where it tells.
    pub involuntary_switches: Option<u64>,
    /// How long this thread was ready meanwhile and had no processor, where the system tells.
    pub waited: Option<Duration>,
    /// From beginning to end.
    pub duration: Duration,
}

impl<'a> Watch<'a> {
    /// Begins; what it is told is passed on to `progress`.
    pub fn start(progress: &'a dyn Progress) -> Self {
        let before = ProcessStatus::now();
        Self {
            progress,
            start: now(),
            before,
            threads: AtomicU64::new(before.threads.unwrap_or(0)),
        }
    }

    /// Ends; call it on the thread that began.
    pub fn stop(self) -> Watched {
        let duration = self.start.elapsed();
        let after = ProcessStatus::now();
        let most = self.threads.into_inner().max(after.threads.unwrap_or(0));
        Watched {
            threads: (most > 0).then_some(most),
            involuntary_switches: environment::involuntary_switches(self.before, after),
            waited: environment::waited(self.before, after),
            duration,
        }
    }
}

impl Progress for Watch<'_> {
    fn begin(&self, phase: &str, steps: u64) {
        self.progress.begin(phase, steps);
    }

    fn step(&self) {
        // Between two rounds, so that no reading pays for it.
        let threads = ProcessStatus::now().threads.unwrap_or(0);
        self.threads.fetch_max(threads, Ordering::Relaxed);
        self.progress.step();
    }

    fn cancelled(&self) -> bool {
        self.progress.cancelled()
    }
}
