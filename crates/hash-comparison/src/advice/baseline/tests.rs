//! Changes since an earlier run: rows of a small run, and times of repeated runs of one build.

use std::path::Path;
use std::sync::LazyLock;

use crate::advice::baseline::*;
use crate::questions::{Place, SpreadRow, TimingRow};
use crate::record::{CallForm, EMPTY, IDEAL};
use crate::run::compare::{self, Options};
use records::number::grouped;
use records::progress::Silent;

mod repeated;
mod rows;

/// Returns the records of a small run. Tests replace its times.
fn measured() -> Records {
    static MEASURED: LazyLock<Records> = LazyLock::new(measure);
    MEASURED.clone()
}

fn measure() -> Records {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys.txt");
    // Enough keys for every file to have rows.
    let lines: String = (0..2_002).map(|number| format!("{number}\n")).collect();
    std::fs::write(&keys, lines).unwrap();
    let options = Options {
        keys: vec![keys],
        quick: true,
        ..Options::default()
    };
    let mut records = compare::run(&options, &Silent).unwrap();
    // Tests say themselves whether other programs disturb a run.
    records.run.environment.seconds_waited_while_timing = Some(0.0);
    // With so few keys, the times by place would be mostly clock overhead.
    for row in &mut records.places {
        row.keys = 2_048;
    }
    records
}

/// Returns `records` as an older program would have written them, without some files.
fn of_fewer_files(records: &Records) -> Records {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    records.write(path).unwrap();
    let mut older = Records::read(path).unwrap();
    older.spread.clear();
    older.places.clear();
    older.structured.clear();
    for name in UNKNOWN_THEN {
        older.run.checksums.remove(name).unwrap();
    }
    older.write(path).unwrap();
    Records::read(path).unwrap()
}

const UNKNOWN_THEN: [&str; 3] = ["spread.csv", "places.csv", "structured.csv"];
