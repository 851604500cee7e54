//! Progress display on a terminal: a line with a percentage and the remaining time, or with a count. If the terminal cannot move
//! its cursor, phases have one plain line each, and counts none. Elsewhere, as in a pipe or a file, nothing is shown.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use crate::failure::{Failure, escaped};
use crate::interrupt::Interrupt;
use crate::number::grouped;
use crate::progress::Progress;
use terminal_size::terminal_size_of;

/// A progress line on standard error.
pub struct Terminal {
    /// The flag that requests a stop.
    pub interrupt: Interrupt,
    /// The phase under way; `None` without a terminal that can move its cursor.
    phase: Option<Mutex<Phase>>,
    /// Set for a terminal that cannot.
    is_dumb: bool,
}

/// The phase whose line is shown.
#[derive(Default)]
struct Phase {
    name: String,
    steps: u64,
    done: u64,
    /// The expected seconds of this and the other phases in their order, and when the first began.
    plan: Option<(Vec<f64>, SystemTime)>,
    /// Phases of the plan that have begun.
    begun: usize,
    /// When the count of a phase began, and when it was last shown.
    counted: Option<[SystemTime; 2]>,
}

/// The time between two displays of a count.
const PAUSE: Duration = Duration::from_millis(125);

/// The seconds of a run after which its own pace weighs as much as the expected one.
const SURE: f64 = 2.0;

impl Phase {
    fn percent(&self) -> u64 {
        100 * self.done / self.steps.max(1)
    }

    /// Writes the line over itself. If standard error is closed, the line is lost.
    fn show(&self) {
        let left = self.remaining();
        let left = left.map_or_else(String::new, |seconds| format!("about {seconds:.0} s left"));
        let _ = write!(
            io::stderr(),
            "\r{:24} {:>3} %   {left:20}",
            self.name,
            self.percent()
        );
    }

    /// Returns the seconds until the end of the last phase, if the run goes on as fast as it went so far.
    fn remaining(&self) -> Option<f64> {
        let (plan, start) = self.plan.as_ref()?;
        let (over, rest) = plan.split_at_checked(self.begun.checked_sub(1)?)?;
        let share = self.percent() as f64 / 100.0;
        let done = over.iter().sum::<f64>() + share * rest.first()?;
        let pace = (start.elapsed().ok()?.as_secs_f64() + SURE) / (done + SURE);
        Some((plan.iter().sum::<f64>() - done) * pace)
    }

    /// Counts on, and writes the line over itself now and then.
    fn count(&mut self, name: &str, things: &str, done: u64) {
        let now = now();
        if self.counted.is_none() || self.name != name {
            self.end();
            name.clone_into(&mut self.name);
            self.counted = Some([now; 2]);
        }
        let since = |time: SystemTime| now.duration_since(time).unwrap_or_default();
        if let Some([began, shown]) = &mut self.counted
            && since(*shown) >= PAUSE
        {
            *shown = now;
            let pace = grouped((done as f64 / since(*began).as_secs_f64()) as u64);
            write_over(&format!("{name} {} {things}, {pace}/s", grouped(done)));
        }
    }

    /// Leaves the line of a phase as it is, and clears that of a count.
    fn leave(&mut self) {
        if self.counted.is_some() {
            write_over("");
            let _ = write!(io::stderr(), "\r");
        } else if !self.name.is_empty() {
            let _ = writeln!(io::stderr());
        }
    }

    fn end(&mut self) {
        self.leave();
        self.name.clear();
        self.counted = None;
    }
}

/// Writes the line of a count over itself. A line that is longer than the terminal's would begin another one.
fn write_over(line: &str) {
    let size = terminal_size_of(io::stderr());
    let width = size.map_or(60, |(width, _)| usize::from(width.0).saturating_sub(1));
    let line: String = format!("{line:60}").chars().take(width).collect();
    let _ = write!(io::stderr(), "\r{line}");
}

#[expect(
    clippy::disallowed_methods,
    reason = "the time that is left is shown, never recorded"
)]
fn now() -> SystemTime {
    SystemTime::now()
}

impl Terminal {
    /// Shows phases if standard error is a terminal, with percentages if it can move its cursor, and listens for Ctrl-C.
    ///
    /// # Errors
    ///
    /// Returns an error if the system refuses the signal handlers.
    pub fn listen() -> Result<Self, Failure> {
        let is_terminal = io::stderr().is_terminal();
        let is_dumb = is_terminal && std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let phase = (is_terminal && !is_dumb).then(Mutex::default);
        let interrupt = Interrupt::listen()?;
        Ok(Self {
            interrupt,
            phase,
            is_dumb,
        })
    }

    /// Ends the last phase.
    pub fn finish(&self) {
        self.on_terminal(Phase::end);
    }

    /// Changes the shown phase, which a panic elsewhere leaves usable.
    fn on_terminal(&self, change: impl FnOnce(&mut Phase)) {
        if let Some(phase) = &self.phase {
            change(&mut phase.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        }
    }
}

/// Ends the line of the phase, so that the end of a run is reported below it.
impl Drop for Terminal {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Progress for Terminal {
    fn expect(&self, seconds: &[f64]) {
        self.on_terminal(|shown| shown.plan = Some((seconds.to_owned(), now())));
    }

    fn begin(&self, phase: &str, steps: u64) {
        self.on_terminal(|shown| {
            shown.end();
            (shown.name, shown.steps, shown.done) = (phase.to_owned(), steps, 0);
            shown.begun += usize::from(shown.plan.is_some());
            shown.show();
        });
        if self.is_dumb {
            let _ = writeln!(io::stderr(), "{phase}");
        }
    }

    fn step(&self) {
        self.on_terminal(|shown| {
            let before = shown.percent();
            shown.done += 1;
            // Written only if it changes, since writing would disturb the timing.
            if shown.percent() != before {
                shown.show();
            }
        });
    }

    fn count(&self, phase: &str, things: &str, done: u64) {
        self.on_terminal(|shown| shown.count(phase, things, done));
    }

    fn note(&self, sentence: &str) {
        // The line of the phase goes on below it.
        self.on_terminal(Phase::leave);
        let _ = writeln!(io::stderr(), "{}", escaped(sentence));
    }

    fn cancelled(&self) -> bool {
        self.interrupt.requested()
    }
}
