//! The suite `rates`: what filters of every policy let through, by keys and by bits per key. It times nothing, and is
//! measured in this process.

use std::io::{self, Write as _};
use std::num::NonZero;
use std::path::Path;
use std::thread;

use harness::benchmark::{Bench, Folder};
use harness::rates::{self, Effort, FORMAT, Rate, RatesError, SERIES};
use harness::thousands::grouped;
use harness::{environment, progress::Progress as _};

use crate::commands::written;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::table;
use crate::terminal::Terminal;

pub(super) fn run(out: &Path, quick: bool) -> Result<(), Failure> {
    // What can be wrong comes before minutes are spent.
    let folder = Folder::check(out, FORMAT).map_err(written::output)?;
    let interrupt = Interrupt::listen().map_err(Failure::internal)?;
    let terminal = Terminal::new(&interrupt);
    let words = if quick { " --quick" } else { "" };
    let bench = Bench::new(
        FORMAT,
        format!("cargo xtask bench --suite rates{words}"),
        environment::now_utc(),
        quick,
        environment::collect(),
    );
    let effort = if quick { Effort::QUICK } else { Effort::FULL };
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let measured = rates::rates(&SERIES, &effort, threads, &terminal);
    terminal.finish();
    let rows = measured.map_err(|error| match error {
        RatesError::Cancelled => Failure::Interrupted,
        error => Failure::internal(error),
    })?;
    if terminal.cancelled() {
        return Err(Failure::Interrupted);
    }
    interrupt.ignore();
    rates::write(&folder, &bench, &rows).map_err(Failure::internal)?;
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", summary(&rows))?;
    writeln!(stdout, "written to {}", out.display())?;
    Ok(())
}

/// A table for each of the bits per key that all sizes have: a line for each series, rates over the ideal one by size.
fn summary(rows: &[Rate]) -> String {
    let mut sizes: Vec<u64> = rows.iter().map(|row| row.keys).collect();
    sizes.sort_unstable();
    sizes.dedup();
    // As many as fit beside the names.
    let step = sizes.len().div_ceil(6).max(1);
    let mut shown: Vec<u64> = sizes.iter().rev().step_by(step).copied().collect();
    shown.reverse();
    let mut text = String::new();
    for bits in Effort::FEW_BITS {
        let lines = rows.chunk_by(|a, b| a.name() == b.name()).map(|of| {
            let cells = shown.iter().map(|&keys| {
                let row = of.iter().find(|row| (row.keys, row.bits_per_key) == (keys, bits));
                row.map_or_else(String::new, |row| format!("{:.2}", row.rate / row.ideal))
            });
            let name = of.first().map(Rate::name).unwrap_or_default();
            std::iter::once(name).chain(cells).collect::<Vec<_>>()
        });
        let mut header = vec![format!("{bits} bits per key")];
        header.extend(shown.iter().map(|&keys| grouped(keys)));
        let numbers: Vec<usize> = (1..=shown.len()).collect();
        text.push_str(&format!("\n{}\n", table::table(header, &numbers, lines)));
    }
    text.push_str(
        "\nFalse positives over those of an ideal filter, by the keys of a filter. Rates are in rates.csv.\n",
    );
    text
}
