//! A part of the suite `policy`: every policy's rate, memory and times, for the page that tells which to take.

use std::path::PathBuf;

use harness::benchmark::{Bench, Folder};
use harness::thousands::grouped;
use harness::which::{self, FORMAT, Which};

use super::policy::require_rocksdb;
use super::{Program, Suite};
use crate::failure::Failure;

pub(super) const SUITE: Suite = Suite {
    format: FORMAT,
    programs: &[Program {
        name: "every policy",
        run: &["run", "--release", "--bin", "which_policy"],
        // Where the programs with a clock are, which the main workspace has not.
        manifest: "crates/filter-policy/real-rocksdb/Cargo.toml",
        quick: &["--keys", "32,4096", "--rounds", "7"],
    }],
    require: require_rocksdb,
    write,
};

/// Writes records and chart of what the program measured.
fn write(folder: &Folder, bench: &Bench, files: &[PathBuf]) -> Result<String, Failure> {
    let mut batches = Vec::new();
    for file in files {
        batches.extend(which::read_batches(file).map_err(Failure::internal)?);
    }
    let rows = which::write(folder, bench, &batches).map_err(Failure::internal)?;
    Ok(summary(&rows))
}

/// The table of times, in the form of the page `crates/filter-policy/WHICH.md`.
fn summary(rows: &[Which]) -> String {
    let mut sizes: Vec<u64> = rows.iter().map(|row| row.filter_keys).collect();
    sizes.dedup();
    let mut policies: Vec<_> = rows.iter().map(|row| row.policy).collect();
    policies.sort_unstable();
    policies.dedup();
    let mut text = "\nNanoseconds a key: build / absent / present\n\n| policy |".to_owned();
    for size in &sizes {
        text += &format!(" {} keys |", grouped(*size));
    }
    text += &format!("\n|---|{}\n", "---:|".repeat(sizes.len()));
    for policy in policies {
        text += &format!("| {} |", policy.on_page());
        for row in rows.iter().filter(|row| row.policy == policy) {
            text += &format!(
                " {:.1} / {:.1} / {:.1} |",
                row.build_ns, row.absent_ns, row.present_ns
            );
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use harness::which::Policy;

    use super::*;

    #[test]
    fn the_table_is_the_pages() {
        let row = |policy, filter_keys, build_ns| Which {
            policy,
            filter_keys,
            bits_per_key: 10,
            bytes: 41,
            rate: 0.01,
            rounds: 3,
            build_ns,
            build_mad_ns: 0.0,
            absent_ns: 7.0,
            absent_mad_ns: 0.0,
            present_ns: 8.0,
            present_mad_ns: 0.0,
        };
        let text = summary(&[
            row(Policy::Leveldb, 32, 1.25),
            row(Policy::Ribbon, 32, 100.0),
            row(Policy::Leveldb, 4096, 1.5),
            row(Policy::Ribbon, 4096, 50.0),
        ]);
        assert_eq!(
            text,
            "\nNanoseconds a key: build / absent / present\n\n\
             | policy | 32 keys | 4,096 keys |\n|---|---:|---:|\n\
             | `BloomFilterPolicy`, LevelDB's hash | 1.2 / 7.0 / 8.0 | 1.5 / 7.0 / 8.0 |\n\
             | `RibbonPolicy` | 100.0 / 7.0 / 8.0 | 50.0 / 7.0 / 8.0 |\n"
        );
    }
}
