//! Comparison of a run with an earlier run: changes beyond noise.
//!
//! Results that do not depend on the machine must match to the last digit, so every difference is reported. Times never
//! repeat exactly; [`times`] explains which changes are reported. This module measures nothing: both runs are records.

mod rows;
pub mod times;
pub mod words;

use std::path::Path;

use crate::questions::Records;
use crate::record::{Baseline, Run};

/// Compares `now` with the earlier run `before`, which was read from `folder`.
///
/// Compares the rows of the functions and datasets that both runs have, with the same keys and seed. The notes name the
/// datasets, functions, files and rows that only one run has.
pub fn hold_against(before: &Records, folder: &Path, now: &Records) -> Baseline {
    let mut notes = notes(&before.run, &now.run);
    let common = rows::Common::new(before, now, &mut notes);
    let times = same_machine(&before.run, &now.run).then(|| times::compare(before, now, &common.datasets));
    let mut baseline = Baseline {
        folder: folder.display().to_string(),
        date: before.run.date.clone(),
        generator: before.run.generator.clone(),
        command: before.run.command.clone(),
        notes,
        compared_rows: 0,
        differences: Vec::new(),
        times,
    };
    common.compare(before, now, &mut baseline);
    baseline
}

/// Returns true if both runs are of the same machine. Times of two machines are not compared.
fn same_machine(before: &Run, now: &Run) -> bool {
    let (before, now) = (&before.environment, &now.environment);
    before.cpu == now.cpu && before.target == now.target
}

/// Notes differences in environment, seed and samples, and disturbed timing.
fn notes(before: &Run, now: &Run) -> Vec<String> {
    let mut notes = Vec::new();
    let (old, new) = (&before.environment, &now.environment);
    let facts = [
        ("processor", &old.cpu, &new.cpu),
        ("target", &old.target, &new.target),
        ("operating system", &old.os, &new.os),
        ("compiler", &old.rustc, &new.rustc),
        ("compiler flags", &old.rustflags, &new.rustflags),
        ("profile", &old.profile, &new.profile),
        ("program", &before.generator, &now.generator),
    ];
    for (what, old, new) in facts {
        if old != new {
            notes.push(format!("The {what} was {old:?} and is {new:?}."));
        }
    }
    if before.seed != now.seed {
        notes.push(format!("The seed was {} and is {}.", before.seed, now.seed));
    }
    if before.quick != now.quick {
        let which = if before.quick { "the earlier" } else { "this" };
        notes.push(format!(
            "Only {which} run was --quick, with fewer timing samples."
        ));
    }
    for (run, which) in [(before, "the earlier run"), (now, "this run")] {
        if run.environment.timing_disturbed() == Some(true) {
            notes.push(format!(
                "Other programs disturbed the timing of {which}, so only changes by a factor of {} are told.",
                times::LEAST_CHANGE_IF_DISTURBED
            ));
        }
    }
    notes
}

#[cfg(test)]
mod tests;
