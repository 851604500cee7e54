//! A quick comparison, and what its records must be.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use harness::measure::collisions::NARROW_BITS;
use harness::measure::false_positives::BITS_PER_KEY;
use harness::published::{self, KeySet};
use harness::record::{EMPTY, IDEAL};
use harness::records::Records;

use super::run_command;

/// Measures twice, on all processors and on one thread, and checks the records.
pub(super) fn check(_root: &Path) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| format!("temporary folder: {error}"))?;
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    compare(&first, None)?;
    compare(&second, Some("1"))?;

    let records = Records::read(&first).map_err(|error| error.to_string())?;
    for name in &records.run.files {
        if !first.join(name).is_file() {
            return Err(format!("{name} is listed and not there"));
        }
    }
    rows(&records)?;
    exact_counts(&records)?;
    for name in records.deterministic_files() {
        let read = |folder: &Path| fs::read(folder.join(name)).map_err(|error| format!("{name}: {error}"));
        if read(&first)? != read(&second)? {
            return Err(format!("{name}: one thread gives other bytes than several"));
        }
    }
    Ok(())
}

/// Runs `reproduce`, which says itself what does not agree.
pub(super) fn reproduce(_root: &Path) -> Result<(), String> {
    run_command(this_program()?.arg("reproduce"))
}

fn this_program() -> Result<Command, String> {
    std::env::current_exe()
        .map(Command::new)
        .map_err(|error| format!("this program: {error}"))
}

fn compare(out: &Path, threads: Option<&str>) -> Result<(), String> {
    let mut command = this_program()?;
    command.args(["compare", "--quick", "--out"]).arg(out);
    if let Some(threads) = threads {
        command.env("RAYON_NUM_THREADS", threads);
    }
    // The tables are for people who compare.
    command.stdout(Stdio::null());
    run_command(&mut command)
}

/// Checks that every function has its rows on every dataset.
fn rows(records: &Records) -> Result<(), String> {
    for dataset in records.run.datasets.iter().map(|dataset| dataset.name.as_str()) {
        let names = records
            .run
            .functions
            .iter()
            .map(|function| function.name.as_str());
        for (name, rows) in [("timing.csv", &records.timing), ("latency.csv", &records.latency)] {
            for function in names.clone().chain([EMPTY]) {
                let found = rows
                    .iter()
                    .filter(|row| row.dataset == dataset && row.function == function)
                    .count();
                expect(name, dataset, function, found, 1)?;
            }
        }
        for function in &records.run.functions {
            let bits: Vec<u32> = (records.collisions.iter())
                .filter(|row| row.dataset == dataset && row.function == function.name)
                .map(|row| row.bits)
                .collect();
            if bits != [&[function.bits], &NARROW_BITS[..]].concat() {
                return Err(format!(
                    "collisions.csv: {dataset}, {}: widths {bits:?}",
                    function.name
                ));
            }
            let found = (records.distribution.iter())
                .filter(|row| row.dataset == dataset && row.function == function.name)
                .count();
            if found == 0 {
                return Err(format!("distribution.csv: {dataset}, {}: no rows", function.name));
            }
        }
        for function in names.chain([IDEAL]) {
            let bits: Vec<u32> = (records.false_positives.iter())
                .filter(|row| row.dataset == dataset && row.function == function)
                .map(|row| row.bits_per_key)
                .collect();
            if bits != BITS_PER_KEY {
                return Err(format!(
                    "false_positives.csv: {dataset}, {function}: bits per key {bits:?}"
                ));
            }
        }
    }
    Ok(())
}

fn expect(file: &str, dataset: &str, function: &str, found: usize, expected: usize) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!(
            "{file}: {dataset}, {function}: {found} rows, not {expected}"
        ))
    }
}

/// Checks the counts that are known exactly.
fn exact_counts(records: &Records) -> Result<(), String> {
    let set = KeySet::AppAccounts;
    for row in published::ROWS {
        let bits = records
            .run
            .functions
            .iter()
            .find(|known| known.name == row.function)
            .map(|known| known.bits);
        let found = (records.collisions.iter())
            .find(|found| {
                found.dataset == set.dataset() && found.function == row.function && Some(found.bits) == bits
            })
            .map(|found| found.collisions);
        let expected = row.collisions(set);
        if found != Some(expected) {
            return Err(format!(
                "{} on {}: {found:?} collisions, published are {expected}",
                row.function,
                set.dataset()
            ));
        }
    }
    Ok(())
}
