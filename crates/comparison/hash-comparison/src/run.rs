//! A run: measured, judged, and written.

pub use measuring::run::{Plan, count, count_values, hash};

use crate::advice;
use crate::questions::Records;
use crate::report;
use records::folder::Destination;
use terminal::bar::Terminal;
use terminal::failure::Failure;
use terminal::progress::Progress;

/// Measures as [`measure`] does, and writes the report. Returns the records as they were written.
pub(crate) fn run(
    plan: &Plan,
    earlier: Option<&Records>,
    destination: Destination,
    terminal: &Terminal,
) -> Result<Records, Failure> {
    let measured = measure(plan, earlier, terminal);
    // A library whose calls were stopped fails its checks, which says nothing about it.
    if terminal.interrupt.requested() {
        return Err(Failure::Interrupted);
    }
    report::write(measured?, destination, terminal)
}

/// Measures and judges. Times, machine and date are those of an `earlier` run, if there is one. The report fills in the list of
/// files.
pub(crate) fn measure(
    plan: &Plan,
    earlier: Option<&Records>,
    progress: &dyn Progress,
) -> Result<Records, Failure> {
    let mut records = measuring::run::measure(plan, earlier, progress)?;
    advice::judge(&mut records);
    Ok(records)
}
