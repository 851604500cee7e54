//! The suite `redis`: filters in Redis against `redis-benchmark`.

use std::path::PathBuf;

use harness::benchmark::{Bench, Folder};
use harness::redis::{self, Client, FORMAT, Operation, Redis, break_even};

use super::{Program, Suite};
use crate::failure::Failure;
use crate::suite::programs;
use crate::table;

pub(super) const SUITE: Suite = Suite {
    format: FORMAT,
    programs: &[Program {
        name: "Redis",
        run: &["bench", "--bench", "round_trips"],
        manifest: "crates/bloom-redis/Cargo.toml",
        quick: &["--quick"],
    }],
    require: || programs::require_these(&programs::REDIS),
    write,
};

/// Writes records and chart of what the program measured.
fn write(folder: &Folder, bench: &Bench, files: &[PathBuf]) -> Result<String, Failure> {
    let mut batches = Vec::new();
    for file in files {
        batches.extend(redis::read_batches(file).map_err(Failure::internal)?);
    }
    let rows = redis::write(folder, bench, &batches).map_err(Failure::internal)?;
    Ok(summary(&rows))
}

/// A table for each operation and number of keys, single calls against batches, and when a download pays.
fn summary(rows: &[Redis]) -> String {
    let group = |row: &Redis| (row.operation, row.batch);
    let mut text = String::new();
    let asked: Vec<&Redis> = rows
        .iter()
        .filter(|row| row.operation != Operation::Download)
        .collect();
    for rows in asked.chunk_by(|a, b| group(a) == group(b)) {
        let Some(first) = rows.first() else { continue };
        let lines = rows.iter().map(|row| {
            [
                row.client.words().to_owned(),
                format!("{:.0} \u{b1} {:.0}", row.median_ns_per_call, row.mad_ns_per_call),
                format!("{:.0}", row.per_second),
                format!("{:.3}", row.speed),
                format!("{:.3}\u{2013}{:.3}", row.speed_low, row.speed_high),
            ]
        });
        let header = ["client", "ns/key \u{b1} MAD", "keys/s", "speed", "95 % CI"];
        let table = table::table(header, &[1, 2, 3, 4], lines);
        text.push_str(&format!(
            "\n{}, {} keys a round trip, {} bits, {} for each key\n{table}\n",
            first.operation.words(),
            first.batch,
            first.bits,
            first.probes
        ));
        let of = |client: Client| rows.iter().find(|row| row.client == client);
        if let (Some(one), Some(many)) = (of(Client::Single), of(Client::Blocking)) {
            text.push_str(&format!(
                "a batch of {} is {:.1} times as fast as as many calls\n",
                many.batch,
                one.median_ns_per_call / many.median_ns_per_call
            ));
        }
    }
    text.push_str(&downloads(rows));
    text
}

fn downloads(rows: &[Redis]) -> String {
    let pays = break_even(rows);
    let downloads = rows.iter().filter(|row| row.operation == Operation::Download);
    let lines = downloads.map(|row| {
        let keys: Vec<String> = pays
            .iter()
            .filter(|pays| pays.bits == row.bits)
            .map(|pays| format!("{:.0}", pays.keys))
            .collect();
        [
            row.bits.to_string(),
            format!("{:.3}", row.median_ns_per_call / 1e6),
            keys.join(", "),
        ]
    });
    let batches: Vec<String> = rows
        .iter()
        .filter(|row| row.operation == Operation::Contains && row.client == Client::Blocking)
        .map(|row| row.batch.to_string())
        .collect();
    let header = ["bits", "download, ms", "pays after keys"];
    format!(
        "\ndownloading the filter and asking it here, against {} keys a round trip\n{}\n",
        batches.join(", "),
        table::table(header, &[0, 1, 2], lines)
    )
}
