//! Progress display: bars with the time left on a terminal, otherwise one plain line per phase.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Mutex;

use crate::error::Error;
use crate::progress::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::interrupt::Interrupt;

/// Progress on standard error.
pub struct Terminal {
    /// The flag that requests a stop.
    pub interrupt: Interrupt,
    /// `None` without a terminal.
    bar: Option<Mutex<ProgressBar>>,
}

impl Terminal {
    /// Shows bars if standard error is a terminal that can move its cursor, and listens for Ctrl-C.
    ///
    /// # Errors
    ///
    /// Returns an error if the system refuses the signal handlers.
    pub fn listen() -> Result<Self, Error> {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let bar = (io::stderr().is_terminal() && !dumb).then(|| Mutex::new(ProgressBar::hidden()));
        let interrupt = Interrupt::listen()?;
        Ok(Self { interrupt, bar })
    }

    /// Ends the last phase.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            lock(bar).finish();
        }
    }
}

/// Locks the bar, which a panic elsewhere leaves usable.
fn lock(bar: &Mutex<ProgressBar>) -> std::sync::MutexGuard<'_, ProgressBar> {
    bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Progress for Terminal {
    fn begin(&self, phase: &str, steps: u64) {
        let Some(bar) = &self.bar else {
            // If standard error is closed, nobody can be told.
            let _ = writeln!(io::stderr(), "{phase}");
            return;
        };
        let mut bar = lock(bar);
        bar.finish();
        // No colours, so there is nothing for NO_COLOR to switch off. No ticker: it would be a thread, and would
        // disturb the timing.
        let style = ProgressStyle::with_template("{msg:24} {wide_bar} {pos:>4}/{len:<4} {eta:>4} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        *bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr_with_hz(8))
            .with_style(style)
            .with_message(phase.to_owned());
        bar.tick();
    }

    fn step(&self) {
        if let Some(bar) = &self.bar {
            lock(bar).inc(1);
        }
    }

    fn note(&self, sentence: &str) {
        // If standard error is closed, nobody can be told.
        let _ = writeln!(io::stderr(), "{sentence}");
    }

    fn cancelled(&self) -> bool {
        self.interrupt.requested()
    }
}
