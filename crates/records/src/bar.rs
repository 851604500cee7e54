//! Progress display: a line with a percentage on a terminal, otherwise one plain line per phase.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Mutex;

use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::progress::Progress;

/// Progress on standard error.
pub struct Terminal {
    /// The flag that requests a stop.
    pub interrupt: Interrupt,
    /// `None` without a terminal.
    phase: Option<Mutex<Phase>>,
}

/// The phase whose line is shown.
#[derive(Default)]
struct Phase {
    name: String,
    steps: u64,
    done: u64,
}

impl Phase {
    /// Writes the line over itself. If standard error is closed, nobody can be told.
    fn show(&self) {
        let percent = 100 * self.done / self.steps.max(1);
        let _ = write!(io::stderr(), "\r{:24} {percent:>3} %", self.name);
    }

    /// Leaves the line as it is.
    fn end(&mut self) {
        if !self.name.is_empty() {
            let _ = writeln!(io::stderr());
        }
        *self = Self::default();
    }
}

impl Terminal {
    /// Shows percentages if standard error is a terminal that can move its cursor, and listens for Ctrl-C.
    ///
    /// # Errors
    ///
    /// Returns an error if the system refuses the signal handlers.
    pub fn listen() -> Result<Self, Error> {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let phase = (io::stderr().is_terminal() && !dumb).then(Mutex::default);
        let interrupt = Interrupt::listen()?;
        Ok(Self { interrupt, phase })
    }

    /// Ends the last phase.
    pub fn finish(&self) {
        self.on_terminal(Phase::end);
    }

    /// Changes the shown phase, which a panic elsewhere leaves usable. Returns false without a terminal.
    fn on_terminal(&self, change: impl FnOnce(&mut Phase)) -> bool {
        let phase = self.phase.as_ref();
        let locked = phase.map(|phase| phase.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        locked.map(|mut phase| change(&mut phase)).is_some()
    }
}

impl Progress for Terminal {
    fn begin(&self, phase: &str, steps: u64) {
        let is_shown = self.on_terminal(|shown| {
            shown.end();
            (shown.name, shown.steps) = (phase.to_owned(), steps);
            shown.show();
        });
        if !is_shown {
            let _ = writeln!(io::stderr(), "{phase}");
        }
    }

    fn step(&self) {
        self.on_terminal(|shown| {
            let before = 100 * shown.done / shown.steps.max(1);
            shown.done += 1;
            // Written only if it changes, since writing would disturb the timing.
            if 100 * shown.done / shown.steps.max(1) != before {
                shown.show();
            }
        });
    }

    fn note(&self, sentence: &str) {
        // Below the line of the phase.
        let start = if self.phase.is_some() { "\n" } else { "" };
        let _ = writeln!(io::stderr(), "{start}{sentence}");
    }

    fn cancelled(&self) -> bool {
        self.interrupt.requested()
    }
}
