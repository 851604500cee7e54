//! The suite `policy`: filters built and asked by an engine's own policy, ours, and those of other crates: LevelDB's by
//! every kernel, and RocksDB's.

use std::path::PathBuf;

use harness::benchmark::{Bench, Folder};
use harness::policy::{self, FORMAT, Policy, ROCKSDB_FORMAT};
use harness::thousands::grouped;

use super::point_reads::{require_header, require_leveldb};
use super::{Program, Suite};
use crate::failure::Failure;
use crate::table;

pub(super) const SUITE: Suite = Suite {
    format: FORMAT,
    programs: &[Program {
        name: "LevelDB's policy and its peers",
        run: &["run", "--release", "--bin", "policy"],
        manifest: "crates/filter-policy-leveldb/real-engine/Cargo.toml",
        quick: &["--keys", "32,4096", "--rounds", "7"],
    }],
    require: require_leveldb,
    write,
};

/// The same for RocksDB's filters.
pub(super) const ROCKSDB: Suite = Suite {
    format: ROCKSDB_FORMAT,
    programs: &[Program {
        name: "RocksDB's policies and their peers",
        run: &["run", "--release", "--bin", "rocksdb_policy"],
        manifest: "crates/filter-policy/real-rocksdb/Cargo.toml",
        quick: &["--keys", "32,4096", "--rounds", "7"],
    }],
    require: require_rocksdb,
    write,
};

/// Checks that the C++ compiler finds RocksDB, before minutes are spent.
pub(super) fn require_rocksdb() -> Result<(), Failure> {
    require_header("rocksdb/c.h", "RocksDB", "librocksdb-dev")
}

/// Writes records and chart of what the program measured.
fn write(folder: &Folder, bench: &Bench, files: &[PathBuf]) -> Result<String, Failure> {
    let mut batches = Vec::new();
    for file in files {
        batches.extend(policy::read_batches(file).map_err(Failure::internal)?);
    }
    let rows = policy::write(folder, bench, &batches).map_err(Failure::internal)?;
    Ok(summary(&rows))
}

/// A table for each task and length of keys, a column for each size.
fn summary(rows: &[Policy]) -> String {
    let group = |row: &Policy| (row.key_lengths, row.task);
    let mut text = String::new();
    for rows in rows.chunk_by(|a, b| group(a) == group(b)) {
        let Some(first) = rows.first() else { continue };
        // They are sorted by size.
        let mut sizes: Vec<u64> = rows.iter().map(|row| row.filter_keys).collect();
        sizes.dedup();
        let way = |row: &Policy| (row.contender, row.form);
        let mut ways: Vec<&Policy> = rows.iter().collect();
        ways.sort_by_key(|row| way(row));
        ways.dedup_by_key(|row| way(row));
        let lines = ways.into_iter().map(|of_way| {
            let cells = sizes.iter().map(|&size| {
                let of_cell = |row: &&Policy| row.filter_keys == size && way(row) == way(of_way);
                rows.iter().find(of_cell).map_or_else(String::new, cell)
            });
            std::iter::once(of_way.name()).chain(cells).collect::<Vec<_>>()
        });
        let mut header = vec!["keys of a filter".to_owned()];
        header.extend(sizes.iter().map(|&size| short(size)));
        let numbers: Vec<usize> = (1..=sizes.len()).collect();
        let table = table::table(header, &numbers, lines);
        text.push_str(&format!(
            "\n{}, {}, {} bits for each\n{table}\n",
            first.task.words(),
            first.key_lengths.words(),
            first.bits_per_key
        ));
    }
    let engine = rows.iter().find(|row| row.contender.is_engine());
    let engine = engine.map_or("engine", |row| row.contender.words());
    text.push_str(&format!(
        "\n{engine}: nanoseconds a key; others: time over {engine}'s. Their 95 % intervals are in policy.csv.\n"
    ));
    text
}

/// So that eight sizes fit eighty columns.
fn short(size: u64) -> String {
    if size >= 1_000_000 && size.is_multiple_of(1_000_000) {
        format!("{} M", size / 1_000_000)
    } else {
        grouped(size)
    }
}

fn cell(row: &Policy) -> String {
    if row.contender.is_engine() {
        format!("{:.1}", row.median_ns_per_key)
    } else {
        format!("{:.3}", row.ratio_to_engine)
    }
}

#[cfg(test)]
mod tests {
    use harness::policy::{Contender, Form, KeyLengths, Task};

    use super::*;

    #[test]
    fn the_widest_table_is_not_wrapped() {
        let mut rows = Vec::new();
        for filter_keys in [32, 128, 512, 4096, 16_384, 100_000, 1_000_000, 20_000_000] {
            for contender in [Contender::Leveldb, Contender::Avx512, Contender::FastbloomHashes] {
                rows.push(Policy {
                    contender,
                    form: Form::OneByOne,
                    version: String::new(),
                    task: Task::Absent,
                    key_lengths: KeyLengths::Mixed,
                    filter_keys,
                    bits_per_key: 10,
                    rounds: 1,
                    keys: 1,
                    median_ns_per_key: 123.456,
                    mad_ns_per_key: 0.0,
                    ratio_to_engine: 0.25,
                    ratio_low: 0.25,
                    ratio_high: 0.25,
                });
            }
        }
        let text = summary(&rows);
        // A line for each contender beside two of title, two of header and rule, and two at the end.
        assert_eq!(text.lines().count(), 3 + 6, "{text}");
        assert!(text.contains(" 16,384  100,000    1 M   20 M\n"), "{text}");
    }
}
