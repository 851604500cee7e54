//! Ctrl-C, or SIGTERM: the first asks the work to stop between two steps, the second ends the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{SigId, flag, low_level};

use crate::error::Error;

/// Signals that ask to stop. Not SIGHUP: under `nohup` it must stay ignored.
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// Whether Ctrl-C was pressed, or another process asked this one to stop. No thread waits for it: that would disturb
/// the timing.
#[derive(Debug)]
pub struct Interrupt {
    requested: Arc<AtomicBool>,
    second: Vec<SigId>,
}

impl Interrupt {
    /// Listens from now on.
    ///
    /// # Errors
    ///
    /// When the system does not let a program listen.
    pub fn listen() -> Result<Self, Error> {
        let failed = |error: std::io::Error| Error::internal(error.to_string());
        let requested = Arc::new(AtomicBool::new(false));
        // The order matters: the first signal must find the flag unset here, and set it below.
        let mut second = Vec::with_capacity(SIGNALS.len());
        for signal in SIGNALS {
            let shutdown = flag::register_conditional_shutdown(signal, 130, Arc::clone(&requested));
            second.push(shutdown.map_err(failed)?);
            flag::register(signal, Arc::clone(&requested)).map_err(failed)?;
        }
        Ok(Self { requested, second })
    }

    /// Whether the work should stop.
    pub fn requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// From now on these signals are ignored: for the moment in which finished files are moved.
    pub fn ignore(&self) {
        for &action in &self.second {
            low_level::unregister(action);
        }
    }
}
