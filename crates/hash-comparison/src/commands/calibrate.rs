//! `{program} calibrate`: measures the false-alarm rate of the comparison's statistical tests.

use std::io::{self, Write as _};
use std::path::PathBuf;

use super::columns;
use crate::judge::calibration::{self, Plan, SEEDS};
use crate::record::table;
use crate::terminal::Terminal;
use filter_tools::failure::Failure;
use filter_tools::table::table as shown;

/// Measure the false-alarm rate of the statistical tests.
///
/// Runs the tests of `compare` at full size on SipHash-2-4, with another key for each seed: on the embedded datasets, on the
/// structured key sets, and on random keys for single bits. Each test claims a false-alarm rate of at most 1 %; the table
/// shows the measured rate with an interval. Takes minutes. Exits with 1 if a rate is certainly above the claim.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    {program} calibrate\n  \
    {program} calibrate --seeds 1000 --out calibration.csv")]
pub struct Arguments {
    /// Number of keyed hashes, from 1 to 100000
    #[arg(long, value_name = "N", default_value_t = SEEDS, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seeds: u64,

    /// Also write the table to this CSV file, which must be absent or an earlier calibration
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(path) = &arguments.out {
        calibration::check_destination(path)?;
    }
    let plan = Plan::full(arguments.seeds)?;
    let terminal = Terminal::listen()?;
    let rows = calibration::measure(&plan, &terminal)?;
    terminal.finish();

    let percent = |share: f64| format!("{:.2} %", 100.0 * share);
    let lines = rows.iter().map(|row| {
        [
            row.test.clone(),
            row.question.clone(),
            row.trials.to_string(),
            row.alarms.to_string(),
            percent(row.share),
            format!("{} to {}", percent(row.ci_low), percent(row.ci_high)),
            percent(row.attainable),
            if row.holds { "yes" } else { "NO" }.to_owned(),
        ]
    });
    let header = columns("test | question | trials | alarms | share | interval | by law | at most 1 %");
    let mut out = io::stdout().lock();
    writeln!(out, "{}", shown(header, &[2, 3, 4, 6], lines))?;
    if let Some(path) = &arguments.out {
        table::write(path, &rows)?;
        writeln!(out, "written: {}", path.display())?;
    }
    if rows.iter().all(|row| row.holds) {
        return Ok(());
    }
    Err(Failure::Checked)
}
