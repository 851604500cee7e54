//! The suite `point-reads`: what filters are worth to storage engines.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use harness::benchmark::{Bench, Folder};
use harness::point_reads::{self, Cache, FORMAT, Keys, PointReads};

use super::{Program, Suite};
use crate::failure::Failure;
use crate::table;

pub(super) const SUITE: Suite = Suite {
    format: FORMAT,
    programs: &PROGRAMS,
    require: require_leveldb,
    write,
};

const PROGRAMS: [Program; 2] = [
    Program {
        name: "LevelDB",
        run: &["run", "--release", "--bin", "point_reads"],
        manifest: "crates/filter-policy-leveldb/real-engine/Cargo.toml",
        quick: &["--entries", "50000", "--rounds", "15"],
    },
    Program {
        name: "rusty-leveldb",
        run: &["bench", "--bench", "point_reads"],
        manifest: "crates/filter-policy-rusty-leveldb/Cargo.toml",
        quick: &["--entries", "20000", "--rounds", "15"],
    },
];

/// Writes records and chart of what the programs measured.
fn write(folder: &Folder, bench: &Bench, files: &[PathBuf]) -> Result<String, Failure> {
    let mut batches = Vec::new();
    for file in files {
        batches.extend(point_reads::read_batches(file).map_err(Failure::internal)?);
    }
    let rows = point_reads::write(folder, bench, &batches).map_err(Failure::internal)?;
    Ok(summary(&rows))
}

/// Checks that the C++ compiler finds LevelDB, before minutes are spent.
pub(super) fn require_leveldb() -> Result<(), Failure> {
    require_header("leveldb/c.h", "LevelDB", "libleveldb-dev")
}

/// Checks that the C++ compiler finds a header of this engine.
pub(super) fn require_header(header: &str, engine: &str, package: &str) -> Result<(), Failure> {
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let found = Command::new(&compiler)
        .args(["-fsyntax-only", "-include", header, "-x", "c++", "-"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let missing = match found {
        Ok(status) if status.success() => return Ok(()),
        Ok(_) => format!("{engine}'s headers (package {package})"),
        Err(error) => format!("{} (package g++): {error}", compiler.display()),
    };
    Err(Failure::input(format!(
        "missing: {missing}; run `apt-get install g++ {package}`"
    )))
}

/// A table for each engine, what the block cache holds, and kind of keys.
fn summary(rows: &[PointReads]) -> String {
    let group = |row: &PointReads| (row.engine.clone(), row.key_set, row.cache, row.keys);
    let mut text = String::new();
    for rows in rows.chunk_by(|a, b| group(a) == group(b)) {
        let Some(first) = rows.first() else { continue };
        let keys = match first.keys {
            Keys::Absent => "absent keys",
            Keys::Present => "present keys",
        };
        let cache = match first.cache {
            Cache::Nothing => "no block cached",
            Cache::OneBlock => "one block cached",
            Cache::Everything => "every block cached",
        };
        let lines = rows.iter().map(|row| {
            [
                row.policy.words().to_owned(),
                format!("{:.4}", row.blocks_per_get),
                format!("{:.0} \u{b1} {:.0}", row.median_ns_per_get, row.mad_ns_per_get),
                format!("{:.3}", row.ratio_to_no_filter),
                format!("{:.3}\u{2013}{:.3}", row.ratio_low, row.ratio_high),
            ]
        });
        let header = [
            "policy",
            "blocks/Get",
            "ns/Get \u{b1} MAD",
            "of no filter",
            "95 % CI",
        ];
        let table = table::table(header, &[1, 2, 3, 4], lines);
        text.push_str(&format!(
            "\n{} {}, {keys}, {cache}\n{table}\n",
            first.engine, first.version
        ));
    }
    text
}
