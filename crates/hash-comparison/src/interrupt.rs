//! Ctrl-C: the first asks the work to stop between two steps, the second ends the process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use signal_hook::{SigId, flag, low_level};

/// Whether Ctrl-C was pressed. No thread waits for it: that would disturb the timing.
#[derive(Debug)]
pub struct Interrupt {
    requested: Arc<AtomicBool>,
    second: SigId,
}

impl Interrupt {
    /// Listens from now on.
    ///
    /// # Errors
    ///
    /// When the system does not let a program listen.
    pub fn listen() -> io::Result<Self> {
        let requested = Arc::new(AtomicBool::new(false));
        // The order matters: the first signal must find the flag unset here, and set it below.
        let second = flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&requested))?;
        flag::register(SIGINT, Arc::clone(&requested))?;
        Ok(Self { requested, second })
    }

    /// Whether the work should stop.
    pub fn requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// From now on Ctrl-C is ignored: for the moment in which finished files are moved.
    pub fn ignore(&self) {
        low_level::unregister(self.second);
    }
}
