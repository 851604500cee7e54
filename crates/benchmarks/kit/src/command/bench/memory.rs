//! The suite `memory`: what filters and sets take for each key.

use std::path::PathBuf;

use harness::benchmark::{Bench, Folder};
use harness::memory::{self, FORMAT, Memory};
use harness::thousands::grouped;

use super::{Program, Suite};
use crate::failure::Failure;
use crate::table;

pub(super) const SUITE: Suite = Suite {
    format: FORMAT,
    programs: &[Program {
        name: "filters and sets",
        run: &["run", "--release"],
        manifest: "crates/membership-filters/memory/Cargo.toml",
        quick: &["--keys", "100000", "--absent", "1000000"],
    }],
    require: || Ok(()),
    write,
};

/// Writes records and chart of what the program measured.
fn write(folder: &Folder, bench: &Bench, files: &[PathBuf]) -> Result<String, Failure> {
    let mut measurements = Vec::new();
    for file in files {
        measurements.extend(memory::read_measurements(file).map_err(Failure::internal)?);
    }
    let rows = memory::write(folder, bench, &measurements).map_err(Failure::internal)?;
    Ok(summary(&rows))
}

fn summary(rows: &[Memory]) -> String {
    let keys = rows.first().map_or(0, |row| row.keys);
    let optional = |bits: Option<f64>| bits.map_or_else(String::new, |bits| format!("{bits:.2}"));
    let lines = rows.iter().map(|row| {
        [
            row.structure.words().to_owned(),
            row.asked_rate
                .map_or_else(String::new, |rate| format!("{} %", rate * 100.0)),
            format!("{:.5} %", row.rate * 100.0),
            format!("{:.2}", row.allocated_bits_per_key),
            format!("{:.2}", row.peak_bits_per_key),
            optional(row.bound_bits_per_key),
        ]
    });
    let header = ["structure", "asked", "FP rate", "bits/key", "built with", "least"];
    let table = table::table(header, &[1, 2, 3, 4, 5], lines);
    format!("\n{} phone numbers\n{table}\n", grouped(keys))
}
