//! Disturbances by the system while times are measured.

use std::time::Instant;

use crate::clock::now;
use crate::record::{Environment, significant};
use records::environment::ProcessStatus;

/// Measures how long a run takes.
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts.
    pub fn start() -> Self {
        Self(now())
    }

    /// Returns the seconds since the start, as records have them.
    pub fn seconds(&self) -> f64 {
        significant::round(self.0.elapsed().as_secs_f64())
    }
}

/// Watches all of the timing, from the first table to the last.
///
/// One interval covers everything that is timed, since a disturbance of one table says nothing of the others. It
/// includes preparations between the readings, which run on the same thread.
pub struct Watch {
    start: Stopwatch,
    before: ProcessStatus,
}

impl Watch {
    /// Starts to watch.
    pub fn start() -> Self {
        Self {
            before: ProcessStatus::now(),
            start: Stopwatch::start(),
        }
    }

    /// Stops, and records the observations. Must be called on the thread that started.
    pub fn stop(self, environment: &mut Environment) {
        environment.timing_seconds = Some(self.start.seconds());
        let status = ProcessStatus::now().since(self.before);
        environment.threads_while_timing = status.threads;
        environment.involuntary_switches_while_timing = status.involuntary_switches;
        environment.seconds_waited_while_timing =
            status.waited_ns.map(|ns| significant::round(ns as f64 / 1e9));
    }
}
