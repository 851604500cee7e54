//! Disturbances by the system while times are measured.

use std::time::{Duration, Instant};

use crate::clock::now;
use crate::record::{Environment, significant};
use records::environment::{self, ProcessStatus};

/// Watches all of the timing, from the first table to the last.
///
/// One interval covers everything that is timed, since a disturbance of one table says nothing of the others. It
/// includes preparations between the readings, which run on the same thread.
pub struct Watch {
    start: Instant,
    before: ProcessStatus,
}

impl Watch {
    /// Starts to watch.
    pub fn start() -> Self {
        Self {
            before: ProcessStatus::now(),
            start: now(),
        }
    }

    /// Stops, and records the observations. Must be called on the thread that started.
    pub fn stop(self, environment: &mut Environment) {
        let seconds = |duration: Duration| significant::round(duration.as_secs_f64());
        environment.timing_seconds = Some(seconds(self.start.elapsed()));
        let after = ProcessStatus::now();
        environment.threads_while_timing = self.before.threads.max(after.threads);
        environment.involuntary_switches_while_timing = environment::involuntary_switches(self.before, after);
        environment.seconds_waited_while_timing = environment::waited(self.before, after).map(seconds);
    }
}
