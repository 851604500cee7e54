//! What a run tells whoever watches it, and asks: the library knows nothing of terminals.

/// Watches a run. Called between steps, from any thread of the run.
pub trait Progress: Sync {
    /// A phase of `steps` steps begins; the one before is over.
    fn begin(&self, phase: &str, steps: u64);

    /// One step of the phase is done.
    fn step(&self);

    /// Whether the run should stop at the next step.
    fn cancelled(&self) -> bool;
}

/// The run was asked to stop, and stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

impl std::fmt::Display for Cancelled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("stopped on request")
    }
}

impl std::error::Error for Cancelled {}

/// Asks `progress` whether to go on.
///
/// # Errors
///
/// [`Cancelled`] when the run should stop.
pub fn go_on(progress: &dyn Progress) -> Result<(), Cancelled> {
    if progress.cancelled() {
        Err(Cancelled)
    } else {
        Ok(())
    }
}

/// Watches nothing and never stops a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _phase: &str, _steps: u64) {}

    fn step(&self) {}

    fn cancelled(&self) -> bool {
        false
    }
}
