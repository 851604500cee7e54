//! Ctrl-C and SIGTERM: the first signal requests a stop between two steps, the second ends the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{SigId, flag, low_level};

use crate::failure::Failure;

/// Signals that request a stop. SIGHUP is not among them: under `nohup` SIGHUP must stay ignored.
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// A flag that is set by Ctrl-C or SIGTERM. No thread waits for the signal, since that would disturb the timing.
#[derive(Debug)]
pub struct Interrupt {
    requested: Arc<AtomicBool>,
    second: Vec<SigId>,
}

impl Interrupt {
    /// Starts to listen for the signals.
    ///
    /// # Errors
    ///
    /// Returns an error if the system refuses the signal handlers.
    pub fn listen() -> Result<Self, Failure> {
        let requested = Arc::new(AtomicBool::new(false));
        // The order matters: the first signal must find the flag unset here, and set it below.
        let mut second = Vec::with_capacity(SIGNALS.len());
        for signal in SIGNALS {
            let shutdown = flag::register_conditional_shutdown(signal, 130, Arc::clone(&requested));
            second.push(shutdown.map_err(Failure::internal)?);
            flag::register(signal, Arc::clone(&requested)).map_err(Failure::internal)?;
        }
        Ok(Self { requested, second })
    }

    /// Returns the flag that is set when the work should stop.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.requested)
    }

    /// Returns true if the work should stop.
    pub fn requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// Ignores the signals from now on, while finished files are moved.
    pub fn ignore(&self) {
        for &action in &self.second {
            low_level::unregister(action);
        }
    }
}
