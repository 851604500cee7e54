//! Disturbances by the system while times are measured.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::clock::now;
use crate::record::{Environment, significant};
use records::environment::{self, ProcessStatus};
use records::progress::Progress;

/// Watches all of the timing, from the first table to the last. Pass the watch to the measurements in place of
/// `progress`.
///
/// One interval covers everything that is timed, since a disturbance of one table says nothing of the others. It
/// includes preparations between the readings, which run on the same thread, so that a rate per second means the same.
pub struct Watch<'a> {
    progress: &'a dyn Progress,
    start: Instant,
    before: ProcessStatus,
    /// Most threads seen so far; 0 if the system does not report threads.
    threads: AtomicU64,
}

impl<'a> Watch<'a> {
    /// Starts to watch. Calls are passed on to `progress`.
    pub fn start(progress: &'a dyn Progress) -> Self {
        let before = ProcessStatus::now();
        Self {
            progress,
            start: now(),
            before,
            threads: AtomicU64::new(before.threads.unwrap_or(0)),
        }
    }

    /// Stops, and records the observations. Must be called on the thread that started.
    pub fn stop(self, environment: &mut Environment) {
        let seconds = |duration: Duration| significant::round(duration.as_secs_f64());
        environment.timing_seconds = Some(seconds(self.start.elapsed()));
        let after = ProcessStatus::now();
        let most = self.threads.into_inner().max(after.threads.unwrap_or(0));
        environment.threads_while_timing = (most > 0).then_some(most);
        environment.involuntary_switches_while_timing = environment::involuntary_switches(self.before, after);
        environment.seconds_waited_while_timing = environment::waited(self.before, after).map(seconds);
    }
}

impl Progress for Watch<'_> {
    fn begin(&self, phase: &str, steps: u64) {
        self.progress.begin(phase, steps);
    }

    fn step(&self) {
        // Between two rounds, so that no reading includes the cost.
        let threads = ProcessStatus::now().threads.unwrap_or(0);
        self.threads.fetch_max(threads, Ordering::Relaxed);
        self.progress.step();
    }

    fn cancelled(&self) -> bool {
        self.progress.cancelled()
    }
}
