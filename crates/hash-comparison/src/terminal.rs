//! Shows how far the work is: bars with time left on a terminal, one plain line a phase otherwise.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Mutex;

use crate::error::Error;
use crate::progress::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::interrupt::Interrupt;

/// Progress on standard error.
pub struct Terminal {
    /// Whether the work should stop.
    pub interrupt: Interrupt,
    /// `None` where there is no terminal.
    bar: Option<Mutex<ProgressBar>>,
}

impl Terminal {
    /// Shows bars if standard error is a terminal that can move its cursor, and listens for Ctrl-C.
    ///
    /// # Errors
    ///
    /// When the system does not let a program listen.
    pub fn listen() -> Result<Self, Error> {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let bar = (io::stderr().is_terminal() && !dumb).then(|| Mutex::new(ProgressBar::hidden()));
        let interrupt = Interrupt::listen()?;
        Ok(Self { interrupt, bar })
    }

    /// The last phase is over.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            lock(bar).finish();
        }
    }
}

/// A panic elsewhere leaves the bar usable.
fn lock(bar: &Mutex<ProgressBar>) -> std::sync::MutexGuard<'_, ProgressBar> {
    bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Progress for Terminal {
    fn begin(&self, phase: &str, steps: u64) {
        let Some(bar) = &self.bar else {
            // Nobody is left to be told when standard error is closed.
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

    fn cancelled(&self) -> bool {
        self.interrupt.requested()
    }
}
