//! The suite `membership`: Bloom filters for applications against Guava.

use std::path::PathBuf;

use harness::benchmark::{Bench, Folder};
use harness::membership::{self, FORMAT, Membership, Operation};

use super::{Program, Suite};
use crate::failure::Failure;
use crate::suite::programs;
use crate::table;

pub(super) const SUITE: Suite = Suite {
    format: FORMAT,
    programs: &[Program {
        name: "Guava and its peers",
        run: &["run", "--release", "--bin", "membership"],
        manifest: "crates/guava-bloom/real-guava/Cargo.toml",
        quick: &["--quick"],
    }],
    require: || programs::require_these(&programs::JAVA),
    write,
};

/// Writes records and chart of what the program measured.
fn write(folder: &Folder, bench: &Bench, files: &[PathBuf]) -> Result<String, Failure> {
    let mut batches = Vec::new();
    for file in files {
        batches.extend(membership::read_batches(file).map_err(Failure::internal)?);
    }
    let rows = membership::write(folder, bench, &batches).map_err(Failure::internal)?;
    Ok(summary(&rows))
}

/// A table for each size and operation.
fn summary(rows: &[Membership]) -> String {
    let group = |row: &Membership| (row.bits, row.operation);
    let mut text = String::new();
    for rows in rows.chunk_by(|a, b| group(a) == group(b)) {
        let Some(first) = rows.first() else { continue };
        let lines = rows.iter().map(|row| {
            [
                row.filter.words().to_owned(),
                format!("{:.1} \u{b1} {:.1}", row.median_ns_per_call, row.mad_ns_per_call),
                format!("{:.3}", row.ratio_to_guava),
                format!("{:.3}\u{2013}{:.3}", row.ratio_low, row.ratio_high),
                match row.operation {
                    Operation::Absent => format!("{:.2} %", 100.0 * row.yes_share),
                    Operation::Put | Operation::Present => String::new(),
                },
            ]
        });
        let header = ["filter", "ns/key \u{b1} MAD", "of Guava's", "95 % CI", "FP rate"];
        let table = table::table(header, &[1, 2, 3, 4], lines);
        text.push_str(&format!(
            "\n{}, {} bits for {} keys, {} probes\n{table}\n",
            first.operation.words(),
            first.bits,
            first.insertions,
            first.probes
        ));
        let others = rows.iter().filter(|row| row.probes != first.probes);
        for row in others {
            text.push_str(&format!("{}: {} probes\n", row.filter.words(), row.probes));
        }
    }
    text
}
