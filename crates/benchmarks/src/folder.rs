//! The output folder of a benchmark.

use std::collections::BTreeMap;
use std::path::Path;

use records::document::{self, Document, RUN};
use records::environment::{self, Environment};
use records::file::checksum;
use records::folder::{CHARTS, Destination, Kind};
use records::table;
use serde::{Deserialize, Serialize};
use terminal::failure::Failure;

use crate::record::{Batch, Row};
use crate::suite::Suite;

/// `run.json`: the facts that are not in the CSV files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bench {
    format: String,
    schema: u32,
    /// Name and version of the program.
    generator: String,
    /// The command line that repeats this run.
    command: String,
    /// Start of the run, UTC, RFC 3339.
    date: String,
    /// Set for a quick run, whose figures must not be quoted.
    quick: bool,
    /// The machine, and the build of this program.
    pub environment: Environment,
    /// The SHA-256 sums of the files.
    pub checksums: BTreeMap<String, String>,
}

impl Bench {
    /// Builds the record of a run that starts now, on this machine.
    pub fn now(command: String, quick: bool) -> Self {
        Self {
            format: Self::FORMAT.to_owned(),
            schema: Self::SCHEMA,
            generator: format!("bench {}", env!("CARGO_PKG_VERSION")),
            command,
            date: environment::now_utc(),
            quick,
            environment: environment::collect(),
            checksums: BTreeMap::new(),
        }
    }
}

impl Document for Bench {
    const FORMAT: &'static str = "bench";
    const SCHEMA: u32 = 5;

    fn checksums(&mut self) -> &mut BTreeMap<String, String> {
        &mut self.checksums
    }

    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The folder of a benchmark: absent, empty, or of an earlier one.
pub static KIND: Kind = Kind {
    records: || {
        let suites = [
            "membership.csv",
            "point_reads.csv",
            "policy.csv",
            "range_rates.csv",
            "range_requests.csv",
            "range_times.csv",
            "rates.csv",
            "redis.csv",
        ];
        [&["batches.csv"], &suites[..]].concat()
    },
    list: |path| Ok(document::read::<Bench>(path)?.checksums.into_keys().collect()),
};

/// Draws the charts of a suite: the names of the files in its folder, and their bytes.
pub fn charts(suite: &Suite, rows: &[Row]) -> Vec<(String, Vec<u8>)> {
    let charts = (suite.summary.charts)(rows).into_iter().map(|(name, scene)| {
        let svg = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}",
            plots::svg(&scene)
        );
        (format!("{CHARTS}/{name}.svg"), svg.into_bytes())
    });
    charts.collect()
}

/// Writes the records of a suite to `folder`, and returns the summary.
///
/// # Errors
///
/// If batches do not fit together, the folder may no longer be written to, or an operation on files fails.
pub fn write(suite: &Suite, folder: &Path, mut bench: Bench, batches: &[Batch]) -> Result<String, Failure> {
    let rows = suite.rows(batches)?;
    let destination = Destination::check(folder, &KIND)?;
    let batches = table::lines(&suite.columns(Batch::COLUMNS), batches);
    let lines = table::lines(&suite.columns(Row::COLUMNS), &rows);
    let mut files = vec![
        ("batches.csv".to_owned(), batches),
        (format!("{}.csv", suite.rows), lines),
    ];
    files.extend(charts(suite, &rows));
    for (name, bytes) in files {
        destination.write(&name, &bytes)?;
        bench.checksums.insert(name, checksum(&bytes));
    }
    destination.write(RUN, &document::to_bytes(&bench))?;
    let names: Vec<String> = bench.checksums.into_keys().chain([RUN.to_owned()]).collect();
    destination.commit(&names)?;
    Ok(suite.summary.text(suite, &rows))
}
