//! Progress of a run and requests to stop, independent of terminals.

/// An observer of a run, called between steps from any thread of the run. By default it ignores all reports and never stops the run.
pub trait Progress: Sync {
    /// Passes the seconds that each of the coming phases takes on a usual machine, to estimate the remaining time.
    fn expect(&self, _seconds: &[f64]) {}

    /// Begins a phase of `steps` steps; the previous phase is over.
    fn begin(&self, _phase: &str, _steps: u64) {}

    /// Reports that one step of the phase is done.
    fn step(&self) {}

    /// Reports how many things of a phase are done, if nobody knows how many there will be.
    fn count(&self, _phase: &str, _things: &str, _done: u64) {}

    /// Reports a sentence about the input, once.
    fn note(&self, _sentence: &str) {}

    /// Returns true if the run should stop at the next step.
    fn cancelled(&self) -> bool {
        false
    }
}

/// The error of a run that was stopped on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

/// Checks whether `progress` requests a stop.
///
/// # Errors
///
/// Returns [`Cancelled`] if the run should stop.
pub fn go_on(progress: &dyn Progress) -> Result<(), Cancelled> {
    if progress.cancelled() {
        Err(Cancelled)
    } else {
        Ok(())
    }
}

/// A [`Progress`] that shows nothing and never stops a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {}
